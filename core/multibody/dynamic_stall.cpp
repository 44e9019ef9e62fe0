#include "multibody/dynamic_stall.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint::multibody {

DynamicStall::DynamicStall(const Polar& polar, const StallLaw& law) : polar_(polar), law_(law) {
  if (!on()) return;
  const std::size_t n = polar.angle.size();
  attached_part_.resize(n);
  separated_lift_.resize(n);
  attached_lift_.resize(n);
  // Kirchhoff's flow past a plate: lift = attached lift ((1 + sqrt f) / 2)^2. Beyond the first angle on either side at
  // which f is zero the flow stays separated.
  const auto part = [&](std::size_t k) {
    const double ideal = attached(polar.angle[k]), ratio = ideal == 0.0 ? 1.0 : polar.lift[k] / ideal;
    const double root = 2.0 * std::sqrt(std::max(ratio, 0.0)) - 1.0;
    return root <= 0.0 ? 0.0 : std::min(1.0, root * root);
  };
  const std::size_t middle = static_cast<std::size_t>(
      std::lower_bound(polar.angle.begin(), polar.angle.end() - 1, law.zero_lift) - polar.angle.begin());
  double last = 1.0;
  for (std::size_t k = middle; k < n; ++k) attached_part_[k] = last = last == 0.0 ? 0.0 : part(k);
  last = 1.0;
  for (std::size_t k = middle; k-- > 0;) attached_part_[k] = last = last == 0.0 ? 0.0 : part(k);
  for (std::size_t k = 0; k < n; ++k) {
    const double f = attached_part_[k];
    // Where a polar lifts more than the straight line its flow is attached, and what it says counts.
    attached_lift_[k] = f == 1.0 ? polar.lift[k] : attached(polar.angle[k]);
    separated_lift_[k] = f > 0.999 ? 0.5 * polar.lift[k] : (polar.lift[k] - attached(polar.angle[k]) * f) / (1.0 - f);
  }
}

double DynamicStall::between(const std::vector<double>& table, double angle) const {
  const std::vector<double>& x = polar_.angle;
  const double held = std::clamp(angle, x.front(), x.back());
  const std::size_t k = static_cast<std::size_t>(std::upper_bound(x.begin() + 1, x.end() - 1, held) - x.begin());
  return table[k - 1] + (held - x[k - 1]) / (x[k] - x[k - 1]) * (table[k] - table[k - 1]);
}

double DynamicStall::separation(double angle) const { return between(attached_part_, angle); }

void DynamicStall::settle(double angle, double* state) const {
  state[0] = law_.weight[0] * angle;
  state[1] = law_.weight[1] * angle;
  state[2] = attached(angle);
  state[3] = separation(angle);
}

void DynamicStall::advance(double angle, double speed, double chord, double h, const double* before,
                           double* after) const {
  const double travelled = h * 2.0 * speed / chord;  // half chords
  double effective = (1.0 - law_.weight[0] - law_.weight[1]) * angle;
  for (int k = 0; k < 2; ++k) {
    const double target = law_.weight[k] * angle;
    after[k] = target + (before[k] - target) * std::exp(-law_.rate[k] * travelled);
    effective += after[k];
  }
  const double lift = attached(effective);
  after[2] = lift + (before[2] - lift) * std::exp(-travelled / law_.pressure_lag);
  const double point = separation(law_.zero_lift + after[2] / law_.lift_slope);
  after[3] = point + (before[3] - point) * std::exp(-travelled / law_.wake_lag);
}

DynamicStall::Value DynamicStall::at(double angle, const double* state) const {
  const double effective = (1.0 - law_.weight[0] - law_.weight[1]) * angle + state[0] + state[1];
  const double f = std::clamp(state[3], 0.0, 1.0);
  const Polar::Value steady = polar_.at(effective);
  Value value;
  value.lift = f * between(attached_lift_, effective) + (1.0 - f) * between(separated_lift_, effective);
  // Drag follows lift that lags (induced by the shed wake) and the separation that is more or less than steady.
  const double root = std::sqrt(f), steady_root = std::sqrt(separation(effective));
  const double least = polar_.at(law_.zero_lift).drag;
  value.drag = steady.drag + (angle - effective) * value.lift +
               (steady.drag - least) * (0.5 * (steady_root - root) - 0.25 * (steady_root * steady_root - f));
  value.moment = steady.moment;
  return value;
}

}  // namespace counterpoint::multibody
