#pragma once

#include "coupling/fast/scheduling_paths.hpp"
#include "coupling/precedence_rule.hpp"

namespace counterpoint {

/// Applies the precedence rule to N subsystems (Counterpoint is master).
///
///     repeat until all have reached the target:
///       choose:   of those that may step by the precedence rule, the one that goes first
///       freeze:   its inputs: which samples of its sources it sees
///       step:     its subsystem, to the end that its pace has proposed
///       publish:  its outputs; compare them with what was assumed; its pace proposes the next step;
///                 update which participants may step
///
/// Times alone decide which samples a step uses, so the order in which allowed steps are made changes no bit. This is
/// why several steps may be made in a row, in rounds or at the same time (`fast::SchedulingPaths`).
class Scheduler {
 public:
  Scheduler(const RunSpec& spec, int threads);

  /// Before the start: no rounds, so that a slice can end after every step. `resume_rounds` ends this, when all
  /// participants are at the same time.
  void suspend_rounds() { paths_.suspend_rounds(); }
  /// Before the start: rounds are made one step at a time, because they may be repeated.
  void repeat_rounds() { paths_.repeat_rounds(); }
  /// Before the start: steps may be undone, until `resume_rounds`.
  void keep_steps_undecided() { paths_.keep_steps_undecided(); }
  void resume_rounds() { paths_.resume_rounds(); }

  void start();

  /// Determine again which participants may step: they were moved, or what they read was changed.
  void look_again();

  /// Whether assumed values are compared; false: there are none, until this is called again.
  void compare(bool compares) { compares_ = compares; }
  /// What follows from samples is compared when a history is full, or when `bring_up_to_date` asks for it, not at the
  /// end of every advance.
  void compare_when_asked() { when_asked_ = true; }
  static void bring_up_to_date(const Network::ConnectionEnd& connection) {
    if (connection.connection().fast.compares_by_samples) connection.participant->compare(connection.index);
  }

  /// Step until every participant has reached `target`, or to the end of a slice: after `wall_seconds`, or after some
  /// hundred thousand steps, whose results should then be taken. Returns true if all have reached the target. Throws
  /// what a model threw; see `network().failure`.
  bool advance(double target, double wall_seconds);

  /// For an outer master: where participants choose the length of their steps, these end at its communication point
  /// `time`.
  void stop_at(double time);

  /// The step that has not returned. For another thread, while `start` or `advance` hangs.
  std::optional<CallUnderWay> call_under_way() const;
  /// That step will never return: earlier results can be taken, nothing else may be called.
  void abandon() { paths_.abandon(); }

  Network& network() { return network_; }

 private:
  using Candidate = PrecedenceRule::Candidate;

  void go(double wall_seconds);
  void go_and_note(double wall_seconds);
  void go_by_wall_clock(double wall_seconds);
  void step(Candidate& c);
  void publish(Candidate& c);
  void compare_all();
  bool compares_by_samples_alone() const;
  /// False if the precedence rule has to decide.
  bool step_jointly(double target);

  Network network_;
  PrecedenceRule rule_;
  fast::SchedulingPaths paths_;
  bool is_moved_ = false;                  ///< the state of the rule is out of date
  std::shared_ptr<WallClock> wall_clock_;  ///< null: as fast as possible
  long steps_made_ = 0;                    ///< in this slice
  bool compares_ = true;
  bool when_asked_ = false;
  bool all_by_samples_ = false;  ///< every comparison follows from samples
};

}  // namespace counterpoint
