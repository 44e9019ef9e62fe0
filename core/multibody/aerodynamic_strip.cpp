// Blade element: lift across and drag along the relative wind in the plane of chord and normal, from a table over the
// angle of attack; M. O. L. Hansen, "Aerodynamics of Wind Turbines", 3rd ed. 2015, chapters 2 and 6. Quasi-steady, no
// induction: the wind given is the wind at the strip.
#include "multibody/aerodynamic_strip.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "multibody/attachment.hpp"

namespace counterpoint::multibody {

namespace {

enum StripHold { section_point, section_chord, section_normal };

class AerodynamicStrip final : public Force {
 public:
  AerodynamicStrip(const Section& section, const StripLaw& law)
      : attachment_({section.point, section.chord, section.normal}), law_(law) {
    columns_ = attachment_.columns();
    row_.resize(columns_.size());
  }

  void add(const Instant& now, double* Q) const override {
    const Flow flow = look(now);
    attachment_.add_force(section_point, flow.lift * flow.across + flow.drag * flow.along, Q);
    // Nose up turns the chord away from the normal.
    attachment_.add_force(section_chord, -0.5 * flow.moment * flow.normal, Q);
    attachment_.add_force(section_normal, 0.5 * flow.moment * flow.chord, Q);
  }

  bool is_local() const override { return true; }
  bool has_tangent() const override { return true; }
  // What each component does against itself; how lift and drag mix is left out, and so is the negative damping of
  // stall.
  void tangent(const Instant& now, double /*stiffness*/, double damping, double* block) const override {
    std::fill_n(block, columns_.size() * columns_.size(), 0.0);
    const Flow flow = look(now);
    if (flow.speed == 0.0) return;
    add_along(flow.along, damping * 2.0 * flow.drag / flow.speed, block);
    add_along(flow.across, damping * std::max(0.0, flow.lift_per_angle + flow.drag) / flow.speed, block);
  }

  std::vector<std::string> value_names() const override { return {"angle_of_attack", "lift", "drag", "moment"}; }
  void values(const Instant& now, double* out) const override {
    const Flow flow = look(now);
    out[0] = flow.angle;
    out[1] = flow.lift;
    out[2] = flow.drag;
    out[3] = flow.moment;
  }

 private:
  struct Flow {
    Vector chord, normal;                                    ///< of the section
    Vector along = Vector::Zero(), across = Vector::Zero();  ///< unit vectors of drag and lift
    double speed = 0.0, angle = 0.0;                         ///< m/s, rad
    double lift = 0.0, drag = 0.0, moment = 0.0;             ///< N, N, N m
    double lift_per_angle = 0.0;                             ///< N/rad
  };

  Flow look(const Instant& now) const {
    Flow flow;
    flow.chord = attachment_.at(section_chord, now.q);
    flow.normal = attachment_.at(section_normal, now.q);
    const Vector relative = wind(now) - attachment_.rate(section_point, now.v);
    const double backward = relative.dot(flow.chord), upward = relative.dot(flow.normal);
    flow.speed = std::hypot(backward, upward);
    if (flow.speed == 0.0) return flow;
    flow.angle = std::atan2(upward, backward);
    flow.along = (backward * flow.chord + upward * flow.normal) / flow.speed;
    flow.across = (backward * flow.normal - upward * flow.chord) / flow.speed;
    const Polar::Value polar = law_.polar->at(flow.angle);
    const double pressure_area = 0.5 * law_.density * flow.speed * flow.speed * law_.chord * law_.span;
    flow.lift = pressure_area * polar.lift;
    flow.drag = pressure_area * polar.drag;
    flow.moment = pressure_area * polar.moment * law_.chord;
    flow.lift_per_angle = pressure_area * polar.lift_slope;
    return flow;
  }

  Vector wind(const Instant& now) const {
    const double height = attachment_.at(section_point, now.q)[attachment_.dimension() - 1];
    return wind_profile(law_.wind, height) * reference_wind(law_.wind, now, attachment_.dimension());
  }

  void add_along(const Vector& direction, double factor, double* block) const {
    std::fill(row_.begin(), row_.end(), 0.0);
    attachment_.add_to_row(section_point, direction, row_.data());
    add_square(row_, factor, block);
  }

  Attachment attachment_;
  StripLaw law_;
  mutable std::vector<double> row_;  // scratch
};

}  // namespace

ForcePointer make_aerodynamic_strip(const Section& section, const StripLaw& law) {
  if (!law.polar) throw UserError("aerodynamic strip: no polar");
  check_polar("aerodynamic strip", *law.polar);
  return std::make_shared<AerodynamicStrip>(section, law);
}

}  // namespace counterpoint::multibody
