#include <numbers>

#include "check.hpp"
#include "force_bench.hpp"
#include "multibody/aerodynamic_strip.hpp"
#include "multibody/contact.hpp"
#include "multibody/rotational_spring.hpp"
#include "multibody/user_force.hpp"

using namespace counterpoint;
using namespace counterpoint::multibody;
using namespace counterpoint::testing;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double gravity = 9.81;

const Plane floor_in_plane{.point = {0.0, 0.0, 0.0}, .normal = {0.0, 1.0, 0.0}};

Plane slope() {
  const Vector3d n = Vector3d(0.3, -0.2, 0.9).normalized();
  return {.point = {0.1, 0.2, 0.3}, .normal = {n[0], n[1], n[2]}};
}

/// A point pressed into the slope and sliding along it.
Bench pressed() {
  Bench bench(3);
  const Plane plane = slope();
  const Vector3d n(plane.normal.data()), base(plane.point.data());
  bench.q = base + Vector3d(1.0, 2.0, 0.0) - n.dot(Vector3d(1.0, 2.0, 0.0)) * n - 0.01 * n;
  bench.v = Vector3d(0.4, -0.3, 0.1);
  return bench;
}

/// A point of mass 2 kg in the plane above (or on) the floor.
Run ball(const ContactLaw& law, double height, double sideways) {
  Parts parts = point_mass(2.0, 2, gravity);
  parts.forces.push_back(make_contact(at_offset(0, 2), floor_in_plane, law));
  Run run(std::move(parts), {});
  run.state.q = {0.0, height};
  run.state.v = {sideways, 0.0};
  run.start();
  return run;
}

/// Hunt and Crossley's law integrated once: the speed after an impact, from v_i/c - ln(1 + c v_i)/c^2 of both ways.
double rebound(double impact, double c) {
  const double in = impact * c - std::log1p(c * impact);
  double low = 0.0, high = std::min(impact, 1.0 / c);
  for (int k = 0; k < 100; ++k) {
    const double out = 0.5 * (low + high);
    (-out * c - std::log1p(-c * out) < in ? low : high) = out;
  }
  return low;
}

std::shared_ptr<Polar> thin_aerofoil() {
  auto polar = std::make_shared<Polar>();
  polar->angle = {-pi, -0.4, 0.4, pi};
  polar->lift = {0.0, -0.8 * pi, 0.8 * pi, 0.0};
  polar->drag = {0.02, 0.02, 0.02, 0.02};
  polar->moment = {-0.1, -0.1, -0.1, -0.1};
  return polar;
}

std::shared_ptr<Polar> flat_plate() {
  auto polar = std::make_shared<Polar>();
  for (int k = -180; k <= 180; ++k) {
    const double angle = k * pi / 180.0;
    polar->angle.push_back(angle);
    polar->lift.push_back(2.0 * std::sin(angle) * std::cos(angle));
    polar->drag.push_back(2.0 * std::sin(angle) * std::sin(angle));
  }
  return polar;
}

/// A strip on a body of point and frame: chord along the first axis, normal along the third.
struct StripBench : Bench {
  StripBench() : Bench(12) {
    place_frame(*this, 3, turned(0.4, {0.3, 1.0, 0.2}), turning());
    q.head<3>() = Vector3d(0.3, 0.2, 40.0);
    v.head<3>() = Vector3d(-30.0, 2.0, 1.0);
  }
  static Vector3d turning() { return {0.5, -0.4, 0.8}; }
  Section section() const { return {at_offset(0), at_offset(3), at_offset(9)}; }
  Vector3d axis(int k) const { return q.segment<3>(3 + 3 * k); }
};

std::array<Combination, 3> frame_at(int offset) {
  return {at_offset(offset), at_offset(offset + 3), at_offset(offset + 6)};
}

/// Two frames, the first turned too.
Bench two_frames(const Vector3d& rotation) {
  Bench bench(18);
  const Matrix3d first = turned(0.7, {1.0, -2.0, 0.5});
  place_frame(bench, 0, first, {0.1, 0.2, -0.3});
  place_frame(bench, 9, first * turned(rotation.norm(), rotation), {-0.5, 0.4, 0.6});
  return bench;
}

/// Torque on the frame at `offset`: what a force element does on its axes, summed as moments.
Vector3d torque_on(const Bench& bench, const VectorXd& Q, int offset) {
  Vector3d sum = Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vector3d axis = bench.q.segment<3>(offset + 3 * k), force = Q.segment<3>(offset + 3 * k);
    sum += axis.cross(force);
  }
  return sum;
}

/// -d energy / d turn about each axis in space of the frame at `offset`.
Vector3d torque_from_energy(const Bench& bench, const Force& element, int offset) {
  Vector3d made;
  constexpr double small = 1e-6;
  for (int k = 0; k < 3; ++k) {
    double energy[2];
    for (int side = 0; side < 2; ++side) {
      Bench moved = bench;
      const Matrix3d turn = turned(side == 0 ? small : -small, Vector3d::Unit(k));
      for (int axis = 0; axis < 3; ++axis) {
        moved.q.segment<3>(offset + 3 * axis) = turn * Vector3d(bench.q.segment<3>(offset + 3 * axis));
      }
      energy[side] = element.energy(moved.now());
    }
    made[k] = -(energy[0] - energy[1]) / (2.0 * small);
  }
  return made;
}

void spring_and_damper(double, const double* positions, const double* velocities, const double*, double* forces) {
  for (int d = 0; d < 2; ++d) {
    const double force = 40.0 * (positions[2 + d] - positions[d]) + 3.0 * (velocities[2 + d] - velocities[d]);
    forces[d] = force;
    forces[2 + d] = -force;
  }
}

void push_the_second(double t, const double*, const double* v, const double* u, double* Q) {
  Q[1] = t + 2.0 * v[0] + u[0];
}

}  // namespace

TEST(a_contact_pushes_by_its_law_and_friction_opposes_the_slip) {
  const Bench bench = pressed();
  const ContactLaw law{.stiffness = 2e4, .exponent = 1.5, .damping = 0.2, .friction = 0.5, .friction_speed = 1e-3};
  const ForcePointer contact = make_contact(at_offset(0), slope(), law);
  const Vector3d n(slope().normal.data()), velocity = bench.v, slip = velocity - n.dot(velocity) * n;
  const double normal = 2e4 * std::pow(0.01, 1.5) * (1.0 - 0.2 * n.dot(velocity));
  const Vector3d expected = normal * n - 0.5 * normal * slip.normalized();
  CHECK_CLOSE(0.0, (bench.force(*contact) - expected).norm(), 1e-9);
  const std::vector<double> values = bench.values(*contact);
  CHECK_CLOSE(normal, values[0], 1e-9);
  CHECK_CLOSE(0.01, values[1], 1e-12);
  CHECK_CLOSE(0.5 * normal, values[2], 1e-9);
  // Power: friction dissipates, the normal force works on the rate of depth.
  CHECK_CLOSE(normal * n.dot(velocity) - 0.5 * normal * slip.norm(), bench.force(*contact).dot(bench.v), 1e-9);
}

TEST(a_contact_without_loss_is_the_gradient_of_its_energy) {
  const Bench bench = pressed();
  const ForcePointer contact = make_contact(at_offset(0), slope(), {.stiffness = 2e4, .exponent = 1.5});
  CHECK_CLOSE(0.0, (bench.force(*contact) + bench.energy_gradient(*contact)).norm(), 1e-6);
}

TEST(a_contact_knows_its_tangent_along_the_normal_and_in_the_plane) {
  const ContactLaw law{.stiffness = 2e4, .exponent = 1.5, .damping = 0.2, .friction = 0.5, .friction_speed = 0.8};
  const ForcePointer contact = make_contact(at_offset(0), slope(), law);
  const Vector3d n(slope().normal.data());
  const Matrix3d along = n * n.transpose(), in_plane = Matrix3d::Identity() - along;
  for (const double speed : {0.0, 1.0}) {
    Bench bench = pressed();
    bench.v *= speed;
    const MatrixXd K = bench.derivative(*contact, &Bench::q), C = bench.derivative(*contact, &Bench::v);
    CHECK_CLOSE(0.0, (along * K * along - bench.tangent(*contact, 1.0, 0.0)).norm(), 1e-4);
    const MatrixXd claimed = along * C * along + in_plane * C * in_plane;
    CHECK_CLOSE(0.0, (claimed - bench.tangent(*contact, 0.0, 1.0)).norm(), 1e-4);
  }
}

TEST(a_contact_in_the_plane_has_the_same_tangent) {
  const ContactLaw law{
      .stiffness = 1e4, .exponent = 1.0, .damping = 0.3, .friction = 0.4, .friction_speed = 0.2, .radius = 0.5};
  const ForcePointer contact = make_contact(at_offset(0, 2), floor_in_plane, law);
  Bench bench(2);
  bench.q << 1.0, 0.48;
  bench.v << 0.1, -0.2;
  const MatrixXd K = bench.derivative(*contact, &Bench::q), C = bench.derivative(*contact, &Bench::v);
  CHECK_CLOSE(K(1, 1), bench.tangent(*contact, 1.0, 0.0)(1, 1), 1e-4);
  CHECK_CLOSE(C(1, 1), bench.tangent(*contact, 0.0, 1.0)(1, 1), 1e-4);
  CHECK_CLOSE(C(0, 0), bench.tangent(*contact, 0.0, 1.0)(0, 0), 1e-4);
}

TEST(a_contact_never_pulls) {
  const ForcePointer contact =
      make_contact(at_offset(0, 2), floor_in_plane, {.stiffness = 1e4, .exponent = 1.5, .damping = 0.5});
  Bench bench(2);
  bench.q << 0.0, -0.01;
  bench.v << 0.0, 5.0;
  CHECK_CLOSE(0.0, bench.force(*contact).norm(), 0.0);
  CHECK_CLOSE(0.0, bench.tangent(*contact, 1.0, 1.0).norm(), 0.0);
  bench.q << 0.0, 0.01;
  CHECK_CLOSE(0.0, bench.force(*contact).norm(), 0.0);
  CHECK_CLOSE(0.0, contact->energy(bench.now()), 0.0);
}

TEST(a_ball_rebounds_with_the_speed_of_hunt_and_crossley) {
  for (const double c : {0.02, 0.2, 0.6}) {
    Parts parts = point_mass(2.0, 2, 0.0);
    parts.forces.push_back(
        make_contact(at_offset(0, 2), floor_in_plane, {.stiffness = 1e7, .exponent = 1.5, .damping = c}));
    Run run(std::move(parts), {});
    run.state.q = {0.0, 1e-4};
    run.state.v = {0.0, -2.0};
    run.start();
    run.until(0.05, 1e-5);
    CHECK(run.state.q[1] > 0.0);
    CHECK_CLOSE(rebound(2.0, c), run.state.v[1], 1e-3);
  }
}

TEST(a_sphere_rests_where_its_radius_says) {
  const ContactLaw law{.stiffness = 1e5, .exponent = 1.0, .damping = 3.0, .radius = 0.1};
  Run run = ball(law, 0.12, 0.0);
  run.until(3.0, 1e-3);
  CHECK_CLOSE(0.1 - 2.0 * gravity / 1e5, run.state.q[1], 1e-6);
}

TEST(a_sliding_block_stops_after_v2_over_2_mu_g) {
  const ContactLaw law{.stiffness = 1e5, .exponent = 1.0, .friction = 0.3, .friction_speed = 1e-3};
  Run run = ball(law, -2.0 * gravity / 1e5, 2.0);
  run.until(1.0, 1e-3);
  CHECK_CLOSE(4.0 / (2.0 * 0.3 * gravity), run.state.q[0], 1e-4);
  CHECK_CLOSE(0.0, run.state.v[0], 1e-6);
}

TEST(a_block_comes_to_rest_in_long_steps) {
  // One step of friction changes the speed by thirty times the speed at which friction turns round.
  Run run =
      ball({.stiffness = 1e5, .exponent = 1.0, .friction = 0.3, .friction_speed = 1e-3}, -2.0 * gravity / 1e5, 2.0);
  run.until(1.0, 1e-2);
  CHECK_CLOSE(4.0 / (2.0 * 0.3 * gravity), run.state.q[0], 1e-3);
  CHECK_CLOSE(0.0, run.state.v[0], 1e-4);
}

TEST(a_contact_wants_a_unit_normal) {
  CHECK_THROWS(std::invalid_argument, "unit vector", make_contact(at_offset(0, 2), {}, {}));
}

TEST(a_strip_gives_the_lift_of_a_thin_aerofoil) {
  Bench bench(2);
  StripLaw law{.span = 2.0, .chord = 0.5, .density = 1.2, .polar = thin_aerofoil()};
  law.wind.velocity[0] = make_polynomial({20.0});
  const double angle = 0.1;
  // The chord is turned nose up against a wind along x.
  const Section section{at_offset(0, 2), constant(std::cos(angle), -std::sin(angle), 0.0, 2),
                        constant(std::sin(angle), std::cos(angle), 0.0, 2)};
  const ForcePointer strip = make_aerodynamic_strip(section, law);
  const double pressure_area = 0.5 * 1.2 * 400.0;
  const VectorXd Q = bench.force(*strip);
  CHECK_CLOSE(pressure_area * 0.02, Q[0], 1e-9);
  CHECK_CLOSE(pressure_area * 2.0 * pi * angle, Q[1], 1e-9);
  const std::vector<double> values = bench.values(*strip);
  CHECK_CLOSE(angle, values[0], 1e-12);
  CHECK_CLOSE(-0.1 * pressure_area * 0.5, values[3], 1e-9);
}

TEST(a_strip_does_the_work_of_its_force_and_moment) {
  const StripBench bench;
  StripLaw law{.span = 2.0, .chord = 0.5, .density = 1.2, .polar = thin_aerofoil()};
  law.wind.velocity[2] = make_polynomial({3.0});
  const ForcePointer strip = make_aerodynamic_strip(bench.section(), law);
  const std::vector<double> values = bench.values(*strip);
  const Vector3d span = bench.axis(1), velocity = bench.v.head<3>();
  const Vector3d wind = Vector3d(0.0, 0.0, 3.0) - velocity;
  const Vector3d along = (wind - span.dot(wind) * span).normalized();
  // Axes are chord, span, normal: lift is drag turned to the normal, and nose up is the positive sense about the span.
  const Vector3d force = values[2] * along + values[1] * along.cross(span);
  const VectorXd Q = bench.force(*strip);
  CHECK(values[0] > 0.0 && values[1] > 0.0);
  CHECK_CLOSE(0.0, (Vector3d(Q.head<3>()) - force).norm(), 1e-9);
  CHECK_CLOSE(force.dot(velocity) + values[3] * span.dot(StripBench::turning()), Q.dot(bench.v), 1e-9);
}

TEST(a_strip_knows_its_damping_along_lift_and_drag) {
  const StripBench bench;
  const ForcePointer strip =
      make_aerodynamic_strip(bench.section(), {.span = 2.0, .chord = 0.5, .polar = thin_aerofoil()});
  Vector3d wind = -Vector3d(bench.v.head<3>());
  wind -= bench.axis(1).dot(wind) * bench.axis(1);
  const Vector3d along = wind.normalized(), across = bench.axis(1).cross(along);
  const Matrix3d exact = bench.derivative(*strip, &Bench::v).topLeftCorner<3, 3>();
  const Matrix3d claimed = bench.tangent(*strip, 0.0, 1.0).topLeftCorner<3, 3>();
  CHECK_CLOSE(along.dot(exact * along), along.dot(claimed * along), 1e-5);
  CHECK_CLOSE(across.dot(exact * across), across.dot(claimed * across), 1e-5);
}

TEST(a_polar_is_whole_at_half_a_turn) {
  const std::shared_ptr<Polar> polar = flat_plate();
  CHECK_CLOSE(polar->at(pi).lift, polar->at(-pi).lift, 1e-12);
  CHECK_CLOSE(0.0, polar->at(pi - 1e-9).lift - polar->at(-pi + 1e-9).lift, 1e-7);
  CHECK_CLOSE(2.0, polar->at(0.5 * pi).drag, 1e-12);
}

TEST(wind_grows_with_height) {
  Bench bench(3);
  StripLaw law{.polar = flat_plate()};
  law.wind.velocity[0] = make_polynomial({10.0});
  law.wind.shear_exponent = 0.2;
  const auto drag_at = [&](double height) {
    bench.q[2] = height;
    return bench.values(*make_aerodynamic_strip({at_offset(0), constant(0, 0, 1), constant(1, 0, 0)}, law))[2];
  };
  const double reference = 0.5 * 1.225 * 100.0 * 2.0;
  CHECK_CLOSE(reference, drag_at(10.0), 1e-9);
  CHECK_CLOSE(reference * std::pow(4.0, 0.4), drag_at(40.0), 1e-9);
  law.wind.roughness_length = 0.25;
  CHECK_CLOSE(reference * std::pow(std::log(160.0) / std::log(40.0), 2), drag_at(40.0), 1e-9);
  CHECK_CLOSE(0.0, drag_at(-1.0), 1e-3);
}

TEST(a_falling_plate_reaches_its_terminal_speed) {
  Parts parts = point_mass(0.5, 2, gravity);
  const Section section{at_offset(0, 2), constant(1.0, 0.0, 0.0, 2), constant(0.0, 1.0, 0.0, 2)};
  parts.forces.push_back(make_aerodynamic_strip(section, {.span = 0.4, .chord = 0.3, .polar = flat_plate()}));
  Run run(std::move(parts), {});
  run.start();
  run.until(10.0, 0.01);
  CHECK_CLOSE(-std::sqrt(0.5 * gravity / (0.5 * 1.225 * 0.12 * 2.0)), run.state.v[1], 1e-6);
}

TEST(a_strip_wants_a_polar_that_rises) {
  auto polar =
      std::make_shared<Polar>(Polar{.angle = {0.0, 1.0, 0.5}, .lift = {0, 0, 0}, .drag = {0, 0, 0}, .moment = {}});
  CHECK_THROWS(std::invalid_argument, "angles must rise",
               make_aerodynamic_strip(StripBench().section(), {.polar = polar}));
}

TEST(a_user_function_acts_on_all_coordinates) {
  const ForcePointer force = make_user_force(push_the_second, 3);
  Bench bench(3);
  bench.t = 1.0;
  bench.v[0] = 4.0;
  bench.u[0] = 0.5;
  const VectorXd Q = bench.force(*force);
  CHECK_CLOSE(9.5, Q[1], 0.0);
  CHECK_CLOSE(9.5, Q.sum(), 0.0);
}

TEST(a_user_function_on_points_acts_and_reacts) {
  // The second point lies between two coordinates' points.
  Combination middle{.dimension = 2,
                     .weights = {{.offset = 2, .weight = 0.25}, {.offset = 4, .weight = 0.75, .turned = 0.5}}};
  const Differences differences{.position = 1e-4, .velocity = 1e-4};
  const ForcePointer force = make_user_force_on_points(spring_and_damper, {at_offset(0, 2), middle}, differences);
  Bench bench(6);
  bench.q << 0.1, 0.2, 1.0, 1.1, 2.0, -0.5;
  bench.v << 0.3, -0.1, 0.2, 0.7, -0.4, 0.6;
  const std::vector<double> values = bench.values(*force);
  CHECK_CLOSE(0.0, values[0] + values[2], 1e-12);
  CHECK_CLOSE(0.0, values[1] + values[3], 1e-12);
  double speed[2];
  middle.rate(bench.v.data(), speed);
  const double power = values[0] * bench.v[0] + values[1] * bench.v[1] + values[2] * speed[0] + values[3] * speed[1];
  CHECK_CLOSE(power, bench.force(*force).dot(bench.v), 1e-9);
  const MatrixXd K = bench.derivative(*force, &Bench::q), C = bench.derivative(*force, &Bench::v);
  CHECK_CLOSE(0.0, (symmetrised(2.0 * K + 3.0 * C) - bench.tangent(*force, 2.0, 3.0)).norm(), 1e-6);
}

TEST(a_rotational_spring_is_exact_for_large_rotations_about_any_axis) {
  const Vector3d stiffness(100.0, 30.0, 500.0);
  const ForcePointer spring = make_rotational_spring(frame_at(0), frame_at(9), {.stiffness = {100.0, 30.0, 500.0}});
  const Vector3d rotations[] = {{1.0, 0, 0},      {0, -1.0, 0},    {0, 0, 0.5},
                                {0.6, 0.7, -0.4}, {2.0, 1.0, 1.0}, {1e-7, 2e-7, 0}};
  for (const Vector3d& rotation : rotations) {
    const Bench bench = two_frames(rotation);
    CHECK_CLOSE(0.5 * rotation.dot(stiffness.cwiseProduct(rotation)), spring->energy(bench.now()), 1e-9);
    const VectorXd Q = bench.force(*spring);
    CHECK_CLOSE(0.0, (torque_from_energy(bench, *spring, 9) - torque_on(bench, Q, 9)).norm(), 1e-5);
    CHECK_CLOSE(0.0, (torque_on(bench, Q, 0) + torque_on(bench, Q, 9)).norm(), 1e-9);
  }
}

TEST(a_rotational_spring_about_one_axis_is_a_linear_one) {
  const ForcePointer spring = make_rotational_spring(frame_at(0), frame_at(9), {.stiffness = {100.0, 30.0, 500.0}});
  const Bench bench = two_frames({0.0, 1.0, 0.0});
  const Vector3d axis = bench.q.segment<3>(3);
  CHECK_CLOSE(0.0, (torque_on(bench, bench.force(*spring), 9) + 30.0 * axis).norm(), 1e-9);
}

TEST(a_rotational_damper_dissipates_by_the_relative_angular_velocity) {
  const ForcePointer damper = make_rotational_spring(frame_at(0), frame_at(9), {.damping = {2.0, 2.0, 2.0}});
  const Bench bench = two_frames({0.3, 0.2, -0.1});
  const Vector3d turning = Vector3d(-0.5, 0.4, 0.6) - Vector3d(0.1, 0.2, -0.3);
  CHECK_CLOSE(-2.0 * turning.squaredNorm(), bench.force(*damper).dot(bench.v), 1e-9);
  // Its tangent is the derivative as far as frames stay frames: for velocities that are turns.
  const MatrixXd C = bench.tangent(*damper, 0.0, 1.0);
  CHECK_CLOSE(2.0 * turning.squaredNorm(), bench.v.dot(C * bench.v), 1e-9);
}

TEST(a_relaxed_rotational_spring_has_the_tangent_of_its_torque) {
  const ForcePointer spring = make_rotational_spring(frame_at(0), frame_at(9), {.stiffness = {100.0, 30.0, 500.0}});
  const Bench bench = two_frames({1e-9, 0.0, 0.0});
  const MatrixXd K = bench.derivative(*spring, &Bench::q);
  const VectorXd turn = bench.v;
  CHECK_CLOSE(turn.dot(K * turn), turn.dot(bench.tangent(*spring, 1.0, 0.0) * turn), 1e-4);
}

TEST(three_rotation_measures_are_a_spring_for_one_axis_at_a_time) {
  std::vector<ForcePointer> springs;
  const Vector3d diagonal = Vector3d(1.0, 1.0, 1.0).normalized();
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    // About axis k turns axis i of the first frame towards its axis j.
    const MeasurePointer measure = make_measure(MeasureFunction::rotation, {at_offset(3 * j), at_offset(9 + 3 * i)},
                                                {at_offset(3 * i), at_offset(9 + 3 * j)});
    springs.push_back(make_scalar_force(measure, {.stiffness = 100.0}));
  }
  const auto sum = [&](const Bench& bench) {
    VectorXd Q = VectorXd::Zero(18);
    for (const ForcePointer& s : springs) Q += bench.force(*s);
    return torque_on(bench, Q, 9);
  };
  for (int k = 0; k < 3; ++k) {
    const Bench bench = two_frames(Vector3d::Unit(k));
    const Vector3d axis = bench.q.segment<3>(3 * k);
    CHECK_CLOSE(0.0, (sum(bench) + 100.0 * axis).norm(), 1e-9);
  }
  // About a diagonal the torque falls behind: by 2 % at 0.2 rad and by half at 60 degrees.
  CHECK_CLOSE(0.98, sum(two_frames(diagonal * 0.2)).norm() / (100.0 * 0.2), 0.005);
  CHECK_CLOSE(0.5, sum(two_frames(diagonal * pi / 3.0)).norm() / (100.0 * pi / 3.0), 0.005);
}

TEST(a_smooth_step_and_a_table_know_their_derivatives) {
  const TimeFunctionPointer step = make_smooth_step(1.0, 3.0, -2.0, 5.0);
  const TimeFunctionPointer table = make_table({0.0, 0.7, 1.5, 4.0}, {1.0, 3.0, -2.0, 0.5});
  constexpr double d = 1e-5;
  for (const TimeFunctionPointer& f : {step, table}) {
    for (const double t : {-0.5, 0.3, 1.2, 1.5, 2.0, 2.9, 3.5, 4.5}) {
      const Prescribed here = f->at({.t = t}), before = f->at({.t = t - d}), after = f->at({.t = t + d});
      CHECK_CLOSE((after.value - before.value) / (2 * d), here.rate, 1e-7);
      CHECK_CLOSE((after.rate - before.rate) / (2 * d), here.acceleration, 1e-3);
    }
  }
}

TEST(a_smooth_step_goes_from_one_value_to_the_other) {
  const TimeFunctionPointer step = make_smooth_step(1.0, 3.0, -2.0, 5.0);
  CHECK_CLOSE(-2.0, step->at({.t = 0.0}).value, 0.0);
  CHECK_CLOSE(1.5, step->at({.t = 2.0}).value, 1e-12);
  CHECK_CLOSE(5.0, step->at({.t = 9.0}).value, 1e-12);
  CHECK_THROWS(std::invalid_argument, "some time", make_smooth_step(1.0, 1.0, 0.0, 1.0));
}

TEST(a_table_passes_through_its_values_and_reproduces_a_cubic) {
  // 3 t^2 - 2 t^3 has slope zero at 0 and 1: the spline is that cubic.
  std::vector<double> times, values;
  for (const double t : {0.0, 0.1, 0.35, 0.6, 0.85, 1.0}) {
    times.push_back(t);
    values.push_back(t * t * (3.0 - 2.0 * t));
  }
  const TimeFunctionPointer table = make_table(times, values);
  for (const double t : {0.0, 0.05, 0.1, 0.2, 0.6, 0.7, 0.99}) {
    CHECK_CLOSE(t * t * (3.0 - 2.0 * t), table->at({.t = t}).value, 1e-12);
  }
  CHECK_CLOSE(6.0 - 12.0 * 0.35, table->at({.t = 0.35}).acceleration, 1e-10);
  CHECK_CLOSE(7.0, make_table({2.0}, {7.0})->at({.t = 0.0}).value, 0.0);
  CHECK_CLOSE(1.0, make_table({0.0, 2.0}, {0.0, 2.0})->at({.t = 1.0}).value, 1e-12);
  CHECK_THROWS(std::invalid_argument, "times must rise", make_table({0.0, 0.0}, {1.0, 1.0}));
  CHECK_THROWS(std::invalid_argument, "one value for each time", make_table({0.0, 0.0}, {1.0}));
}
