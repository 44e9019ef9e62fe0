// Contact of a point with a plane: K. H. Hunt, F. R. E. Crossley, "Coefficient of restitution interpreted as damping in
// vibroimpact", J. Applied Mechanics 42 (1975) 440-445. Normal force N = k d^n (1 + c d'), never pulling; friction
// mu N tanh(slip / v0) against the slip.
#include "multibody/contact.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "multibody/attachment.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

namespace {

constexpr double part_of_secant = 0.65;  // found by trial: both more and less fail more often

Vector any_perpendicular(const Vector& normal, int dimension) {
  if (dimension == 2) return {-normal.y(), normal.x(), 0.0};
  return normal.unitOrthogonal();
}

/// tanh(x) / x.
double saturation_ratio(double x) { return std::abs(x) < 1e-4 ? 1.0 : std::tanh(x) / x; }

class Contact final : public Force {
 public:
  Contact(Combination point, const Plane& plane, const ContactLaw& law)
      : attachment_({std::move(point)}), base_(plane.point.data()), normal_(plane.normal.data()), law_(law) {
    if (attachment_.dimension() == 2) base_.z() = normal_.z() = 0.0;
    columns_ = attachment_.columns();
    row_.resize(columns_.size());
  }

  void add(const Instant& now, double* Q) const override {
    const Touch touch = look(now);
    if (touch.force == 0.0) return;
    attachment_.add_force(0, touch.force * normal_ - friction_per_speed(touch) * touch.slip, Q);
  }

  bool is_local() const override { return true; }
  bool has_tangent() const override { return true; }
  void tangent(const Instant& now, double stiffness, double damping, double* block) const override {
    std::fill_n(block, columns_.size() * columns_.size(), 0.0);
    const Touch touch = look(now);
    if (touch.force == 0.0) return;
    const double spring = touch.elastic * law_.exponent / touch.depth * (1.0 + law_.damping * touch.depth_rate);
    add_along(normal_, stiffness * spring + damping * touch.elastic * law_.damping, block);
    add_friction_tangent(touch, damping, block);
  }

  double energy(const Instant& now) const override {
    const Touch touch = look(now);
    return touch.depth > 0.0 ? touch.elastic * touch.depth / (law_.exponent + 1.0) : 0.0;
  }

  std::vector<std::string> value_names() const override { return {"normal_force", "penetration", "friction_force"}; }
  void values(const Instant& now, double* out) const override {
    const Touch touch = look(now);
    out[0] = touch.force;
    out[1] = std::max(touch.depth, 0.0);
    out[2] = friction_per_speed(touch) * touch.slip.norm();
  }

 private:
  struct Touch {
    double depth = 0.0;       ///< d, m; negative: a gap
    double depth_rate = 0.0;  ///< m/s
    double elastic = 0.0;     ///< k d^n, N
    double force = 0.0;       ///< N
    Vector slip;              ///< velocity along the plane, m/s
  };

  Touch look(const Instant& now) const {
    Touch touch;
    const Vector velocity = attachment_.rate(0, now.v);
    touch.depth = law_.radius - normal_.dot(attachment_.at(0, now.q) - base_);
    touch.depth_rate = -normal_.dot(velocity);
    touch.slip = velocity + touch.depth_rate * normal_;
    if (touch.depth <= 0.0) return touch;
    touch.elastic = law_.stiffness * std::pow(touch.depth, law_.exponent);
    touch.force = std::max(0.0, touch.elastic * (1.0 + law_.damping * touch.depth_rate));
    return touch;
  }

  double friction_per_speed(const Touch& touch) const {
    return law_.friction * touch.force / law_.friction_speed *
           saturation_ratio(touch.slip.norm() / law_.friction_speed);
  }

  // Across the slip the friction that turns with it, along the slip its growth. How friction grows with the normal
  // force is not symmetric and left out.
  void add_friction_tangent(const Touch& touch, double damping, double* block) const {
    if (law_.friction == 0.0) return;
    const double speed = touch.slip.norm(), secant = friction_per_speed(touch);
    const Vector along = speed > 0.0 ? Vector(touch.slip / speed) : any_perpendicular(normal_, attachment_.dimension());
    add_along(along, damping * friction_slope(speed, secant), block);
    if (attachment_.dimension() == 3) add_along(normal_.cross(along), damping * secant, block);
  }

  // The derivative of tanh near rest. Farther out it vanishes, and Newton's method would jump across rest for good
  // where the body comes to rest within the step; a part of the secant keeps it from that.
  double friction_slope(double speed, double secant) const {
    const double saturation = std::tanh(speed / law_.friction_speed);
    const double slope = secant * (1.0 - saturation * saturation) / saturation_ratio(speed / law_.friction_speed);
    return speed < law_.friction_speed ? slope : std::max(slope, part_of_secant * secant);
  }

  void add_along(const Vector& direction, double factor, double* block) const {
    std::fill(row_.begin(), row_.end(), 0.0);
    attachment_.add_to_row(0, direction, row_.data());
    add_square(row_, factor, block);
  }

  Attachment attachment_;
  Vector base_, normal_;
  ContactLaw law_;
  mutable std::vector<double> row_;  // scratch
};

}  // namespace

ForcePointer make_contact(Combination point, const Plane& plane, const ContactLaw& law) {
  if (!(law.friction_speed > 0.0)) {
    throw UserError(text("contact: friction_speed: %g m/s; it must be positive", law.friction_speed));
  }
  const Plane good = checked("contact", plane, point.dimension);
  return std::make_shared<Contact>(std::move(point), good, law);
}

}  // namespace counterpoint::multibody
