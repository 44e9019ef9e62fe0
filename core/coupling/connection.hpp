#pragma once

#include <vector>

#include "coupling/fast/connection_path.hpp"
#include "signal/approximation.hpp"

namespace counterpoint {

/// A connection from one output to one input during a run, as its consumer uses it.
struct Connection {
  int source = 0;         ///< participant that publishes
  int target_offset = 0;  ///< first scalar of the input among those of the consumer
  ApproximationPointer approximation;
  double gain = 1.0;
  double offset = 0.0;
  bool scales = false;  ///< gain is not 1 or offset is not 0
  bool source_stops_early = false;
  bool waits = false;            ///< the consumer waits for the source: it interpolates
  bool adds = false;             ///< not the first connection of its input; the input is their sum
  bool reads_earlier = false;    ///< it does not wait, but reads what the source published in the previous pass
  bool per_step = false;         ///< the polynomial depends on the consumer's step
  bool uses_both_sides = false;  ///< its approximation does
  /// If it waits: the frozen samples are valid for steps that end after `window_from` and not after `window_until`.
  double window_from = Polynomial::infinity;
  double window_until = -Polynomial::infinity;
  double source_next = 0.0;  ///< next time at which the source publishes, as known when the step was allowed
  int law = -1;              ///< coupling law that takes this signal, or -1
  int law_offset = 0;        ///< place among the law's signals

  const History* present = nullptr;  ///< history of the source in this pass
  Samples samples;                   ///< of `present`, or of the previous pass if it `reads_earlier`
  Polynomial polynomial;
  std::vector<double> last_input;  ///< before gain and offset; empty until the first step ended
  std::size_t marked_end = 0;      ///< end of the samples in use at the start of a time span that may be repeated
  std::vector<double> scratch;
  fast::ConnectionPath fast;
  int number = 0;         ///< in the run
  int event_target = -1;  ///< among the targets of events, or -1
  bool watches = false;   ///< it drives no input: a condition of the consumer reads the source

  /// In a repeat: all samples of the window are known, and the approximation uses those on both sides.
  bool sees_window() const { return samples.both_sides; }

  /// Whether it extrapolates in a pass that is not a repeat; the assumed values are then compared.
  bool extrapolates() const { return (!waits || reads_earlier) && !watches; }

  double scaled(double value) const { return scales ? value * gain + offset : value; }

  /// Find the samples behind the input, and the polynomial through them, again.
  void look_up_again() {
    window_from = Polynomial::infinity;
    window_until = -Polynomial::infinity;
    polynomial.invalidate();
  }

  /// From now on the input uses the samples before number `end`.
  void use_samples_before(std::size_t end) {
    if (samples.end != end) {
      // A polynomial beyond the last sample is out of date; one between samples stays valid.
      if (polynomial.to == Polynomial::infinity || end < samples.end) polynomial.invalidate();
      samples.end = end;
      samples.begin = samples.history->begin();
    }
    if (per_step) polynomial.invalidate();
  }
};

}  // namespace counterpoint
