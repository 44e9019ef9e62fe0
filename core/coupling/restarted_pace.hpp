#pragma once

#include <cmath>

#include "coupling/pace.hpp"

namespace counterpoint {

/// Equal steps: on the grid of the clock, and after an early stop on a grid that begins there. It remembers nothing
/// but the clock, which is saved with the participant.
class RestartedPace final : public Pace {
 public:
  double next_end(double t, StepClock& clock, double /*event*/) override {
    const double next = clock.next_fixed(t);
    if (!std::isfinite(next) || std::abs(next - clock.step() - t) <= clock.tolerance()) return next;
    clock = StepClock(t, clock.end(), clock.step(), clock.tolerance());
    return clock.next_fixed(t);
  }
};

}  // namespace counterpoint
