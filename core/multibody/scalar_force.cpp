// Springs, dampers, actuators and friction along a measure. Virtual work does the rest: Q = f ds/dq gives action and
// reaction on every coordinate the measure depends on.
#include <algorithm>
#include <cmath>

#include "multibody/force.hpp"

namespace counterpoint::multibody {

Curve::Value Curve::at(double position) const {
  if (x.empty()) return {};
  const auto value_between = [this](double p) {
    const auto upper = std::upper_bound(x.begin() + 1, x.end() - 1, p);
    const std::size_t k = static_cast<std::size_t>(upper - x.begin());
    const double slope = (y[k] - y[k - 1]) / (x[k] - x[k - 1]);
    return Value{y[k - 1] + slope * (p - x[k - 1]), slope, 0.0};
  };
  Value value = value_between(position);
  // Trapezoids between the breakpoints that lie between zero and the position: exact for straight pieces.
  const double from = std::min(0.0, position), to = std::max(0.0, position);
  double last = from, last_y = value_between(from).y, sum = 0.0;
  for (double breakpoint : x) {
    if (breakpoint <= from || breakpoint >= to) continue;
    const double here = value_between(breakpoint).y;
    sum += 0.5 * (last_y + here) * (breakpoint - last);
    last = breakpoint;
    last_y = here;
  }
  sum += 0.5 * (last_y + value_between(to).y) * (to - last);
  value.integral = position < 0.0 ? -sum : sum;
  return value;
}

namespace {

class ScalarForce final : public Force {
 public:
  ScalarForce(MeasurePointer measure, ScalarLaw law) : measure_(std::move(measure)), law_(std::move(law)) {
    columns_ = measure_->columns();
    gradient_.resize(columns_.size());
  }

  void add(const Instant& now, double* Q) const override {
    const Load load = evaluate(now);
    for (std::size_t k = 0; k < columns_.size(); ++k) Q[columns_[k]] += load.force * gradient_[k];
  }

  bool is_local() const override { return true; }
  bool has_tangent() const override { return true; }
  void tangent(const Instant& now, double stiffness, double damping, double* block) const override {
    const Load load = evaluate(now);
    const double factor = stiffness * load.stiffness + damping * load.damping;
    for (double row : gradient_) {
      for (double column : gradient_) *block++ = factor * row * column;
    }
  }

  bool add_change(const Instant& now, const double* dq, const double* dv, double* dQ) const override {
    const Load load = evaluate(now);
    std::vector<double> turn(columns_.size());
    measure_->gradient_change(now.q, dq, turn.data());
    double position = 0.0, rate = 0.0;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      position += gradient_[k] * dq[columns_[k]];
      rate += gradient_[k] * dv[columns_[k]] + turn[k] * now.v[columns_[k]];
    }
    // Not the tangent's damping: that is made for Newton's method where there is friction.
    const double damping = law_.damping + law_.damper.at(load.rate).slope + friction_slope(load.rate);
    const double change = -load.stiffness * position - damping * rate;
    for (std::size_t k = 0; k < columns_.size(); ++k) dQ[columns_[k]] += change * gradient_[k] + load.force * turn[k];
    return true;
  }

  double energy(const Instant& now) const override {
    const double stretch = measure_->unwrapped(measure_->value(now.q), now) - law_.natural;
    return 0.5 * law_.stiffness * stretch * stretch + law_.spring.at(stretch).integral;
  }

  std::vector<std::string> value_names() const override { return {"force", "position", "rate"}; }
  void values(const Instant& now, double* out) const override {
    const Load load = evaluate(now);
    out[0] = load.force;
    out[1] = load.position;
    out[2] = load.rate;
  }

 private:
  struct Load {
    double force = 0.0, stiffness = 0.0, damping = 0.0, position = 0.0, rate = 0.0;
  };

  Load evaluate(const Instant& now) const {
    Load load;
    load.position = measure_->unwrapped(measure_->gradient(now.q, gradient_.data()), now);
    for (std::size_t k = 0; k < columns_.size(); ++k) load.rate += gradient_[k] * now.v[columns_[k]];
    const Curve::Value spring = law_.spring.at(load.position - law_.natural);
    const Curve::Value damper = law_.damper.at(load.rate);
    load.stiffness = law_.stiffness + spring.slope;
    load.damping = law_.damping + damper.slope;
    load.force = law_.constant - law_.stiffness * (load.position - law_.natural) - spring.y - law_.damping * load.rate -
                 damper.y;
    if (law_.friction != 0.0 || law_.breakaway != 0.0) add_friction(load);
    if (law_.actuator) load.force += law_.actuator->at(now).value;
    return load;
  }

  // Coulomb friction made smooth around rest by tanh, with Stribeck's fall from breakaway to sliding.
  void add_friction(Load& load) const {
    const double more = std::max(law_.breakaway - law_.friction, 0.0);
    const double ratio = load.rate / law_.stribeck_rate;
    const double limit = law_.friction + more * std::exp(-ratio * ratio);
    const double saturation = std::tanh(load.rate / law_.friction_rate);
    load.force -= limit * saturation;
    // The falling part is left out of the tangent: it would make the damping negative. Where tanh is flat the secant
    // keeps Newton's method from jumping across rest.
    const double slope = (1.0 - saturation * saturation) / law_.friction_rate;
    const double secant = 0.65 * std::abs(saturation) / std::max(std::abs(load.rate), law_.friction_rate);
    load.damping += limit * std::max(slope, secant);
  }

  double friction_slope(double rate) const {
    if (law_.friction == 0.0 && law_.breakaway == 0.0) return 0.0;
    const double more = std::max(law_.breakaway - law_.friction, 0.0);
    const double ratio = rate / law_.stribeck_rate, above = more * std::exp(-ratio * ratio);
    const double saturation = std::tanh(rate / law_.friction_rate);
    return (law_.friction + above) * (1.0 - saturation * saturation) / law_.friction_rate -
           2.0 * above * ratio / law_.stribeck_rate * saturation;
  }

  MeasurePointer measure_;
  ScalarLaw law_;
  mutable std::vector<double> gradient_;  // scratch
};

}  // namespace

ForcePointer make_scalar_force(MeasurePointer measure, ScalarLaw law) {
  return std::make_shared<ScalarForce>(std::move(measure), std::move(law));
}

}  // namespace counterpoint::multibody
