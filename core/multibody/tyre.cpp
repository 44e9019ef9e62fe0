// Tyre on a flat road: H. B. Pacejka, "Tire and Vehicle Dynamics", 3rd ed. 2012: magic formula and combined slip by the
// similarity method (chapter 4), transient slip by relaxation lengths that works at standstill (chapters 7 and 8).
//
// The tread's deflections u (along x and along y) follow  u' + |V| / sigma u = drive,  drive = -(slip velocity), and u
// / sigma takes the place of the slip. From the step's start to now that is worked out exactly for the mean drive and
// speed of both ends: second order, as the integrators around it, and at V = 0 a spring that follows the wheel.
#include "multibody/tyre.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "multibody/attachment.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

double MagicFormula::at(double slip) const {
  const double x = B * slip;
  return std::sin(C * std::atan(x - E * (x - std::atan(x))));
}

double MagicFormula::slope(double slip) const {
  const double x = B * slip;
  const double inner = x - E * (x - std::atan(x));
  const double inner_slope = B * (1.0 - E + E / (1.0 + x * x));
  return std::cos(C * std::atan(inner)) * C / (1.0 + inner * inner) * inner_slope;
}

namespace {

enum WheelHold { wheel_centre, wheel_axis, wheel_spoke, wheel_angle };
enum Memory { memory_deflection_x, memory_deflection_y, memory_drive_x, memory_drive_y, memory_speed, memory_size };

constexpr double flattest = 0.05;  // cosine of camber; a wheel that lies flatter has no direction to roll in

/// A rate r = centre . c' + axis . a' + spoke . s' + angle phi' of the wheel; times a force it is what that does.
struct Row {
  Vector centre = Vector::Zero(), axis = Vector::Zero(), spoke = Vector::Zero();
  double angle = 0.0;
};

struct Pose {
  Vector axis, across, x, y;  ///< across = axis x spoke
  double camber_sine = 0.0, camber_cosine = 1.0;
  double loaded_radius = 0.0;
  double deflection = 0.0;
};

/// (1 - exp(-x)) / x.
double relaxed_part(double x) { return x < 1e-8 ? 1.0 : -std::expm1(-x) / x; }

/// One direction of transient slip.
struct Slip {
  double drive = 0.0;       ///< m/s
  double deflection = 0.0;  ///< m
  double slip = 0.0;        ///< deflection over relaxation length, with the damping of standstill
  double per_drive = 0.0;   ///< d slip / d drive, s/m
};

class Tyre final : public Force {
 public:
  Tyre(const Wheel& wheel, const Plane& road, const TyreLaw& law)
      : attachment_({wheel.centre, wheel.axis, wheel.spoke, wheel.angle}),
        base_(road.point.data()),
        normal_(road.normal.data()),
        law_(law) {
    columns_ = attachment_.columns();
    row_.resize(columns_.size());
  }

  void add(const Instant& now, double* Q) const override {
    if (law_.gyroscopic_inertia > 0.0) add_gyroscopic_moment(now, Q);
    const Load load = evaluate(now);
    if (load.normal == 0.0) return;
    add_force(load.normal, normal_row(load.pose), Q);
    add_force(load.longitudinal, shear_row(load.pose, load.pose.x), Q);
    add_force(load.lateral, shear_row(load.pose, load.pose.y), Q);
    add_force(load.rolling_moment, moment_row(load.pose, load.pose.axis), Q);
    add_force(load.aligning_moment, moment_row(load.pose, normal_), Q);
  }

  bool is_local() const override { return true; }
  bool has_tangent() const override { return true; }
  void tangent(const Instant& now, double stiffness, double damping, double* block) const override {
    std::fill_n(block, columns_.size() * columns_.size(), 0.0);
    const Load load = evaluate(now);
    if (load.normal == 0.0) return;
    add_along(normal_row(load.pose), stiffness * law_.stiffness + damping * law_.damping, block);
    add_along(shear_row(load.pose, load.pose.x), damping * load.longitudinal_damping, block);
    add_along(shear_row(load.pose, load.pose.y), damping * load.lateral_damping, block);
    add_along(moment_row(load.pose, load.pose.axis), damping * load.rolling_damping, block);
  }

  double energy(const Instant& now) const override {
    const double deflection = std::max(look(now).deflection, 0.0);
    return 0.5 * law_.stiffness * deflection * deflection;
  }

  int memory() const override { return memory_size; }
  void start(const Instant& now, double* memory) const override {
    const Pose pose = look(now);
    remember(pose, now, memory);
    memory[memory_deflection_x] = memory[memory_deflection_y] = 0.0;
  }
  void accept(const Instant& now, double* memory) const noexcept override {
    const Load load = evaluate(now);
    remember(load.pose, now, memory);
    memory[memory_deflection_x] = load.normal > 0.0 ? load.slip_x.deflection : 0.0;
    memory[memory_deflection_y] = load.normal > 0.0 ? load.slip_y.deflection : 0.0;
  }

  std::vector<std::string> value_names() const override {
    return {"longitudinal_force", "lateral_force", "normal_force", "longitudinal_slip", "slip_angle", "deflection"};
  }
  void values(const Instant& now, double* out) const override {
    const Load load = evaluate(now);
    out[0] = load.longitudinal;
    out[1] = load.lateral;
    out[2] = load.normal;
    out[3] = load.slip_x.slip;
    out[4] = std::atan(load.slip_y.slip);
    out[5] = std::max(load.pose.deflection, 0.0);
  }

 private:
  struct Load {
    Pose pose;
    Slip slip_x, slip_y;
    double normal = 0.0, longitudinal = 0.0, lateral = 0.0;    ///< N
    double rolling_moment = 0.0, aligning_moment = 0.0;        ///< about the spin axis and the road's normal, N m
    double longitudinal_damping = 0.0, lateral_damping = 0.0;  ///< N s/m
    double rolling_damping = 0.0;                              ///< N m s/rad
  };

  Load evaluate(const Instant& now) const {
    Load load;
    load.pose = look(now);
    load.normal = normal_force(load.pose, now);
    if (load.normal == 0.0) return load;
    const double speed = load.pose.x.dot(attachment_.rate(wheel_centre, now.v));
    find_slip(load, std::abs(speed), now);
    find_shear(load);
    find_moments(load, speed, now);
    return load;
  }

  Pose look(const Instant& now) const {
    Pose pose;
    pose.axis = attachment_.at(wheel_axis, now.q);
    pose.across = pose.axis.cross(attachment_.at(wheel_spoke, now.q));
    pose.camber_sine = pose.axis.dot(normal_);
    pose.camber_cosine = std::sqrt(std::max(1.0 - pose.camber_sine * pose.camber_sine, flattest * flattest));
    pose.x = pose.axis.cross(normal_) / pose.camber_cosine;
    pose.y = normal_.cross(pose.x);
    const double height = normal_.dot(attachment_.at(wheel_centre, now.q) - base_);
    pose.loaded_radius = height / pose.camber_cosine;
    pose.deflection = law_.radius * pose.camber_cosine - height;
    return pose;
  }

  /// Minus the rate of the deflection.
  Row normal_row(const Pose& pose) const {
    return {.centre = normal_, .axis = law_.radius * pose.camber_sine / pose.camber_cosine * normal_};
  }
  /// Velocity along `direction` of the wheel's point that is on the road: along the plane of the wheel below its
  /// centre.
  Row shear_row(const Pose& pose, const Vector& direction) const {
    const Vector down = (pose.camber_sine * pose.axis - normal_) / pose.camber_cosine;
    Row row = moment_row(pose, pose.loaded_radius * down.cross(direction));
    row.centre = direction;
    return row;
  }
  /// moment . (angular velocity), with angular velocity = a x a' + ((a x s) . s' + phi') a.
  Row moment_row(const Pose& pose, const Vector& moment) const {
    const double spin = moment.dot(pose.axis);
    return {.axis = moment.cross(pose.axis), .spoke = spin * pose.across, .angle = spin};
  }

  double rate(const Row& row, const Instant& now) const {
    return row.centre.dot(attachment_.rate(wheel_centre, now.v)) + row.axis.dot(attachment_.rate(wheel_axis, now.v)) +
           row.spoke.dot(attachment_.rate(wheel_spoke, now.v)) + row.angle * attachment_.rate(wheel_angle, now.v).x();
  }
  void add_force(double force, const Row& row, double* Q) const {
    attachment_.add_force(wheel_centre, force * row.centre, Q);
    attachment_.add_force(wheel_axis, force * row.axis, Q);
    attachment_.add_force(wheel_spoke, force * row.spoke, Q);
    attachment_.add_force(wheel_angle, Vector(force * row.angle, 0.0, 0.0), Q);
  }
  void add_along(const Row& row, double factor, double* block) const {
    std::fill(row_.begin(), row_.end(), 0.0);
    attachment_.add_to_row(wheel_centre, row.centre, row_.data());
    attachment_.add_to_row(wheel_axis, row.axis, row_.data());
    attachment_.add_to_row(wheel_spoke, row.spoke, row_.data());
    attachment_.add_to_row(wheel_angle, Vector(row.angle, 0.0, 0.0), row_.data());
    add_square(row_, factor, block);
  }

  /// The spin J Omega a changes with its axis: the carrier feels the moment -J Omega a', which does no work.
  void add_gyroscopic_moment(const Instant& now, double* Q) const {
    const Vector axis = attachment_.at(wheel_axis, now.q), rate = attachment_.rate(wheel_axis, now.v);
    const Vector across = axis.cross(attachment_.at(wheel_spoke, now.q));
    const double spin = across.dot(attachment_.rate(wheel_spoke, now.v)) + attachment_.rate(wheel_angle, now.v).x();
    attachment_.add_force(wheel_axis, law_.gyroscopic_inertia * spin * axis.cross(rate), Q);
  }

  double normal_force(const Pose& pose, const Instant& now) const {
    if (pose.deflection <= 0.0) return 0.0;
    return std::max(0.0, law_.stiffness * pose.deflection - law_.damping * rate(normal_row(pose), now));
  }

  double drive_x(const Pose& pose, const Instant& now) const { return -rate(shear_row(pose, pose.x), now); }
  // A wheel that leans to the left is as good as one that slips to the right.
  double drive_y(const Pose& pose, double speed, const Instant& now) const {
    return -rate(shear_row(pose, pose.y), now) -
           speed * law_.camber_slip * std::asin(std::clamp(pose.camber_sine, -1.0, 1.0));
  }

  void remember(const Pose& pose, const Instant& now, double* memory) const {
    memory[memory_speed] = std::abs(pose.x.dot(attachment_.rate(wheel_centre, now.v)));
    memory[memory_drive_x] = drive_x(pose, now);
    memory[memory_drive_y] = drive_y(pose, memory[memory_speed], now);
  }

  double friction(const MagicFormula& formula, double load) const {
    return formula.mu * std::max(0.0, 1.0 - law_.load_sensitivity * (load / law_.nominal_load - 1.0));
  }

  void find_slip(Load& load, double speed, const Instant& now) const {
    const double* memory = now.memory + memory_start;
    const double mean_speed = 0.5 * (memory[memory_speed] + speed), time = now.t - now.step_start;
    const double fade = std::exp(-(speed / law_.standstill_speed) * (speed / law_.standstill_speed));
    load.slip_x.drive = drive_x(load.pose, now);
    load.slip_y.drive = drive_y(load.pose, speed, now);
    relax(load.slip_x, memory[memory_deflection_x], memory[memory_drive_x], mean_speed * time, time,
          law_.longitudinal_relaxation);
    relax(load.slip_y, memory[memory_deflection_y], memory[memory_drive_y], mean_speed * time, time,
          law_.lateral_relaxation);
    damp(load.slip_x, fade, law_.longitudinal, load.normal);
    damp(load.slip_y, fade, law_.lateral, load.normal);
  }

  void relax(Slip& slip, double deflection, double drive, double way, double time, double length) const {
    const double part = relaxed_part(way / length), largest = law_.largest_slip * length;
    const double wanted = deflection * std::exp(-way / length) + 0.5 * (drive + slip.drive) * time * part;
    slip.deflection = std::clamp(wanted, -largest, largest);
    slip.slip = slip.deflection / length;
    slip.per_drive = wanted == slip.deflection ? 0.5 * time * part / length : 0.0;
  }

  // Damping of standstill as more slip, so that friction bounds it.
  void damp(Slip& slip, double fade, const MagicFormula& formula, double load) const {
    const double slip_stiffness = formula.B * formula.C * friction(formula, load) * load;
    if (law_.standstill_damping == 0.0 || slip_stiffness == 0.0) return;
    const double per_drive = law_.standstill_damping * fade / slip_stiffness;
    const double wanted = per_drive * slip.drive;
    const double more = std::clamp(wanted, -law_.largest_slip, law_.largest_slip);
    slip.slip += more;
    if (wanted == more) slip.per_drive += per_drive;
  }

  // Similarity: each slip in units in which its curve begins with slope 1; the curves are taken at the length of the
  // two together, and the force is shared in proportion to them.
  void find_shear(Load& load) const {
    const MagicFormula &fx = law_.longitudinal, &fy = law_.lateral;
    const double angle = std::atan(load.slip_y.slip), angle_slope = 1.0 / (1.0 + load.slip_y.slip * load.slip_y.slip);
    const double sx = fx.B * fx.C * load.slip_x.slip, sy = fy.B * fy.C * angle;
    const double together = std::hypot(sx, sy);
    const Share x = share(fx, sx, together), y = share(fy, sy, together);
    const double largest_x = friction(fx, load.normal) * load.normal,
                 largest_y = friction(fy, load.normal) * load.normal;
    load.longitudinal = largest_x * x.force;
    load.lateral = largest_y * y.force;
    load.longitudinal_damping = largest_x * std::max(x.slope, 0.0) * fx.B * fx.C * load.slip_x.per_drive;
    load.lateral_damping = largest_y * std::max(y.slope, 0.0) * fy.B * fy.C * angle_slope * load.slip_y.per_drive;
  }

  struct Share {
    double force = 0.0, slope = 1.0;  ///< over the largest force; its derivative with s
  };
  static Share share(const MagicFormula& formula, double s, double together) {
    if (together < 1e-12) return {s, 1.0};
    const double slip = together / (formula.B * formula.C), part = s / together;
    const double level = formula.at(slip) / together;
    const double steep = formula.slope(slip) / (formula.B * formula.C);
    return {s * level, level + (steep - level) * part * part};
  }

  void find_moments(Load& load, double speed, const Instant& now) const {
    const double radius = load.pose.loaded_radius, angle = std::atan(load.slip_y.slip);
    const double rolling = rate(moment_row(load.pose, load.pose.axis), now) * radius;
    const double saturation = std::tanh(rolling / law_.rolling_speed);
    const double largest = law_.rolling_resistance * load.normal * radius;
    load.rolling_moment = -largest * saturation;
    load.rolling_damping = largest * (1.0 - saturation * saturation) * std::abs(radius) / law_.rolling_speed;
    const double trail =
        law_.trail * std::cos(std::atan(law_.trail_fall * angle)) * std::tanh(speed / law_.rolling_speed);
    load.aligning_moment = -trail * load.lateral;
  }

  Attachment attachment_;
  Vector base_, normal_;
  TyreLaw law_;
  mutable std::vector<double> row_;  // scratch
};

void check(const TyreLaw& law) {
  const std::pair<const char*, double> positive[] = {
      {"radius", law.radius},
      {"longitudinal_relaxation", law.longitudinal_relaxation},
      {"lateral_relaxation", law.lateral_relaxation},
      {"longitudinal.B", law.longitudinal.B},
      {"longitudinal.C", law.longitudinal.C},
      {"lateral.B", law.lateral.B},
      {"lateral.C", law.lateral.C},
      {"nominal_load", law.nominal_load},
      {"rolling_speed", law.rolling_speed},
      {"standstill_speed", law.standstill_speed},
      {"largest_slip", law.largest_slip},
  };
  std::string problems;
  for (const auto& [name, value] : positive) {
    if (!(value > 0.0)) problems += text("\n  %s: %g; it must be positive", name, value);
  }
  if (!(law.gyroscopic_inertia >= 0.0)) {
    problems += text("\n  gyroscopic_inertia: %g; it must not be negative", law.gyroscopic_inertia);
  }
  if (!problems.empty()) throw UserError("tyre:" + problems);
}

}  // namespace

ForcePointer make_tyre(const Wheel& wheel, const Plane& road, const TyreLaw& law) {
  if (wheel.centre.dimension != 3) throw UserError("tyre: the wheel lies in a plane model; expected a model in space");
  check(law);
  return std::make_shared<Tyre>(wheel, checked("tyre: road", road, 3), law);
}

}  // namespace counterpoint::multibody
