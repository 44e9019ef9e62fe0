#pragma once

#include "coupling/comparison.hpp"

namespace counterpoint::fast {

/// Fast path: an assumed scalar is compared during the run with one of the two newest samples of its source.
///
/// Serves a connection whose source cannot jump, if only one value is pending and the source has a sample at its time.
/// This is usual if steps end together and a pace listens. Saves the search for the sample and the preparation of
/// values between samples. Bit-equal to `Comparison::arrive`. Measured (`python -m benchmarks fast-paths`), two
/// oscillators with a defect pace for both: 0.94 of the time without.
struct NewestComparison {
  static bool serves(const Connection& c) {
    return c.samples.width == 1 && c.present != nullptr && !c.present->may_jump();
  }
  /// Make the comparison if it is served; otherwise do nothing and return false.
  static bool make(Comparison& comparison, const Connection& c) {
    if (!c.fast.compares_newest || comparison.last_ - comparison.first_ != 2) return false;
    const double* row = &comparison.assumed_[comparison.first_];
    if (!tell(comparison, c, row[0], row[1])) return false;
    comparison.first_ = comparison.last_ = 0;
    return true;
  }
  /// Assume a value for the end t of a step and compare it at once if the sample exists; otherwise it is pending.
  /// `following`: end of the next step.
  static bool may_assume(const Comparison& comparison, const Connection& c, double t) {
    return c.fast.assumes_newest && c.polynomial.covers(t) && !comparison.pending();
  }
  static void assume(Comparison& comparison, const Connection& c, double t, double following, double tolerance) {
    const History& source = *c.present;
    const bool published = c.samples.end < source.end();
    const double source_next = published ? source.time(c.samples.end) : c.source_next;
    if (!comparison.wants(following, source_next, tolerance)) return;
    comparison.compared_for_ = source_next;
    double assumed;
    c.polynomial.evaluate(t, &assumed);
    if (published && tell(comparison, c, t, assumed)) return;
    double* row = comparison.next_pending();
    row[0] = t;
    row[1] = assumed;
    if (published) comparison.arrive(c);
  }

 private:
  static bool tell(Comparison& comparison, const Connection& c, double t, double assumed) {
    const History& source = *c.present;
    const double tolerance = c.samples.tolerance;
    std::size_t place = source.end() - 1;
    if (source.time(place) > t + tolerance && place > source.begin()) --place;
    const double sample = source.time(place);
    if (!(sample >= t - tolerance && sample <= t + tolerance)) return false;
    const double arrived = c.scaled(source.value(place)[c.samples.column]);
    comparison.place_ = place;
    const Arrival arrival{t, sample, &assumed, &arrived, comparison.connection_, 1};
    if (!comparison.leaves_defect_) comparison.defect.arrived(arrival);
    for (Indicator* indicator : comparison.indicators_) indicator->arrived(arrival);
    return true;
  }
};

}  // namespace counterpoint::fast
