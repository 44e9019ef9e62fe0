#pragma once

#include <algorithm>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "coupling/participant.hpp"

namespace counterpoint::fast {

/// How far a participant may step by itself.
struct BatchLimits {
  double end;    ///< a step may end here at the latest
  double begin;  ///< a step must begin before this
  long steps;
};

/// Fast path: several steps of one participant in a row.
///
/// 1. `run` serves every participant. It makes as many steps as the precedence rule allows, and saves choosing again
/// after
///    every step.
/// 2. Steps on one polynomial are made by the subsystem in one call. Serves a `BatchStepper` with fixed
///    steps and one scalar input: saves clock, freezing, publishing and calls per step.
///
/// Bit-equal: which samples a step uses follows from times alone. Measured (`python -m benchmarks fast-paths`), a fast
/// oscillator that interpolates a slow one: 0.29 of the time without the first, 0.42 without the second.
class StepBatch {
 public:
  /// Choose the paths that serve this participant, when its run starts.
  static void choose(Participant& p, const std::vector<Participant>& all);

  /// Make as many steps as the limits allow, at least one; they are published into the history, but not committed.
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

  /// The same, timed.
  static void run_timed(Participant& p, const BatchLimits& limits);

  /// Whether it steps on its grid alone, whatever it and others publish.
  static bool has_fixed_steps(const Participant& p) { return p.fixed_ != nullptr && p.clock_.fixed(); }
  static const StepClock& clock(const Participant& p) { return p.clock_; }

  /// Steps of a round (many_rounds.hpp): their ends, and the memory of their outputs and rows (null: not recorded).
  struct OpenSteps {
    const double* ends;
    double* values;
    double* rows;
    int count;
  };
  /// At most `most` steps on the grid that begin before `before`.
  static OpenSteps open(Participant& p, int most, double before);
  /// The same steps as those of another participant on the same grid, at the same time.
  static OpenSteps open_with(Participant& p, Participant& other, int count);
  /// Of the steps that were opened, this many were made.
  static void close(Participant& p, int made, int opened);

 private:
  /// Returns the number of steps. A step whose result is not finite is left to a single step, where it fails.
  [[gnu::noinline, gnu::flatten]] static long on_one_polynomial(Participant& p, const BatchLimits& limits, long most) {
    if (!p.inputs->fast_paths().is_single() || !knows_next_sample(p.inputs->connections().front())) return 0;
    const BatchLimits frozen = on_frozen_samples(p, limits);
    if (p.t_next > frozen.end) return 0;
    const Polynomial* input = p.inputs->single_polynomial(p.t, p.t_next);
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

  /// Limits up to which the only connection uses the same samples, and up to which no assumed value has to be stored: a
  /// step begins before the next sample of the source, and only the last one may be followed by a step that ends after
  /// it.
  static BatchLimits on_frozen_samples(Participant& p, const BatchLimits& limits) {
    const Connection& c = p.inputs->connections().front();
    if (c.waits) return {std::min(limits.end, p.inputs->frozen_until()), limits.begin, limits.steps};
    const Samples& s = c.samples;
    const bool published = s.end < s.history->end();
    const double next = published ? s.history->time(s.end) : c.source_next;
    return {std::min(limits.end, next), std::min(limits.begin, next - s.tolerance), limits.steps};
  }

  /// Record samples that were written to the history, but not advanced.
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
  /// `known`: the number of outputs if it is a compile-time constant, otherwise 0.
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
