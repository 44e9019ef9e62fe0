#pragma once

#include <vector>

#include "coupling/fast/connection_path.hpp"
#include "signal/approximation.hpp"

namespace counterpoint {

/// One output entering one input, as its consumer sees it during a run.
struct Connection {
  int source = 0;         ///< participant that publishes
  int target_offset = 0;  ///< where the input begins among those of the consumer, in scalars
  ApproximationPointer approximation;
  double gain = 1.0;
  double offset = 0.0;
  bool scales = false;  ///< gain and offset change something
  bool source_stops_early = false;
  bool waits = false;            ///< the consumer waits for the source: it interpolates
  bool adds = false;             ///< not the first connection of its input: their sum is the input
  bool reads_earlier = false;    ///< it does not wait by itself, but reads what its source published in the pass before
  bool per_step = false;         ///< the polynomial depends on the consumer's step
  bool uses_both_sides = false;  ///< of its approximation
  /// A waiting connection's samples serve steps that end after `window_from` and not after `window_until`.
  double window_from = Polynomial::infinity;
  double window_until = -Polynomial::infinity;
  double source_next = 0.0;  ///< when the source will publish next, as known when the step was allowed
  int law = -1;              ///< coupling law that takes this signal, or -1
  int law_offset = 0;        ///< place among the law's signals

  const History* present = nullptr;  ///< what the source publishes now
  Samples samples;                   ///< of `present`, or of the pass before when it `reads_earlier`
  Polynomial polynomial;
  std::vector<double> last_input;  ///< before gain and offset; empty until the first step ended
  std::size_t marked_end = 0;      ///< of the samples in use where a stretch of time begins that may be repeated
  std::vector<double> scratch;
  fast::ConnectionPath fast;
  int number = 0;         ///< in the run
  int event_target = -1;  ///< among the targets of events, or -1
  bool watches = false;   ///< it enters no input: a condition of the consumer looks at the source

  /// In a repeat: all samples of the window are known, and its approximation takes them from both sides.
  bool sees_window() const { return samples.both_sides; }

  /// Whether it does where nothing is repeated: then what was assumed is compared.
  bool extrapolates() const { return (!waits || reads_earlier) && !watches; }

  double scaled(double value) const { return scales ? value * gain + offset : value; }

  /// Which samples are behind the input, and the polynomial through them, are found again.
  void look_up_again() {
    window_from = Polynomial::infinity;
    window_until = -Polynomial::infinity;
    polynomial.invalidate();
  }

  /// The samples before number `end` are behind the input from now on.
  void use_samples_before(std::size_t end) {
    if (samples.end != end) {
      // What lay beyond the last sample is known better now; a piece between samples stays right.
      if (polynomial.to == Polynomial::infinity || end < samples.end) polynomial.invalidate();
      samples.end = end;
      samples.begin = samples.history->begin();
    }
    if (per_step) polynomial.invalidate();
  }
};

}  // namespace counterpoint
