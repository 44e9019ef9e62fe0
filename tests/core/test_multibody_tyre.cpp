#include <numbers>

#include "check.hpp"
#include "force_bench.hpp"
#include "multibody/tyre.hpp"

using namespace counterpoint;
using namespace counterpoint::multibody;
using namespace counterpoint::testing;

namespace {

constexpr double gravity = 9.81;
constexpr double deflection = 0.015;

const MagicFormula along{.B = 10.0, .C = 1.6, .E = 0.0, .mu = 1.0};
const MagicFormula aside{.B = 9.0, .C = 1.4, .E = -0.3, .mu = 1.0};

TyreLaw kart_tyre() {
  TyreLaw law;
  law.radius = 0.28;
  law.stiffness = 120e3;
  law.damping = 300.0;
  law.longitudinal = along;
  law.lateral = aside;
  law.longitudinal_relaxation = law.lateral_relaxation = 0.12;
  return law;
}

enum Value { kFx, kFy, kFz, kSlip, kAngle, kDeflection };

/// A wheel as a body of centre (0) and three axes (3, 6, 9); it spins about the second.
struct WheelBench : Bench {
  WheelBench(const TyreLaw& law, const Matrix3d& axes, const Vector3d& velocity, const Vector3d& angular_velocity)
      : Bench(12), turning(angular_velocity), tyre(make_tyre({at_offset(0), at_offset(6), at_offset(3)}, {}, law)) {
    place_frame(*this, 3, axes, turning);
    const double camber = std::sqrt(1.0 - axes(2, 1) * axes(2, 1));
    q.head<3>() = Vector3d(0.4, -0.7, law.radius * camber - deflection);
    v.head<3>() = velocity;
    start(*tyre);
  }
  std::vector<double> shown() const { return values(*tyre); }
  void settle() {
    for (int k = 0; k < 40; ++k) accept(*tyre, 0.1);
  }

  Vector3d turning;
  ForcePointer tyre;
};

/// Upright, rolling along x with this slip and this slip angle.
WheelBench rolling(const TyreLaw& law, double speed, double slip, double angle) {
  const Vector3d velocity(speed, -speed * std::tan(angle), 0.0);
  const Vector3d turning(0.0, speed * (1.0 + slip) / (law.radius - deflection), 0.0);
  return WheelBench(law, Matrix3d::Identity(), velocity, turning);
}

/// A wheel that leans, steers and turns about all axes.
WheelBench tumbling(const TyreLaw& law) {
  const Matrix3d axes =
      turned(0.4, Vector3d::UnitZ()) * turned(0.15, Vector3d::UnitX()) * turned(0.9, Vector3d::UnitY());
  WheelBench bench(law, axes, {3.0, -0.6, -0.2}, {0.7, 9.0, 1.3});
  bench.accept(*bench.tyre, 0.01);
  bench.t += 0.005;
  return bench;
}

/// Wheel of 20 kg and 0.5 kg m^2 whose axis stays along y: the carrier does not lean or steer.
Run carried_wheel(const TyreLaw& law, double speed, double spin) {
  Parts parts;
  parts.free = 6;
  for (int d = 0; d < 3; ++d) {
    parts.mass.push_back({d, d, 20.0});
    parts.mass.push_back({3 + d, 3 + d, 0.5});  // the spoke's other end balances: I = sum of m r^2 over it
  }
  parts.constant_force = {0.0, 0.0, -20.0 * gravity, 0.0, 0.0, 0.0};
  const Combination spoke = at_offset(3), left = constant(0.0, 1.0, 0.0);
  parts.constraints.push_back(
      make_dots({{.a = spoke, .b = spoke, .value = 1.0, .scale = 2.0}, {.a = spoke, .b = left}}));
  parts.constraints.back()->names = {"unit", "upright"};
  parts.forces.push_back(make_tyre({at_offset(0), left, spoke}, {}, law));
  Run run(std::move(parts), {});
  run.state.q = {0.0, 0.0, law.radius - 20.0 * gravity / law.stiffness, 1.0, 0.0, 0.0};
  run.state.v = {speed, 0.0, 0.0, 0.0, 0.0, -spin};
  run.start();
  return run;
}

}  // namespace

TEST(a_rolling_tyre_follows_the_magic_formula) {
  const TyreLaw law = kart_tyre();
  const double load = law.stiffness * deflection;
  for (const double slip : {-1.0, -0.2, -0.02, 0.0, 0.05, 0.15, 0.6}) {
    WheelBench bench = rolling(law, 12.0, slip, 0.0);
    bench.settle();
    CHECK_CLOSE(load, bench.shown()[kFz], 1e-9);
    CHECK_CLOSE(slip, bench.shown()[kSlip], 1e-9);
    CHECK_CLOSE(load * std::sin(1.6 * std::atan(10.0 * slip)), bench.shown()[kFx], 1e-6);
    CHECK_CLOSE(0.0, bench.shown()[kFy], 1e-9);
  }
  for (const double angle : {-0.3, -0.05, 0.0, 0.1, 0.5}) {
    WheelBench bench = rolling(law, 12.0, 0.0, angle);
    bench.settle();
    const double x = 9.0 * angle;
    CHECK_CLOSE(angle, bench.shown()[kAngle], 1e-9);
    CHECK_CLOSE(load * std::sin(1.4 * std::atan(x + 0.3 * (x - std::atan(x)))), bench.shown()[kFy], 1e-6);
    CHECK_CLOSE(0.0, bench.shown()[kFx], 1e-6);
  }
}

TEST(a_magic_formula_knows_its_slope) {
  for (const double slip : {-0.4, -0.01, 0.0, 0.08, 0.7}) {
    CHECK_CLOSE((aside.at(slip + 1e-6) - aside.at(slip - 1e-6)) / 2e-6, aside.slope(slip), 1e-7);
  }
}

TEST(combined_slip_stays_within_friction_and_shares_it) {
  const TyreLaw law = kart_tyre();
  WheelBench both = rolling(law, 12.0, 0.15, 0.2), drive = rolling(law, 12.0, 0.15, 0.0),
             corner = rolling(law, 12.0, 0.0, 0.2);
  both.settle();
  drive.settle();
  corner.settle();
  const double load = law.stiffness * deflection;
  CHECK(std::hypot(both.shown()[kFx], both.shown()[kFy]) <= load * (1.0 + 1e-12));
  CHECK(both.shown()[kFx] < drive.shown()[kFx] && both.shown()[kFy] < corner.shown()[kFy]);
  CHECK(both.shown()[kFx] > 0.5 * drive.shown()[kFx] && both.shown()[kFy] > 0.5 * corner.shown()[kFy]);
}

TEST(slip_builds_up_over_the_relaxation_length) {
  const TyreLaw law = kart_tyre();
  for (const double speed : {0.5, 20.0}) {
    WheelBench bench = rolling(law, speed, 0.02, 0.01);
    const int steps = 24;
    for (int k = 1; k <= steps; ++k) {
      bench.accept(*bench.tyre, 0.01 / speed);  // 1 cm
      const double part = 1.0 - std::exp(-0.01 * k / 0.12);
      CHECK_CLOSE(0.02 * part, bench.shown()[kSlip], 1e-12);
      CHECK_CLOSE(std::atan(std::tan(0.01) * part), bench.shown()[kAngle], 1e-12);
    }
  }
}

TEST(friction_falls_with_load_and_camber_pushes_to_the_side_it_leans_to) {
  TyreLaw law = kart_tyre();
  law.nominal_load = 900.0;
  law.load_sensitivity = 0.1;
  WheelBench bench = rolling(law, 12.0, 0.5, 0.0);
  bench.settle();
  CHECK_CLOSE(1800.0 * 0.9 * along.at(0.5), bench.shown()[kFx], 1e-6);
  law.camber_slip = 0.2;
  // Leaning to the left (y): the top moves to +y.
  WheelBench leaning(law, turned(-0.1, Vector3d::UnitX()), {12.0, 0.0, 0.0}, {0.0, 0.0, 0.0});
  leaning.settle();
  CHECK(leaning.shown()[kFy] > 0.0);
  CHECK_CLOSE(0.02, leaning.shown()[kAngle], 1e-5);
}

TEST(a_tyre_does_the_work_of_its_forces_at_the_road) {
  const TyreLaw law = kart_tyre();
  const WheelBench bench = tumbling(law);
  const std::vector<double> shown = bench.shown();
  const Vector3d axis = bench.q.segment<3>(6), up = Vector3d::UnitZ(), velocity = bench.v.head<3>();
  const Vector3d x = axis.cross(up).normalized(), y = up.cross(x), radial = axis.cross(x);
  const Vector3d lowest = law.radius * radial, on_road = bench.q[2] / radial.dot(-up) * radial;
  const Vector3d shear = shown[kFx] * x + shown[kFy] * y, normal = shown[kFz] * up;
  CHECK(std::abs(shown[kFx]) > 10.0 && std::abs(shown[kFy]) > 10.0);
  CHECK_CLOSE(0.0, (Vector3d(bench.force(*bench.tyre).head<3>()) - shear - normal).norm(), 1e-9);
  // Linear in velocity and angular velocity, so this is all of force and moment.
  for (int k = 0; k < 3; ++k) {
    const Vector3d turn = Vector3d::Unit(k);
    VectorXd motion = VectorXd::Zero(12);
    for (int a = 0; a < 3; ++a) motion.segment<3>(3 + 3 * a) = turn.cross(Vector3d(bench.q.segment<3>(3 + 3 * a)));
    const double power = shear.dot(turn.cross(on_road)) + normal.dot(turn.cross(lowest));
    CHECK_CLOSE(power, bench.force(*bench.tyre).dot(motion), 1e-9);
  }
}

TEST(rolling_resistance_brakes_the_spin_and_trail_turns_the_wheel_into_its_way) {
  TyreLaw law = kart_tyre();
  law.rolling_resistance = 0.015;
  law.trail = 0.03;
  WheelBench bench = rolling(law, 12.0, 0.0, 0.05);
  bench.settle();
  const VectorXd Q = bench.force(*bench.tyre);
  const double load = law.stiffness * deflection, radius = law.radius - deflection;
  const auto moment = [&](const Vector3d& about) {
    VectorXd motion = VectorXd::Zero(12);
    for (int a = 0; a < 3; ++a) motion.segment<3>(3 + 3 * a) = about.cross(Vector3d(bench.q.segment<3>(3 + 3 * a)));
    return Q.dot(motion);
  };
  CHECK_CLOSE(-0.015 * load * radius - radius * bench.shown()[kFx], moment(Vector3d::UnitY()), 1e-6);
  // Way to the right of where the wheel points: the moment turns it to the right.
  const double trail = 0.03 / std::sqrt(1.0 + 0.25);
  CHECK_CLOSE(-trail * bench.shown()[kFy], moment(Vector3d::UnitZ()), 1e-6);
}

TEST(a_wheel_may_turn_by_an_angle_instead_of_a_spoke) {
  const TyreLaw law = kart_tyre();
  WheelBench with_spoke = rolling(law, 5.0, 0.1, 0.03);
  with_spoke.settle();
  // Centre and axis as before; the angle is the first number of the spoke.
  const Combination angle{.dimension = 1, .weights = {{.offset = 3, .weight = 1.0}}};
  const ForcePointer tyre = make_tyre({at_offset(0), at_offset(6), constant(0, 0, 0), angle}, {}, law);
  Bench bench = with_spoke;
  bench.v.segment<3>(3) = Vector3d(with_spoke.turning.y(), 0.0, 0.0);
  const VectorXd expected = with_spoke.force(*with_spoke.tyre), Q = bench.force(*tyre);
  CHECK_CLOSE(0.0, (expected.head<3>() - Q.head<3>()).norm(), 1e-9);
  CHECK_CLOSE(0.0, (expected.segment<3>(6) - Q.segment<3>(6)).norm(), 1e-9);
  CHECK_CLOSE(-(law.radius - deflection) * bench.values(*tyre)[kFx], Q[3], 1e-9);
  bench.t += 0.01;
  CHECK(bench.tangent(*tyre, 0.0, 1.0)(3, 3) > 0.0);
}

TEST(a_wheel_with_an_angle_resists_turning_its_axis_and_does_no_work_by_it) {
  TyreLaw law = kart_tyre();
  law.gyroscopic_inertia = 0.8;
  const Combination angle{.dimension = 1, .weights = {{.offset = 3, .weight = 1.0}}};
  const ForcePointer tyre = make_tyre({at_offset(0), at_offset(6), constant(0, 0, 0), angle}, {}, law);
  Bench bench(12);
  bench.q.head<3>() = Vector3d(0.0, 0.0, 5.0);  // in the air: the gyroscopic moment is all there is
  const Vector3d axis = Vector3d(0.1, 0.9, 0.2).normalized(), turning(0.4, -0.3, 0.7);
  bench.q.segment<3>(6) = axis;
  bench.v.segment<3>(6) = turning.cross(axis);
  bench.v[3] = 50.0;
  bench.start(*tyre);
  const VectorXd Q = bench.force(*tyre);
  // Moment -J Omega a' on the carrier, as a force on its axis: moment x a.
  const Vector3d moment = -0.8 * 50.0 * turning.cross(axis);
  CHECK_CLOSE(0.0, (moment.cross(axis) - Q.segment<3>(6)).norm(), 1e-12);
  CHECK_CLOSE(0.0, Q.dot(bench.v), 1e-12);
  law.gyroscopic_inertia = -1.0;
  CHECK_THROWS(std::invalid_argument, "gyroscopic_inertia: -1",
               make_tyre({at_offset(0), at_offset(6), constant(0, 0, 0), angle}, {}, law));
}

TEST(a_tyre_without_loss_is_the_gradient_of_its_energy) {
  TyreLaw law = kart_tyre();
  law.damping = 0.0;
  WheelBench bench = tumbling(law);
  bench.v.setZero();
  bench.start(*bench.tyre);
  CHECK_CLOSE(0.0, (bench.force(*bench.tyre) + bench.energy_gradient(*bench.tyre)).norm(), 1e-4);
}

TEST(a_tyre_knows_its_tangent) {
  TyreLaw law = kart_tyre();
  law.standstill_damping = 300.0;
  law.rolling_resistance = 0.015;
  // Small slip, upright: there every part of the tangent is exact and the parts do not mix.
  WheelBench bench = rolling(law, 1e-3, 0.0, 0.0);
  bench.t += 0.01;
  const MatrixXd C = bench.derivative(*bench.tyre, &Bench::v, 1e-5), K = bench.derivative(*bench.tyre, &Bench::q, 1e-7);
  const MatrixXd claimed_C = bench.tangent(*bench.tyre, 0.0, 1.0), claimed_K = bench.tangent(*bench.tyre, 1.0, 0.0);
  CHECK_CLOSE(0.0, (symmetrised(C) - claimed_C).norm() / C.norm(), 1e-3);
  CHECK_CLOSE(K(2, 2), claimed_K(2, 2), 1e-2);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> values(tumbling(law).tangent(*bench.tyre, 1.0, 1.0));
  CHECK(values.eigenvalues().minCoeff() > -1e-6 * values.eigenvalues().maxCoeff());
}

TEST(a_tyre_at_rest_or_in_the_air_gives_no_nan) {
  TyreLaw law = kart_tyre();
  law.standstill_damping = 300.0;
  law.rolling_resistance = 0.015;
  law.trail = 0.02;
  WheelBench bench = rolling(law, 0.0, 0.0, 0.0);
  bench.settle();
  CHECK_CLOSE(law.stiffness * deflection, bench.force(*bench.tyre)[2], 1e-9);
  CHECK(bench.force(*bench.tyre).allFinite() && bench.tangent(*bench.tyre, 1.0, 1.0).allFinite());
  bench.q[2] = 1.0;
  bench.settle();
  CHECK_CLOSE(0.0, bench.force(*bench.tyre).norm(), 0.0);
  bench.q[2] = law.radius;  // touches without load
  CHECK(bench.force(*bench.tyre).allFinite());
}

TEST(a_tyre_held_at_rest_is_a_spring_along_the_road) {
  WheelBench bench = rolling(kart_tyre(), 0.0, 0.0, 0.0);
  bench.v[0] = 1e-7;  // slowly pushed by 1 um: no way to relax over
  bench.start(*bench.tyre);
  bench.accept(*bench.tyre, 10.0);
  const double slip_stiffness = 10.0 * 1.6 * 120e3 * deflection;
  CHECK_CLOSE(-slip_stiffness * 1e-6 / 0.12, bench.shown()[kFx], 1e-5);
}

TEST(a_wheel_that_spins_on_the_spot_winds_up_no_more_than_its_bound) {
  const TyreLaw law = kart_tyre();
  WheelBench bench = rolling(law, 0.0, 0.0, 0.0);
  place_frame(bench, 3, Matrix3d::Identity(), {0.0, 50.0, 0.0});
  bench.settle();
  CHECK_CLOSE(law.largest_slip, bench.shown()[kSlip], 1e-12);
}

TEST(a_wheel_stands_on_its_static_deflection) {
  Run run = carried_wheel(kart_tyre(), 0.0, 0.0);
  run.state.q[2] = 0.30;  // dropped
  run.start();
  run.until(4.0, 1e-3);
  CHECK_CLOSE(20.0 * gravity / 120e3, run.values(0)[kDeflection], 1e-8);
  CHECK_CLOSE(0.0, run.state.q[0], 1e-9);
}

TEST(a_coasting_wheel_slows_by_rolling_resistance) {
  TyreLaw law = kart_tyre();
  law.rolling_resistance = 0.015;
  law.standstill_damping = 300.0;
  const double radius = law.radius - 20.0 * gravity / law.stiffness, speed = 2.0;
  Run run = carried_wheel(law, speed, speed / radius);
  run.until(1.0, 1e-3);
  const double slowing = 0.015 * 20.0 * gravity / (20.0 + 0.5 / (radius * radius));
  CHECK_CLOSE(speed - slowing, run.state.v[0], 1e-3);
  run.until(30.0, 5e-3);
  CHECK_CLOSE(0.0, run.state.v[0], 1e-3);
}

TEST(a_locked_wheel_slides_to_a_stop_and_stays) {
  TyreLaw law = kart_tyre();
  law.standstill_damping = 300.0;
  Parts parts = point_mass(100.0, 3, gravity);
  parts.forces.push_back(make_tyre({at_offset(0), constant(0, 1, 0), constant(1, 0, 0)}, {}, law));
  Run run(std::move(parts), {});
  run.state.q = {0.0, 0.0, law.radius - 100.0 * gravity / law.stiffness};
  run.state.v = {10.0, 0.0, 0.0};
  run.start();
  run.until(0.5, 1e-3);
  CHECK_CLOSE(10.0 + 0.5 * gravity * along.at(-1.0), run.state.v[0], 0.05);
  run.until(6.0, 1e-3);
  CHECK_CLOSE(0.0, run.state.v[0], 1e-3);
}

TEST(a_fast_free_wheel_steers_into_its_lean_and_stays_up) {
  // A thin hoop of 5 kg: axes 1 and 3 carry m r^2 / 2 each, centre and axes 12 coordinates.
  TyreLaw law = kart_tyre();
  law.damping = 600.0;
  Parts parts;
  parts.free = 12;
  const double mass = 5.0, half = 0.5 * mass * 0.25 * 0.25;
  const double masses[] = {mass, half, 1e-3 * half, half};
  for (int c = 0; c < 12; ++c) parts.mass.push_back({c, c, masses[c / 3]});
  parts.constant_force.assign(12, 0.0);
  parts.constant_force[2] = -mass * gravity;
  std::vector<DotRow> rows;
  for (int i = 1; i <= 3; ++i) {
    for (int j = i; j <= 3; ++j) {
      rows.push_back(
          {.a = at_offset(3 * i), .b = at_offset(3 * j), .value = i == j ? 1.0 : 0.0, .scale = i == j ? 2.0 : 1.0});
    }
  }
  parts.constraints.push_back(make_dots(rows));
  parts.constraints.back()->names.assign(rows.size(), "rigid");
  parts.forces.push_back(make_tyre({at_offset(0), at_offset(6), at_offset(3)}, {}, law));
  Run run(std::move(parts), {});
  Bench bench(12);
  const double radius = law.radius - mass * gravity / law.stiffness, speed = 8.0, lean = 0.02;
  place_frame(bench, 3, turned(-lean, Vector3d::UnitX()), {0.0, speed / radius, 0.0});
  bench.q[2] = radius;
  bench.v[0] = speed;
  std::copy(bench.q.begin(), bench.q.end(), run.state.q.begin());
  std::copy(bench.v.begin(), bench.v.end(), run.state.v.begin());
  run.start();
  double largest = 0.0;
  for (int k = 0; k < 2000; ++k) {
    run.step(1e-3);
    largest = std::max(largest, std::abs(run.state.q[8]));
  }
  CHECK(largest < 3.0 * lean);
  CHECK(run.state.q[1] > 0.0);  // it went to the side it leant to
}

TEST(transient_slip_is_of_second_order) {
  const auto end = [](double h) {
    const TyreLaw law = kart_tyre();
    Run run = carried_wheel(law, 5.0, 8.0);
    run.until(0.32, h);
    return run.state.v[0];
  };
  const double fine = end(1e-4), error = std::abs(end(4e-3) - fine), half = std::abs(end(2e-3) - fine);
  CHECK(error < 1e-2);
  CHECK(error / half > 3.0);
}

TEST(a_tyre_names_all_that_is_wrong_with_its_law) {
  TyreLaw law;
  law.radius = 0.0;
  law.lateral.C = -1.0;
  const Wheel wheel{at_offset(0), at_offset(3), at_offset(6)};
  CHECK_THROWS(std::invalid_argument, "radius: 0; it must be positive", make_tyre(wheel, {}, law));
  CHECK_THROWS(std::invalid_argument, "lateral.C", make_tyre(wheel, {}, law));
}
