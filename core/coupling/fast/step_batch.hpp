#pragma once

#include <algorithm>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "coupling/fast/single_scalar.hpp"
#include "coupling/participant.hpp"

namespace counterpoint::fast {

/// How far a participant may go on by itself.
struct BatchLimits {
  double end;    ///< a step may end here at the latest
  double begin;  ///< a step must begin before this
  long steps;
};

/// Fast path: several steps of one participant in a row.
///
/// 1. `run` serves every participant. It goes on for as long as the precedence rule lets it, and saves choosing again
///    after every step.
/// 2. Among these, steps on one polynomial are left to the subsystem as a whole. Serves a `BatchStepper` with fixed
///    steps and one scalar input: saves clock, freezing, publishing and calls per step.
///
/// Bit-equal: which samples a step uses follows from times alone. Measured (`python -m benchmarks fast-paths`), a fast
/// oscillator that interpolates a slow one: 0.29 of the time without the first, 0.42 without the second.
class StepBatch {
 public:
  /// Which paths serve this participant? Asked when its run starts.
  static void choose(Participant& p, const std::vector<Participant>& all);

  /// Steps for as long as the limits allow, at least one; published into the history but not committed.
  static void run(Participant& p, const BatchLimits& limits) {
    long left = limits.steps;
    do {
      Cancellation::check();
      p.inputs->freeze(p.t, p.t_next);
      const long made = p.fast.batches != nullptr ? on_one_polynomial(p, limits, left) : 0;
      if (made == 0) p.step_with_inputs();
      left -= std::max(made, 1L);
    } while (left > 0 && p.t_next <= limits.end && p.t < limits.begin);
  }

  /// Steps that a round makes (many_rounds.hpp): their ends, and where their outputs and rows (or null) go.
  struct Stretch {
    const double* ends;
    double* values;
    double* rows;
    int count;
  };
  /// At most `most` of those on the grid, for as long as they begin before `before`.
  static Stretch open(Participant& p, int most, double before);
  /// The same steps as another one that steps on the same grid and stands at the same place.
  static Stretch open_with(Participant& p, Participant& other, int count);
  /// So many of those that were opened are made.
  static void close(Participant& p, int made, int opened);

 private:
  /// Returns the number of steps. One that the model refuses (its end is not finite) is left to a step by itself, where
  /// it fails.
  [[gnu::noinline, gnu::flatten]] static long on_one_polynomial(Participant& p, const BatchLimits& limits, long most) {
    if (!p.inputs->fast_paths().is_single() || !knows_next_sample(p.inputs->connections().front())) return 0;
    const BatchLimits frozen = on_frozen_samples(p, limits);
    if (p.t_next > frozen.end) return 0;
    const Polynomial* input = single_polynomial(*p.inputs, p.t, p.t_next);
    if (input == nullptr) return 0;
    const double latest = frozen.end < input->to ? frozen.end : std::nextafter(input->to, -Polynomial::infinity);
    const int room = static_cast<int>(std::min<std::size_t>(most, p.history.room_in_a_row()));
    double* const ends = p.history.next_time();
    const auto allowed = [latest, before = frozen.begin, equal = *p.fast.batch_step](double begin, double end) {
      return end <= latest && begin < before && equal.serves(end - begin);
    };
    const int count = p.clock_.next_ends(p.t, room, allowed, ends);
    if (count == 0) return 0;
    const double following = p.clock_.next_fixed(ends[count - 1]);
    const int made = p.fast.batches->step_batch(*input, p.t, ends, count, p.history.next_value());
    if (made > 0) p.t = ends[made - 1];
    p.t_next = made < count ? ends[made] : following;
    p.horizon = std::max(p.horizon, p.t_next);
    p.steps += made;
    if (p.records_) record_next(p, made);
    p.history.advance_many(made);
    if (p.assumes_ && made > 0) p.assume();
    return made;
  }

  static bool knows_next_sample(const Connection& c) { return !c.reads_earlier && (c.waits || !c.source_stops_early); }

  /// Where the only connection uses other samples, or where it is time to leave what was assumed: a step may begin
  /// before the source's next sample, and only the last one may be followed by a step that ends after it.
  static BatchLimits on_frozen_samples(Participant& p, const BatchLimits& limits) {
    const Connection& c = p.inputs->connections().front();
    if (c.waits) return {std::min(limits.end, p.inputs->frozen_until()), limits.begin, limits.steps};
    const Samples& s = c.samples;
    const bool published = s.end < s.history->end();
    const double next = published ? s.history->time(s.end) : c.source_next;
    return {std::min(limits.end, next), std::min(limits.begin, next - s.tolerance), limits.steps};
  }

  /// Record samples that stand in the history, where the next ones go.
  static void record_next(Participant& p, int count) {
    switch (p.history.width()) {
      case 1:
        return record_next<1>(p, count);
      case 2:
        return record_next<2>(p, count);
      default:
        return record_next<0>(p, count);
    }
  }
  /// `known`: the number of outputs where the compiler may know it, else 0.
  template <int known>
  static void record_next(Participant& p, int count) {
    const int width = known > 0 ? known : p.history.width();
    const double* times = p.history.next_time();
    const double* values = p.history.next_value();
    double* row = p.rows_.extend(count);
    for (int k = 0; k < count; ++k, row += 1 + width) {
      row[0] = times[k];
      std::copy_n(values + k * width, width, row + 1);
    }
  }
};

}  // namespace counterpoint::fast
