#include "signal/smooth_stretch.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint {

namespace {
/// Outputs that are computed again at an event differ by rounding; that is not a jump.
constexpr double smallest_jump = 1e-9;  ///< of the largest of the values before, after, and at the sample before
}  // namespace

const double* Samples::before_jump(std::size_t k) const {
  const double* before = history->before_jump(k);
  if (before == nullptr) return nullptr;
  const double* after = history->value(k) + column;
  before += column;
  // At the oldest sample there is nothing that a stretch could reach back to, whether it jumps or not.
  const double* last = k > history->begin() ? history->value(k - 1) + column : before;
  for (int j = 0; j < width; ++j) {
    const double scale = std::max({std::abs(before[j]), std::abs(after[j]), std::abs(last[j])});
    if (std::abs(before[j] - after[j]) > smallest_jump * scale) return before;
  }
  return nullptr;
}

SmoothStretch smooth_stretch(const Samples& all, const ConsumerStep& step, double t, int most) {
  SmoothStretch found{all};
  const std::size_t ahead = all.ahead_of(t), reach = static_cast<std::size_t>(most);
  const std::size_t oldest = ahead - std::min(reach, ahead - all.begin);
  for (std::size_t k = std::min(ahead + reach, all.last());; --k) {
    if (all.before_jump(k) != nullptr) {
      const double time = all.time(k);
      const double side = time <= step.start + all.tolerance ? all.tolerance : -all.tolerance;
      if (time <= t + side) {
        found.samples.begin = k;
        found.from = time - side;
        return found;
      }
      found.samples.end = k + 1;
      found.samples.ends_before = k;
      found.to = time - all.tolerance;
    }
    if (k == oldest) return found;
  }
}

}  // namespace counterpoint
