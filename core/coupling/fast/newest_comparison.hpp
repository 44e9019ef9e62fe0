#pragma once

#include <cmath>

#include "coupling/comparison.hpp"

namespace counterpoint::fast {

/// Fast path: one assumption of a scalar is compared with one of the two newest samples of its source, during the run.
///
/// Serves a connection whose source cannot jump and has published such a sample at the time of the only assumption that
/// is pending, as where steps end together and a pace listens. Saves looking for that sample and what is needed for
/// values between samples. Bit-equal to `Comparison::arrive`. Measured (`python -m benchmarks fast-paths`), two
/// oscillators with a defect pace for both: 0.94 of the time without.
struct NewestComparison {
  static bool serves(const Connection& c) {
    return c.samples.width == 1 && c.present != nullptr && !c.present->may_jump();
  }
  /// Make the comparison where it is served; else nothing is done and the answer is false.
  static bool make(Comparison& comparison, const Connection& c) {
    const History& source = *c.present;
    if (!c.fast.compares_newest || comparison.last_ - comparison.first_ != 2) return false;
    const double* assumed = &comparison.assumed_[comparison.first_];
    const double t = assumed[0], tolerance = c.samples.tolerance;
    std::size_t place = source.end() - 1;
    if (source.time(place) > t + tolerance && place > source.begin()) --place;
    const double sample = source.time(place);
    if (!(std::abs(sample - t) <= tolerance)) return false;
    const double arrived = c.scaled(source.value(place)[c.samples.column]);
    comparison.place_ = place;
    const Arrival arrival{comparison.connection_, t, assumed + 1, &arrived, 1, sample};
    if (!comparison.leaves_defect_) comparison.defect.arrived(arrival);
    for (Indicator* indicator : comparison.indicators_) indicator->arrived(arrival);
    comparison.first_ = comparison.last_ = 0;
    return true;
  }
};

}  // namespace counterpoint::fast
