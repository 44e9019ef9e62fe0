#pragma once

#include "coupling/comparison.hpp"
#include "coupling/fast/line_input.hpp"

namespace counterpoint::fast {

/// Fast path: comparisons computed from samples alone, many at once.
///
/// Serves a scalar connection that is held or a line in a round (round.hpp), if only the defect listens. Consumer and
/// source have the same step ends, so the value assumed for a sample follows from the samples before it; in a repeat,
/// from those of the previous pass. Saves storing every assumed value and searching for the sample that belongs to it.
/// If comparisons are deferred (deferred_comparison.hpp), assumed values are kept.
/// Bit-equal to `Comparison::assume` and `Comparison::arrive`. Measured: 0.6 of the time without it.
struct DerivedComparison {
  static bool serves(const Connection& c, const Comparison& comparison) {
    return c.fast.is_line && !c.waits && !comparison.has_more_indicators();
  }
  /// Compare the samples that have arrived since the last call; `consumer_samples`: samples that the consumer has
  /// published.
  static void compare(Comparison& comparison, const Connection& c, std::size_t consumer_samples);

 private:
  static void compare_held(Comparison& comparison, const LineInput& input, std::size_t last);
  static void compare_sloped(Comparison& comparison, const LineInput& input, std::size_t last);
  static void compare_repeated(Comparison& comparison, const Connection& c, std::size_t consumer_samples);
  static void keep(Comparison& comparison, const Connection& c, std::size_t consumer_samples);
  static void keep_held(const LineInput& assumed, std::size_t first, std::size_t end, double* kept);
  static double add_held(Defect& defect, const double* values, const double* times, std::size_t count,
                         const LineInput& input, double first_before);
  static void write_held(Comparison& comparison, const LineInput& input, std::size_t last);
};

}  // namespace counterpoint::fast
