// Blade elements on bodies of a mechanism, M. O. L. Hansen, "Aerodynamics of Wind Turbines", 3rd ed. 2015, chapters 6
// and 9; the inflow is a disc's or that of annuli.
#include "multibody/rotor_aerodynamics.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "check.hpp"
#include "multibody/attachment.hpp"
#include "multibody/disc_inflow.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

namespace {

using std::numbers::pi;
constexpr double sector = pi / 3.0;      // half of it, rad
constexpr double coupling = 0.6;         // of the two filters of the wake (Oeye)
constexpr double deep_stall = pi / 4.0;  // beyond, polars are steady
constexpr int settling_steps = 80;       // of the inflow of a disc at the start
constexpr double settling_share = 0.1;   // of radius over velocity: such a step
enum BladeHold { at_point, at_chord, at_normal };
enum DiscMemory { disc_mean, disc_gradient, disc_memory = 4 };
/// Per section: induced velocities in use; those after the second and first filter; quasi-steady ones. Axial against
/// the thrust, tangential against the rotation.
enum AnnulusMemory { used = 0, filtered = 2, between = 4, quasi_steady = 6, annulus_memory = 8 };

class RotorAerodynamics final : public Force {
 public:
  RotorAerodynamics(const RotorLaw& law, const std::vector<BladeSection>& sections)
      : law_(law), hub_({law.centre, law.axis}), sections_(sections) {
    for (const BladeSection& s : sections_) {
      attachments_.emplace_back(std::vector<Combination>{s.place.point, s.place.chord, s.place.normal});
      widest_ = std::max(widest_, attachments_.back().columns().size());
    }
    for (std::size_t k = 0; k < law_.polars.size(); ++k) {
      stall_.emplace_back(law_.polars[k], law_.stall.empty() ? StallLaw{} : law_.stall[k]);
    }
    row_.resize(widest_);
  }

  std::vector<std::vector<int>> blocks() const override {
    std::vector<std::vector<int>> all;
    for (const Attachment& attachment : attachments_) all.push_back(attachment.columns());
    return all;
  }

  void add(const Instant& now, double* Q) const override {
    const Hub hub = look_at_hub(now);
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      const Flow flow = look(now, hub, k);
      attachments_[k].add_force(at_point, flow.force, Q);
      if (flow.moment == 0.0) continue;
      attachments_[k].add_force(at_chord, -0.5 * flow.moment * flow.normal, Q);
      attachments_[k].add_force(at_normal, 0.5 * flow.moment * flow.chord, Q);
    }
  }

  bool has_tangent() const override { return true; }
  // As of a strip: what drag and lift do against themselves, without the negative damping of stall.
  void tangent(const Instant& now, double /*stiffness*/, double damping, double* block) const override {
    const Hub hub = look_at_hub(now);
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      const std::size_t width = attachments_[k].columns().size();
      std::fill_n(block, width * width, 0.0);
      const Flow flow = look(now, hub, k);
      if (flow.speed > 0.0) {
        add_along(k, flow.along, damping * 2.0 * flow.drag / flow.speed, block);
        add_along(k, flow.across, damping * std::max(0.0, flow.lift_per_angle + flow.drag) / flow.speed, block);
      }
      block += width * width;
    }
  }

  int memory() const override {
    return disc_memory + static_cast<int>(sections_.size()) * (annulus_memory + int{DynamicStall::states});
  }

  void start(const Instant& given, double* memory) const override {
    std::fill_n(memory, this->memory(), 0.0);
    Instant now = given;
    now.memory = memory - memory_start;
    now.step_start = now.t;
    settle_stall(now, memory);
    for (int n = 0; n < settling_steps; ++n) {
      advance_inflow(now, settling_step(now), memory);
      if (law_.inflow == Inflow::none || law_.inflow == Inflow::momentum) break;
    }
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      double* m = memory + annulus_place(k);
      for (int d = 0; d < 2; ++d) m[filtered + d] = m[between + d] = m[quasi_steady + d];
    }
    if (law_.inflow == Inflow::momentum) advance_inflow(now, 0.0, memory);
    settle_stall(now, memory);
  }

  void accept(const Instant& given, double* memory) const noexcept override {
    const double h = given.t - given.step_start;
    if (h <= 0.0) return;
    advance_stall(given, memory);
    Instant now = given;
    now.memory = memory - memory_start;
    now.step_start = given.t;
    advance_inflow(now, h, memory);
  }

  std::vector<std::string> value_names() const override {
    std::vector<std::string> names{"thrust", "torque", "power", "inflow"};
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      for (const char* label : {"angle_of_attack", "normal_force", "tangential_force", "induced"}) {
        names.push_back("section_" + std::to_string(k) + "_" + label);
      }
    }
    return names;
  }
  /// Sums over the rotor (torque drives it), then angle, forces per length out of and in the plane, axial induced
  /// velocity of each section.
  void values(const Instant& now, double* out) const override {
    const Hub hub = look_at_hub(now);
    std::fill_n(out, 4, 0.0);
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      const Flow flow = look(now, hub, k);
      const Vector torque = (flow.point - hub.centre).cross(flow.force);
      out[0] += flow.force.dot(hub.axis);
      out[1] += torque.dot(hub.axis);
      out[2] += flow.force.dot(attachments_[k].rate(at_point, now.v) - hub.velocity);
      out[3] += flow.induced / static_cast<double>(sections_.size());
      out[4 + 4 * k] = flow.angle;
      out[5 + 4 * k] = flow.force.dot(flow.out_of_plane) / sections_[k].span;
      out[6 + 4 * k] = -flow.force.dot(flow.against) / sections_[k].span;
      out[7 + 4 * k] = flow.induced;
    }
  }

 private:
  struct Hub {
    Vector centre, velocity, axis, wind;  ///< wind at the reference height
  };
  struct Flow {
    Vector point, chord, normal;
    Vector out_of_plane, against;  ///< across the blade: out of the rotor plane, against the rotation
    Vector free;                   ///< relative wind without induction, m/s
    Vector along = Vector::Zero(), across = Vector::Zero(), force = Vector::Zero();
    double speed = 0.0, angle = 0.0, moment = 0.0, drag = 0.0, lift_per_angle = 0.0;
    double induced = 0.0;  ///< axial, m/s
  };

  int annulus_place(std::size_t k) const { return disc_memory + static_cast<int>(k) * annulus_memory; }
  int stall_place(std::size_t k) const {
    return disc_memory + static_cast<int>(sections_.size()) * annulus_memory +
           static_cast<int>(k) * DynamicStall::states;
  }
  const double* memory_of(const Instant& now) const { return now.memory + memory_start; }

  Hub look_at_hub(const Instant& now) const {
    return {hub_.at(0, now.q), hub_.rate(0, now.v), hub_.at(1, now.q).normalized(), reference_wind(law_.wind, now, 3)};
  }

  Vector wind_at(const Hub& hub, const Vector& place) const {
    return left_by_tower(law_.tower, place, hub.wind) * wind_profile(law_.wind, place[2]) * hub.wind;
  }

  /// Wind that a place of the disc meets: its mean over a sector, in the wake of the tower where the place itself is.
  Vector wind_met(const Hub& hub, const Vector& place) const {
    const int points = law_.wake.sector_points;
    if (points == 1) return wind_at(hub, place);
    double profile = 0.0;
    for (int n = 0; n < points; ++n) {
      const double turn = sector * (2.0 * n / (points - 1) - 1.0);
      const Vector there = hub.centre + Eigen::AngleAxisd(turn, hub.axis) * Vector(place - hub.centre);
      profile += wind_profile(law_.wind, there[2]) / points;
    }
    return left_by_tower(law_.tower, place, hub.wind) * profile * hub.wind;
  }

  /// Where a section is and the wind it meets without induction.
  Flow place(const Instant& now, const Hub& hub, std::size_t k) const {
    Flow flow;
    const Attachment& attachment = attachments_[k];
    flow.point = attachment.at(at_point, now.q);
    flow.chord = attachment.at(at_chord, now.q);
    flow.normal = attachment.at(at_normal, now.q);
    const Vector span = flow.chord.cross(flow.normal);
    flow.out_of_plane = (hub.axis - hub.axis.dot(span) * span).normalized();
    flow.against = flow.out_of_plane.cross(span);
    flow.free = wind_met(hub, flow.point) - attachment.rate(at_point, now.v);
    return flow;
  }

  Vector induced_velocity(const Instant& now, const Hub& hub, std::size_t k, const Flow& flow) const {
    const double* memory = memory_of(now);
    if (law_.inflow == Inflow::none) return Vector::Zero();
    if (law_.inflow == Inflow::momentum) {
      const double* m = memory + annulus_place(k) + used;
      return -m[0] * flow.out_of_plane + m[1] * flow.against;
    }
    const DiscInflow disc = disc_of(memory);
    return -(disc.mean + disc.gradient.dot(flow.point - hub.centre)) * hub.axis;
  }

  Flow look(const Instant& now, const Hub& hub, std::size_t k) const {
    Flow flow = place(now, hub, k);
    const Vector induced = induced_velocity(now, hub, k, flow);
    flow.induced = -induced.dot(flow.out_of_plane);
    const Vector relative = flow.free + induced;
    const double backward = relative.dot(flow.chord), upward = relative.dot(flow.normal);
    flow.speed = std::hypot(backward, upward);
    if (flow.speed == 0.0) return flow;
    flow.angle = std::atan2(upward, backward);
    flow.along = (backward * flow.chord + upward * flow.normal) / flow.speed;
    flow.across = (backward * flow.normal - upward * flow.chord) / flow.speed;
    const BladeSection& section = sections_[k];
    const double pressure = 0.5 * law_.density * flow.speed * flow.speed * section.chord * section.span;
    const Polar::Value steady = law_.polars[section.polar].at(flow.angle);
    double lift = steady.lift, drag = steady.drag;
    if (is_dynamic(k, flow.angle)) {
      double state[DynamicStall::states];
      advanced_stall(now, k, flow, state);
      const DynamicStall::Value value = stall_[section.polar].at(flow.angle, flow.speed, state);
      lift = value.lift;
      drag = value.drag;
    }
    flow.drag = pressure * drag;
    flow.force = pressure * (lift * flow.across + drag * flow.along);
    flow.moment = pressure * section.chord * steady.moment;
    flow.lift_per_angle = pressure * steady.lift_slope;
    return flow;
  }

  bool is_dynamic(std::size_t k, double angle) const {
    return stall_[sections_[k].polar].on() && std::abs(angle) < deep_stall;
  }

  /// States of dynamic stall at this instant.
  void advanced_stall(const Instant& now, std::size_t k, const Flow& flow, double* state) const {
    const BladeSection& section = sections_[k];
    stall_[section.polar].advance(flow.angle, flow.speed, section.chord, now.t - now.step_start,
                                  memory_of(now) + stall_place(k), state);
  }

  void advance_stall(const Instant& now, double* memory) const noexcept {
    if (law_.stall.empty()) return;
    const Hub hub = look_at_hub(now);
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      if (!stall_[sections_[k].polar].on()) continue;
      const Flow flow = look(now, hub, k);
      double state[DynamicStall::states];
      if (is_dynamic(k, flow.angle)) {
        advanced_stall(now, k, flow, state);
      } else {
        stall_[sections_[k].polar].settle(flow.angle, flow.speed, state);
      }
      std::copy_n(state, DynamicStall::states, memory + stall_place(k));
    }
  }

  void settle_stall(const Instant& now, double* memory) const {
    if (law_.stall.empty()) return;
    const Hub hub = look_at_hub(now);
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      if (!stall_[sections_[k].polar].on()) continue;
      const Flow flow = look(now, hub, k);
      stall_[sections_[k].polar].settle(flow.angle, flow.speed, memory + stall_place(k));
    }
  }

  // ---- inflow

  static DiscInflow disc_of(const double* memory) {
    return {memory[disc_mean], Vector(memory[disc_gradient], memory[disc_gradient + 1], memory[disc_gradient + 2])};
  }

  void advance_inflow(const Instant& now, double h, double* memory) const {
    if (law_.inflow == Inflow::none) return;
    if (law_.inflow == Inflow::momentum) return advance_annuli(now, h, memory);
    const DiscLoad load = disc_load(now);
    const DiscInflow before = disc_of(memory);
    const DiscInflow next =
        law_.inflow == Inflow::uniform ? advance_uniform(before, load, h) : advance_pitt_peters(before, load, h);
    memory[disc_mean] = next.mean;
    for (int d = 0; d < 3; ++d) memory[disc_gradient + d] = next.gradient[d];
  }

  DiscLoad disc_load(const Instant& now) const {
    const Hub hub = look_at_hub(now);
    DiscLoad load;
    load.density = law_.density;
    load.radius = law_.radius;
    load.axis = hub.axis;
    load.wind = wind_profile(law_.wind, hub.centre[2]) * hub.wind - hub.velocity;
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      const Flow flow = look(now, hub, k);
      const double thrust = flow.force.dot(hub.axis);
      const Vector arm = flow.point - hub.centre;
      load.thrust += thrust;
      load.moment += thrust * (arm - arm.dot(hub.axis) * hub.axis);
    }
    return load;
  }

  /// A step that is short beside the lag of the inflow, s: the thrust of its start must not throw it too far.
  double settling_step(const Instant& now) const {
    if (law_.inflow == Inflow::none || law_.inflow == Inflow::momentum) return 0.0;
    const DiscLoad load = disc_load(now);
    const double hover = std::sqrt(std::abs(load.thrust) / (2.0 * pi * load.density * load.radius * load.radius));
    return settling_share * load.radius / std::max({hover, load.wind.norm(), 0.1});
  }

  void advance_annuli(const Instant& now, double h, double* memory) const {
    const Hub hub = look_at_hub(now);
    const Vector meeting = wind_profile(law_.wind, hub.centre[2]) * hub.wind - hub.velocity;
    const double axial = meeting.dot(hub.axis);
    const Vector in_plane = meeting - axial * hub.axis;
    const double skew = std::atan2(in_plane.norm(), std::abs(axial));
    for (std::size_t k = 0; k < sections_.size(); ++k) {
      const Flow flow = place(now, hub, k);
      double* m = memory + annulus_place(k);
      const Annulus annulus = annulus_of(k, flow);
      const MomentumTerms terms = momentum_terms(std::tan(skew));
      const Induction a = solve_annulus(annulus, law_.polars[sections_[k].polar], terms);
      filter({a.axial * annulus.axial, a.tangential * annulus.tangential}, h, sections_[k].radius / law_.radius, m);
      const double loss = law_.wake.skew_loss ? prandtl_loss(annulus, terms, inflow_angle(annulus, a)) : 1.0;
      const double share = 1.0 + loss * redistributed(annulus, m[filtered], skew, in_plane, flow.point - hub.centre);
      const double turning = (hub.velocity - attachments_[k].rate(at_point, now.v)).dot(flow.against);
      const double kept = wake_of(std::abs(turning) / sections_[k].radius * law_.radius, std::abs(axial));
      m[used] = kept * share * m[filtered];
      m[used + 1] = kept * m[filtered + 1];
    }
  }

  /// What is left of the induction: annuli of a rotor whose tip is not twice as fast as the wind have no wake of their
  /// own, and below the speed of the wind there is none (as in AeroDyn).
  static double wake_of(double tip_speed, double wind) {
    if (tip_speed >= 2.0 * wind) return 1.0;
    return tip_speed <= wind ? 0.0 : 0.5 - 0.5 * std::cos(pi * (tip_speed / wind - 1.0));
  }

  static double inflow_angle(const Annulus& annulus, const Induction& a) {
    return std::atan2(annulus.axial * (1.0 - a.axial), annulus.tangential * (1.0 + a.tangential));
  }

  MomentumTerms momentum_terms(double skew) const {
    const WakeLaw& w = law_.wake;
    return {.tip_loss = w.tip_loss,
            .hub_loss = w.hub_loss,
            .drag = w.drag,
            .tangential = true,
            .skew = w.skewed_flow ? skew : 0.0};
  }

  Annulus annulus_of(std::size_t k, const Flow& flow) const {
    Annulus annulus;
    annulus.radius = sections_[k].radius;
    annulus.tip_radius = law_.radius;
    annulus.hub_radius = law_.hub_radius;
    annulus.blades = law_.blades;
    annulus.chord = sections_[k].chord;
    annulus.twist = std::atan2(flow.chord.dot(flow.out_of_plane), flow.chord.dot(flow.against));
    annulus.axial = flow.free.dot(flow.out_of_plane);
    annulus.tangential = flow.free.dot(flow.against);
    return annulus;
  }

  /// Oeye's two filters, exact for induced velocities that change evenly over the step.
  void filter(const std::array<double, 2>& wanted, double h, double part, double* m) const {
    const double slow = law_.wake.time_constant, fast = (0.39 - 0.26 * part * part) * slow;
    for (int d = 0; d < 2; ++d) {
      const double before = m[quasi_steady + d];
      m[quasi_steady + d] = wanted[d];
      if (slow <= 0.0 || h <= 0.0) {
        if (slow <= 0.0) m[filtered + d] = m[between + d] = wanted[d];
        continue;
      }
      const double rate = (wanted[d] - before) / h, lead = coupling * slow * rate;
      const double middle = m[between + d];
      m[between + d] = relaxed(middle, before + lead, wanted[d] + lead, slow, h);
      m[filtered + d] = relaxed(m[filtered + d], middle, m[between + d], fast, h);
    }
  }

  /// y after h with  y + time y' = f,  f even from first to last.
  static double relaxed(double y, double first, double last, double time, double h) {
    const double lag = time * (last - first) / h;
    return last - lag + (y - first + lag) * std::exp(-h / time);
  }

  /// Share by which a blade downstream in a skewed wake is slowed down more (Glauert; Pitt and Peters).
  double redistributed(const Annulus& annulus, double induced, double skew, const Vector& in_plane,
                       const Vector& arm) const {
    const double size = in_plane.norm();
    if (law_.wake.skew_gradient == 0.0 || size < 1e-9 || std::abs(annulus.axial) < 1e-3) return 0.0;
    const double chi = std::min((0.6 * induced / annulus.axial + 1.0) * skew, 0.49 * pi);
    const double downstream = arm.dot(in_plane) / (size * law_.radius);
    return law_.wake.skew_gradient * std::tan(0.5 * chi) * downstream;
  }

  void add_along(std::size_t k, const Vector& direction, double factor, double* block) const {
    row_.assign(attachments_[k].columns().size(), 0.0);
    attachments_[k].add_to_row(at_point, direction, row_.data());
    add_square(row_, factor, block);
  }

  RotorLaw law_;
  Attachment hub_;
  std::vector<BladeSection> sections_;
  std::vector<Attachment> attachments_;
  std::vector<DynamicStall> stall_;
  std::size_t widest_ = 0;
  mutable std::vector<double> row_;  // scratch
};

}  // namespace

ForcePointer make_rotor_aerodynamics(const RotorLaw& law, const std::vector<BladeSection>& sections) {
  if (sections.empty()) throw UserError("rotor aerodynamics: no blade sections");
  if (!law.stall.empty() && law.stall.size() != law.polars.size())
    throw UserError(text("rotor aerodynamics: %zu laws of dynamic stall for %zu polars; expected one each or none",
                         law.stall.size(), law.polars.size()));
  if (law.blades < 1 || law.wake.sector_points < 1)
    throw UserError("rotor aerodynamics: blades and sector_points must be at least 1");
  for (const Polar& polar : law.polars) check_polar("rotor aerodynamics", polar);
  for (const BladeSection& s : sections) {
    if (s.polar < 0 || s.polar >= static_cast<int>(law.polars.size()))
      throw UserError(text("rotor aerodynamics: section with polar %d; there are %zu", s.polar, law.polars.size()));
    if (!(s.chord > 0.0 && s.span > 0.0 && s.radius > 0.0))
      throw UserError("rotor aerodynamics: chord, span and radius of a section must be above 0");
  }
  return std::make_shared<RotorAerodynamics>(law, sections);
}

}  // namespace counterpoint::multibody
