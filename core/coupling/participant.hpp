#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "coupling/defect.hpp"
#include "coupling/subsystem.hpp"
#include "recipe/fields.hpp"

namespace counterpoint {

/// Times at which a subsystem steps: a fixed step is counted, never summed.
class Clock {
 public:
  Clock(double start, double until, double step, double tolerance)
      : next_on_grid_(start + step),
        start_(start),
        last_(until - tolerance),
        until_(until),
        step_(step),
        tolerance_(tolerance) {}

  bool fixed() const { return step_ > 0.0; }

  /// Let the run end here instead.
  void end_at(double until) {
    until_ = until;
    last_ = until - tolerance_;
  }

  /// End of the next step from t on the fixed grid; infinity at the end of the run.
  double next_fixed(double t) {
    if (t >= last_) return Polynomial::infinity;
    while (next_on_grid_ <= t + tolerance_) next_on_grid_ = start_ + (count_ += 1.0) * step_;
    return next_on_grid_ > last_ ? until_ : next_on_grid_;
  }

  /// Ends of the next steps from t on the fixed grid, at most `most` and for as long as `allowed(begin, end)`; returns
  /// their number. Those at the end of the run, which may be of another length, are not among them.
  template <class Allowed>
  [[gnu::always_inline]] int next_on_grid(double t, int most, const Allowed& allowed, double* ends) {
    const double start = start_, last = last_, step = step_;  // copies, which writing `ends` cannot change
    double count = count_;
    double end = next_on_grid_;
    int made = 0;
    while (made < most && end < last && allowed(t, end)) {
      ends[made++] = t = end;
      end = start + (count += 1.0) * step;
    }
    count_ = count;
    next_on_grid_ = end;
    return made;
  }

  /// End of the next step from t for a subsystem that would like to step by `wish`.
  double next(double t, double wish) const {
    if (t >= last_) return Polynomial::infinity;
    if (t < stop_ - tolerance_ && t + wish > stop_ - tolerance_) return stop_;
    return t + wish > last_ ? until_ : t + wish;
  }

  /// Steps of a subsystem at its own pace that begin before `time` end there at the latest.
  void stop_at(double time) { stop_ = time; }

 private:
  friend struct recipe::Fields<Clock>;

  double next_on_grid_;  ///< start + count steps; not next to the count, or compilers pack the two in every step
  double start_;
  double last_;  ///< from here on the run is over
  double until_;
  double stop_ = Polynomial::infinity;  ///< communication point of a master above, which no chosen step goes over
  double step_;
  double tolerance_;
  double count_ = 1.0;  ///< of steps, a whole number
};

/// Seconds spent in a subsystem. Cheap steps are timed by sampling: reading a clock at each would
/// cost as much as the step.
class Stopwatch {
 public:
  using clock = std::chrono::steady_clock;
  /// Whether this call is to be timed: the first ones, costly ones, and one of 64.
  bool due() { return --untimed_ < 0; }
  bool costly() const { return costly_; }
  /// The next call is timed.
  void wake() { untimed_ = 0; }
  void begin() { begun_ = clock::now(); }
  void end(long steps);
  double seconds(long total_steps) const;

 private:
  bool costly_ = true;  ///< until something else was measured: the first step is made alone
  int untimed_ = 0;     ///< calls before the next that is timed
  long timed_calls_ = 0;
  long timed_steps_ = 0;
  double timed_seconds_ = 0.0;
  clock::time_point begun_;
};

/// How long a subsystem may go on by itself.
struct BurstLimits {
  double end;    ///< a step may end here at the latest
  double begin;  ///< a step must begin before this
  long steps;
};

/// One subsystem in a run: its inputs, its history, its clock and what is recorded of it.
class Participant {
 public:
  Participant(SubsystemPointer model, std::unique_ptr<Inputs> u, const Clock& run_clock, bool derivatives, double start,
              double tolerance, bool records);

  void start();
  /// Read the initial outputs (again, after other initial outputs changed).
  void refresh_initial_outputs();

  /// Steps with frozen inputs for as long as the limits allow, at least one; published into the
  /// history but not committed. `Model` is the type of the subsystem where it is known: the compiler
  /// then sees through the calls.
  template <class Model>
  void burst(Model& model, const BurstLimits& limits) {
    if (in_step) {
      inputs->freeze_in_step(t, t_next, history.end() - 1);
      return step_with_inputs(model);
    }
    long left = limits.steps;
    do {
      inputs->freeze(t, t_next);
      const long made = plain_ ? glide(model, limits, left) : 0;
      if (made == 0) step_with_inputs(model);
      left -= std::max(made, 1L);
    } while (left > 0 && t_next <= limits.end && t < limits.begin);
  }

  /// Send off the next step of one that works elsewhere. It waits for nobody and steps together with all its sources.
  void announce();

  /// One step with inputs that the caller has frozen.
  template <class Model>
  void step_with_inputs(Model& model) {
    double reached = model.step(t, t_next, *inputs);
    if (reached != t_next) reached = accepted_end(reached);
    publish_outputs(model, reached);
    if (inputs->depends_on_step()) inputs->remember_end(reached);
    t = reached;
    ++steps;
    propose();
    if (extrapolates_ && !inputs->are_lines()) leave_assumptions();
  }

  /// Steps that somebody else makes: their ends, and where their outputs and rows (or null) go.
  struct Stretch {
    const double* ends;
    double* values;
    double* rows;
    int count;
  };
  /// At most `most` of those on the grid, for as long as they begin before `before`.
  Stretch open_stretch(int most, double before);
  /// The same steps as another one that steps on the same grid and stands at the same place.
  Stretch open_stretch_with(Participant& other, int count);
  /// So many of those that were opened are made.
  void close_stretch(int made, int opened);
  [[noreturn]] void not_finite(const double* values) const;

  /// A step at the subsystem's own pace that begins before `time` ends there at the latest; the one proposed as well.
  void stop_at(double time) {
    clock_.stop_at(time);
    if (!clock_.fixed()) t_next = clock_.next(t, wish());
  }

  /// Write a sample that came from elsewhere (a host that integrates by itself).
  void publish(double time, const double* values);

  /// Write the last sample again, at the same time; false when it is what it was.
  bool publish_again(const double* values);

  /// All that lasts. `keep`: the first sample that somebody may still need.
  struct Saved {
    std::unique_ptr<SavedState> subsystem;
    Inputs::Saved inputs;
    History::Saved history;
    std::vector<Defect::Saved> defects;
    std::optional<Clock> clock;
    double t, t_next, horizon;
    long steps;
    std::size_t rows;
  };
  /// False when the subsystem cannot. `into` is written again: its memory serves the next save as well.
  bool save(std::size_t keep, Saved& into) const;
  void restore(const Saved& saved);
  /// The same but for the subsystem, which has failed.
  void rewind(const Saved& saved);

  /// No step goes beyond `end` from now on: who would, ends there, and has finished when it has come there.
  void open_until(double end);
  /// From here on a stretch of time is repeated, or is not any more (`Inputs::read_earlier`).
  void read_earlier(const std::vector<History>& earlier);
  void read_present();

  /// Compare what was assumed of the source of term k with what it has published.
  void compare(std::size_t k);

  /// Rows (t, outputs) recorded since the last call.
  std::size_t row_count() const { return rows_.rows(); }
  std::vector<Rows> take_rows() { return rows_.take(); }

  bool finished() const { return t_next == Polynomial::infinity; }
  bool records() const { return records_; }

  SubsystemPointer subsystem;
  std::unique_ptr<Inputs> inputs;
  History history;
  std::vector<Defect> defects;  ///< one per term of inputs
  Stopwatch stopwatch;
  double t;
  double t_next;   ///< end of the proposed step, infinity when finished
  double horizon;  ///< the furthest t_next so far: what is needed of the sources
  long steps = 0;
  bool proposing = false;  ///< the subsystem is asked for its next step
  bool in_step = false;    ///< all that it is connected with make the same steps, one each in turn
  bool defers = false;     ///< the driver compares what was assumed now and then, many at once

 private:
  /// Steps on the frozen samples between which nothing has to be looked at; returns their number. A step that
  /// the model refuses (its end is not finite) is left to the usual way, where it fails.
  template <class Model>
  long glide(Model&, const BurstLimits&, long) {
    return 0;
  }
  template <class Model>
    requires requires { Model::glides; }
  long glide(Model& model, const BurstLimits& limits, long most) {
    const Polynomial* input = inputs->single_over(t, t_next);
    if (input == nullptr) return 0;
    const double granted = std::min(limits.end, inputs->frozen_until());
    const double latest = granted < input->to ? granted : std::nextafter(input->to, -Polynomial::infinity);
    const int room = static_cast<int>(std::min<std::size_t>(most, history.room_in_a_row()));
    double* const ends = history.next_time();
    const auto allowed = [latest, before = limits.begin, nominal = model.nominal_step()](double begin, double end) {
      return end <= latest && begin < before && nominal.serves(end - begin);
    };
    const int count = clock_.next_on_grid(t, room, allowed, ends);
    if (count == 0) return 0;
    const double following = clock_.next_fixed(ends[count - 1]);
    const int made = model.glide(*input, t, ends, count, history.next_value());
    if (made > 0) t = ends[made - 1];
    t_next = made < count ? ends[made] : following;
    horizon = std::max(horizon, t_next);
    steps += made;
    if (records_) record_next<Model::width>(made);
    history.advance_many(made);
    return made;
  }

  /// Record samples that stand in the history, where the next ones go.
  template <int width>
  void record_next(int count) {
    const double* times = history.next_time();
    const double* values = history.next_value();
    double* row = rows_.extend(count);
    for (int k = 0; k < count; ++k, row += 1 + width) {
      row[0] = times[k];
      std::copy_n(values + k * width, width, row + 1);
    }
  }

  /// Outputs at `time` into the history (as a sample that is not yet committed) and the record.
  template <class Model>
  void publish_outputs(Model& model, double time) {
    const double* y = model.output(time, *inputs);
    double* sample = history.next_value();
    int width = history.width();
    if constexpr (requires { Model::width; }) width = Model::width;
    double probe = 0.0;  // stays zero as long as everything is finite
    for (int j = 0; j < width; ++j) {
      probe += y[j] - y[j];
      sample[j] = y[j];
    }
    if (probe != 0.0) not_finite(sample);
    if (history.may_jump()) publish_jump(time);
    if (history.has_derivatives()) publish_derivatives(time);
    if (records_) {
      double* row = rows_.extend();
      row[0] = time;
      for (int j = 0; j < width; ++j) row[1 + j] = sample[j];
    }
    history.advance(time);
  }

  void propose() {
    t_next = clock_.fixed() ? clock_.next_fixed(t) : clock_.next(t, wish());
    if (t_next > horizon) horizon = t_next;
  }

  double wish();
  void publish_derivatives(double time);
  void publish_jump(double time);
  void leave_assumptions();
  void leave_assumptions_in_step();
  void leave_assumptions_in_repeat();
  void compare_line(std::size_t k);
  /// The end of a step that did not end exactly where it was proposed; throws when that is not allowed.
  double accepted_end(double reached) const;

  Clock clock_;
  double tolerance_;
  bool records_;
  bool extrapolates_ = false;  ///< some input is extrapolated
  bool repeats_ = false;       ///< what it did not wait for is read from the pass before
  bool plain_ = false;         ///< fixed steps that leave nothing behind but samples and rows
  RowBuffer rows_;
};

}  // namespace counterpoint
