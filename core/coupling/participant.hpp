#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "coupling/comparison.hpp"
#include "coupling/event.hpp"
#include "coupling/fast/participant_paths.hpp"
#include "coupling/pace.hpp"
#include "coupling/stopwatch.hpp"
#include "coupling/subsystem.hpp"

namespace counterpoint {

namespace fast {
class StepBatch;
}

/// One subsystem in a run: its inputs, its history, when it steps and what is recorded of it.
///
///     step:     freeze inputs, step, publish, assume, propose
///     publish:  outputs into the history and the record
///     assume:   leave what was extrapolated for the end of the step, to be compared with what arrives
///     propose:  ask the pace for the end of the next step
class Participant {
 public:
  /// Where a participant fits into its run.
  struct Set {
    std::unique_ptr<Inputs> inputs;
    std::shared_ptr<Pace> pace;  ///< null: fixed steps of the clock, or those that the subsystem prefers
    StepClock clock;
    const std::vector<std::shared_ptr<Event>>* events = nullptr;
    bool derivatives = false;  ///< of its outputs are wanted
    bool jumps = false;        ///< its outputs may jump when events change its inputs
    double start = 0.0;        ///< s
    double tolerance = 0.0;    ///< s
    bool records = true;
    std::vector<char> unread = {};  ///< per output: whether it may be undefined from the start on; empty: none may be
  };
  Participant(SubsystemPointer model, Set set);

  /// Add the connection with this number in the run.
  Comparison& connect(Connection connection, int number);

  void start();
  /// Find out which inputs are extrapolated and compared by what is written down.
  void look_at_assumptions();
  /// Read the initial outputs (again, after other initial outputs changed).
  void refresh_initial_outputs();

  /// One step; published into the history but not committed.
  void step() {
    inputs->freeze(t, t_next);
    step_with_inputs();
  }
  /// The same with inputs that the caller has frozen.
  void step_with_inputs() {
    if (may_reject_) save_for_rejection();
    double reached = subsystem->step(t, t_next, *inputs);
    if (reached != t_next) reached = accepted_end(reached);
    const double* y = subsystem->output(reached, *inputs);
    if (may_reject_ && !pace_->accepts(t, reached, y)) return step_again();
    if (inputs->events() != nullptr && inputs->events()->changes_at(reached)) y = pass_event(reached, y);
    publish(reached, y);
    if (inputs->depends_on_step()) inputs->remember_end(reached);
    t = reached;
    ++steps;
    propose();
    if (assumes_ && !fast.assumes_later) assume();
  }
  /// What was left out (joint_step.hpp).
  void assume_later() {
    if (assumes_) assume();
  }

  /// The next event of a master above, which no step of a length that the participant chooses goes over; the proposed
  /// one as well.
  void stop_at(double time) {
    communication_point_.time = time;
    if (fixed_ == nullptr) t_next = next_end();
  }
  /// No step goes beyond `end` from now on: one that would ends there, and with it the participant has finished.
  void open_until(double end) {
    clock_.end_at(end);
    propose();
    horizon = t_next;
  }
  /// Others want to know its sources up to `end` before they step.
  void wants_sources_until(double end) { horizon = std::max(horizon, end); }

  /// Write a sample that came from elsewhere (a host that integrates by itself).
  void publish_given(double time, const double* values);
  /// Write the last sample again, at the same time; false when it is what it was.
  bool publish_again(const double* values);

  /// Whether what it publishes is recorded and what it assumes is compared, from now on; else none but its pace hears
  /// of its steps, since they will be made again.
  void set_heard(bool heard) {
    heard_ = heard;
    compared_ = compared_ || heard;
    records_ = heard && wants_record_;
    assumes_ = (heard || pace_listens_) && extrapolates_;
  }

  /// Whether it has assumed or may assume something that is to be compared.
  bool compares() const { return compared_; }
  /// Compare what was assumed of the source of connection k with what it has published.
  void compare(std::size_t k);

  /// From here on a stretch of time is repeated, or is not any more (`Inputs::read_earlier`).
  void read_earlier(const std::vector<History>& earlier, bool centred);
  void read_present();

  /// How far it has come.
  struct Place {
    std::vector<Comparison::Saved> comparisons;  ///< one per connection
    std::optional<StepClock> clock;
    double communication_point;
    double t, t_next, horizon;
    long steps;
    std::size_t rows;
  };
  /// All that lasts. `keep`: the first sample that may still be needed.
  struct Saved : Place {
    std::unique_ptr<SavedState> subsystem;
    Inputs::Saved inputs;
    History::Saved history;
  };
  /// False when the subsystem cannot. `into` is written again: its memory serves the next save as well.
  bool save(std::size_t keep, Saved& into) const;
  void restore(const Saved& saved);

  /// The same for a stretch of time that may be repeated, at less cost: the history keeps its samples meanwhile.
  struct Mark : Place {
    std::unique_ptr<SavedState> subsystem;
    Inputs::Mark inputs;
    std::size_t samples;  ///< in the history
  };
  bool mark(Mark& into) {
    if (!into.subsystem || fast.rewriter == nullptr || !fast.rewriter->save_again(*into.subsystem))
      into.subsystem = subsystem->save();
    if (!into.subsystem) return false;
    inputs->mark(into.inputs);
    into.samples = history.end();
    history.keep_from(history.begin());
    compared_ = pace_listens_;
    if (!comparisons.empty()) mark_comparisons(into);
    save_place(into);
    return true;
  }
  void return_to(const Mark& mark) {
    subsystem->restore(*mark.subsystem);
    rewind(mark);
  }
  /// The same but for the subsystem, which has failed.
  void rewind(const Mark& mark) {
    inputs->return_to(mark.inputs);
    history.cut_back(mark.samples);
    if (compared_) rewind_comparisons(mark);
    restore_place(mark);
  }

  /// Rows (t, outputs) recorded since the last call.
  std::size_t row_count() const { return rows_.rows(); }
  std::vector<Rows> take_rows();

  /// Null where its steps are fixed or its own.
  Pace* pace() const { return has_pace_ ? pace_.get() : nullptr; }
  /// The next time that steps of a chosen length do not go over, s.
  double next_event() const {
    const double point = communication_point_.time;
    return events_->empty() && inputs->events() == nullptr ? point : std::min(point, next_of_events());
  }
  bool finished() const { return t_next == Polynomial::infinity; }
  bool records() const { return records_; }
  /// Whether a step may end before its proposed end.
  bool may_stop_early() const { return subsystem->stops_early() || may_reject_; }
  /// Some of these outputs are NaN or infinite: fail, unless nothing reads them and they were at the start, or others
  /// are finite.
  void not_finite(double time, const double* values);
  /// Per output: since when it is NaN or infinite, s; infinity: never. Empty where none may be.
  const std::vector<double>& undefined_since() const { return undefined_since_; }

  SubsystemPointer subsystem;
  std::unique_ptr<Inputs> inputs;
  History history;
  std::vector<Comparison> comparisons;  ///< one per connection of inputs
  Stopwatch stopwatch;
  double t;
  long steps = 0;          ///< between the times, or compilers pack the two in every step
  double t_next;           ///< end of the proposed step, infinity when finished
  double horizon;          ///< the furthest t_next so far: what is needed of the sources
  bool proposing = false;  ///< the pace is asked for the next step
  fast::ParticipantPaths fast;

 private:
  friend class fast::StepBatch;

  /// Outputs at `time` into the history (as a sample that is not yet committed) and the record.
  void publish(double time, const double* y) {
    double* sample = history.next_value();
    const int width = history.width();
    double probe = 0.0;  // stays zero as long as everything is finite
    for (int j = 0; j < width; ++j) {
      probe += y[j] - y[j];
      sample[j] = y[j];
    }
    if (probe != 0.0) not_finite(time, sample);
    if (history.may_jump()) publish_jump(time);
    if (history.has_derivatives()) publish_derivatives(time);
    if (records_) {
      double* row = rows_.extend();
      row[0] = time;
      for (int j = 0; j < width; ++j) row[1 + j] = sample[j];
    }
    history.advance(time);
    if (pace_listens_) pace_->published(time, y);
  }

  void propose() {
    t_next = fixed_ != nullptr ? fixed_->next_end(t, clock_, Polynomial::infinity) : next_end();
    if (t_next > horizon) horizon = t_next;
  }

  void note_undefined(const double* values);
  void save_place(Place& into) const {
    into.clock = clock_;
    if (has_pace_) pace_->marked();
    into.communication_point = communication_point_.time;
    into.t = t;
    into.t_next = t_next;
    into.horizon = horizon;
    into.steps = steps;
    into.rows = rows_.total();
  }
  void restore_place(const Place& saved) {
    clock_ = *saved.clock;
    communication_point_.time = saved.communication_point;
    t = saved.t;
    t_next = saved.t_next;
    horizon = saved.horizon;
    steps = saved.steps;
    proposing = false;
    rows_.shrink(saved.rows);
    for (double& since : undefined_since_) since = since <= t ? since : Polynomial::infinity;
    if (has_pace_) pace_->returned_to(t);
  }
  void mark_comparisons(Mark& into) {
    if (into.comparisons.size() != comparisons.size()) into.comparisons.resize(comparisons.size());
    for (std::size_t k = 0; k < comparisons.size(); ++k) {
      if (!inputs->connections()[k].extrapolates()) continue;
      comparisons[k].save(into.comparisons[k]);
      compared_ = compared_ || comparisons[k].pending();
    }
  }
  void rewind_comparisons(const Mark& mark);
  double next_end();
  double next_of_events() const;
  void save_for_rejection();
  void step_again();
  void publish_derivatives(double time);
  void publish_jump(double time);
  void keep_before_jump(double time, const double* before);
  /// An event changes the inputs at the end of the step; returns the outputs after it, and keeps those before.
  const double* pass_event(double time, const double* y);
  const double* output_after_event(double time);
  void assume();
  void assume_input(Connection& c, Comparison& comparison);
  void assume_in_repeat();
  /// The end of a step that did not end exactly where it was proposed; throws when that is not allowed.
  double accepted_end(double reached) const;

  std::shared_ptr<Pace> pace_;
  FixedPace* fixed_;  ///< the pace, where it is of this kind: asked without a virtual call
  StepClock clock_;
  const std::vector<std::shared_ptr<Event>>* events_;
  CommunicationPoint communication_point_;
  double tolerance_;
  bool wants_record_;
  bool records_;  ///< where it is wanted, and heard
  bool heard_ = true;
  bool compared_ = true;                            ///< something may have been since the last mark
  bool jumps_;                                      ///< its outputs may jump when events change its inputs
  std::vector<double> before_event_, after_event_;  ///< outputs; empty: no event ended the step
  bool has_pace_;                                   ///< it is not one of the built-in ones
  bool pace_listens_;                               ///< and wants to be told
  bool may_reject_ = false;                         ///< and may reject steps
  bool extrapolates_ = false;                       ///< some input is, and what is assumed of it is written down
  bool assumes_ = false;                            ///< it extrapolates and is heard
  bool repeats_ = false;                            ///< what it did not wait for is read from the pass before
  std::unique_ptr<SavedState> before_step_;
  std::vector<char> unread_;             ///< per output: may be undefined; empty: none may be
  std::vector<double> undefined_since_;  ///< per output, s
  RowBuffer rows_;
};

}  // namespace counterpoint
