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

/// One subsystem in a run, with its inputs, its history, its steps and its record.
///
///     step:     freeze inputs, step, publish, assume, propose
///     publish:  outputs into the history and the record
///     assume:   store the extrapolated input at the end of the step, to be compared with the sample that arrives
///     propose:  ask the pace for the end of the next step
class Participant {
 public:
  /// The part of the run's specification that concerns one participant.
  struct Set {
    std::unique_ptr<Inputs> inputs;
    std::shared_ptr<Pace> pace;  ///< null: the fixed steps of the clock, or the steps preferred by the subsystem
    StepClock clock;
    const std::vector<std::shared_ptr<Event>>* events = nullptr;
    bool derivatives = false;  ///< derivatives of its outputs are needed
    bool jumps = false;        ///< its outputs may jump when events change its inputs
    double start = 0.0;        ///< s
    double tolerance = 0.0;    ///< s
    bool records = true;
    std::vector<char> unread = {};  ///< per output: nothing reads it, so it may be NaN; empty: none may be
  };
  Participant(SubsystemPointer model, Set set);

  /// Add the connection with this number in the run.
  Comparison& connect(Connection connection, int number);

  void start();
  /// Determine which inputs are extrapolated, with stored values to be compared.
  void look_at_assumptions();
  /// Read the initial outputs, also after other initial outputs have changed.
  void refresh_initial_outputs();

  /// Make one step; it is published into the history, but not committed.
  void step() {
    inputs->freeze(t, t_next);
    step_with_inputs();
  }
  /// The same, with inputs that the caller has frozen.
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
  /// The `assume` that `step` left out (joint_step.hpp).
  void assume_later() {
    if (assumes_) assume();
  }

  /// The next communication point of an outer master. Steps whose length the participant chooses end there, also the
  /// proposed one.
  void stop_at(double time) {
    communication_point_.time = time;
    if (fixed_ == nullptr) t_next = next_end();
  }
  /// From now on no step ends after `end`; the participant has finished when it gets there.
  void open_until(double end) {
    clock_.end_at(end);
    propose();
    horizon = t_next;
  }
  /// Others need the samples of its sources up to `end` before they step.
  void wants_sources_until(double end) { horizon = std::max(horizon, end); }

  /// Publish a sample from outside (a host that integrates by itself).
  void publish_given(double time, const double* values);
  /// Replace the last sample, at the same time; false if the values are unchanged.
  bool publish_again(const double* values);

  /// From now on: record what it publishes and compare what it assumes (true), or tell only its pace, because the steps
  /// will be made again (false).
  void set_heard(bool heard) {
    heard_ = heard;
    compared_ = compared_ || heard;
    records_ = heard && wants_record_;
    assumes_ = (heard || pace_listens_) && extrapolates_;
  }

  /// What it assumes is compared later: its sources publish again, it does not step again.
  void hold_comparisons(bool holds) {
    for (Comparison& comparison : comparisons) comparison.hold(holds);
  }

  /// Whether it has assumed, or may assume, values to be compared.
  bool compares() const { return compared_; }
  /// Compare the values assumed on connection k with those that its source has published.
  void compare(std::size_t k);

  /// A time span is repeated from now on, or no longer repeated (`Inputs::read_earlier`).
  void read_earlier(const std::vector<History>& earlier, bool centred);
  void read_present();

  /// Its position in the run.
  struct Place {
    std::vector<Comparison::Saved> comparisons;  ///< one per connection
    std::optional<StepClock> clock;
    double communication_point;
    double t, t_next, horizon;
    long steps;
    std::size_t rows;
  };
  /// The complete state. `keep`: the first sample that may still be needed.
  struct Saved : Place {
    std::unique_ptr<SavedState> subsystem;
    Inputs::Saved inputs;
    History::Saved history;
  };
  /// False if the subsystem cannot save. Overwrites `into`, whose memory is reused.
  bool save(std::size_t keep, Saved& into) const;
  void restore(const Saved& saved);

  /// The same for a time span that may be repeated, at less cost: the history keeps its samples.
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
  /// The same, except for the subsystem, which has failed.
  void rewind(const Mark& mark) {
    inputs->return_to(mark.inputs);
    history.cut_back(mark.samples);
    if (compared_) rewind_comparisons(mark);
    restore_place(mark);
  }

  /// Rows (t, outputs) recorded since the last call.
  std::size_t row_count() const { return rows_.rows(); }
  std::vector<Rows> take_rows();

  /// Null if its steps are fixed or those of the subsystem.
  Pace* pace() const { return has_pace_ ? pace_.get() : nullptr; }
  /// The next time at which steps of a chosen length end, s.
  double next_event() const {
    const double point = communication_point_.time;
    return events_->empty() && inputs->events() == nullptr ? point : std::min(point, next_of_events());
  }
  bool finished() const { return t_next == Polynomial::infinity; }
  bool records() const { return records_; }
  /// Whether a step may end before its proposed end.
  bool may_stop_early() const { return subsystem->stops_early() || may_reject_; }
  /// Some of these outputs are NaN or infinite: throws, unless nothing reads them and they were so at the start or
  /// other outputs are finite.
  void not_finite(double time, const double* values);
  /// Per output: the time since which it is NaN or infinite, s; infinity: never. Empty if none may be.
  const std::vector<double>& undefined_since() const { return undefined_since_; }

  SubsystemPointer subsystem;
  std::unique_ptr<Inputs> inputs;
  History history;
  std::vector<Comparison> comparisons;  ///< one per connection of inputs
  Stopwatch stopwatch;
  double t;
  long steps = 0;          ///< placed between the times; otherwise compilers pack these two in every step
  double t_next;           ///< end of the proposed step, infinity when finished
  double horizon;          ///< the largest t_next so far: samples of the sources are needed up to here
  bool proposing = false;  ///< its pace is choosing the next step
  fast::ParticipantPaths fast;

 private:
  friend class fast::StepBatch;

  /// Write the outputs at `time` into the history (not yet committed) and the record.
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
  /// An event changes the inputs at the end of the step: returns the outputs after it, and keeps those before it.
  const double* pass_event(double time, const double* y);
  const double* output_after_event(double time);
  void assume();
  void assume_input(Connection& c, Comparison& comparison);
  void assume_in_repeat();
  /// The accepted end of a step that did not end exactly where proposed; throws if that is not allowed.
  double accepted_end(double reached) const;

  std::shared_ptr<Pace> pace_;
  FixedPace* fixed_;  ///< the pace, if it is of this kind; saves a virtual call
  StepClock clock_;
  const std::vector<std::shared_ptr<Event>>* events_;
  CommunicationPoint communication_point_;
  double tolerance_;
  bool wants_record_;
  bool records_;  ///< the record is wanted, and the participant is heard
  bool heard_ = true;
  bool compared_ = true;                            ///< something may have been since the last mark
  bool jumps_;                                      ///< its outputs may jump when events change its inputs
  std::vector<double> before_event_, after_event_;  ///< outputs; empty: no event ended the step
  bool has_pace_;                                   ///< the pace is not one of the built-in ones
  bool pace_listens_;                               ///< and it listens
  bool may_reject_ = false;                         ///< and it may reject steps
  bool extrapolates_ = false;                       ///< some input is, and what is assumed of it is stored
  bool assumes_ = false;                            ///< it extrapolates and is heard
  bool repeats_ = false;  ///< sources that it does not wait for are read from the previous pass
  std::unique_ptr<SavedState> before_step_;
  std::vector<char> unread_;             ///< per output: it may be NaN; empty: none may be
  std::vector<double> undefined_since_;  ///< per output, s
  RowBuffer rows_;
};

}  // namespace counterpoint
