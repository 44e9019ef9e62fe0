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
/// Which samples a step uses follows from times alone, so that the order in which allowed steps are made changes no
/// bit. That is why several steps may be made in a row, in rounds or at the same time (`fast::SchedulingPaths`).
class Scheduler {
 public:
  Scheduler(const RunSpec& spec, int threads);

  /// Before the start: no participants go in rounds, so that a slice can end after every step; until `resume_rounds`,
  /// when all stand at the same place.
  void suspend_rounds() { paths_.suspend_rounds(); }
  /// Before the start: participants go in rounds one after the other, since what they do may be repeated.
  void repeat_rounds() { paths_.repeat_rounds(); }
  /// Before the start: steps may be taken back, until `resume_rounds`.
  void keep_steps_undecided() { paths_.keep_steps_undecided(); }
  void resume_rounds() { paths_.resume_rounds(); }

  void start();

  /// Find out again which participants may step: they were moved, or what they read was changed.
  void look_again();

  /// Nothing is assumed until this is called again: there is nothing to compare.
  void compare(bool compares) { compares_ = compares; }
  /// What follows from samples is compared when a history is full, or when `bring_up_to_date` asks for it, not at the
  /// end of every advance.
  void compare_when_asked() { when_asked_ = true; }
  static void bring_up_to_date(const Network::ConnectionEnd& connection) {
    if (connection.connection().fast.compares_by_samples) connection.participant->compare(connection.index);
  }

  /// Step until every participant has reached `target`, or for a slice: until `wall_seconds` have passed
  /// or some hundred thousand steps are made, whose results should be taken away.
  /// Returns true when all have reached it. Throws what a model threw; see `network().failure`.
  bool advance(double target, double wall_seconds);

  /// For a master above: steps of a length that participants choose do not go over its communication point at `time`.
  void stop_at(double time);

  /// The step that has not come back. From another thread, while `start` or `advance` does not end.
  std::optional<CallUnderWay> call_under_way() const;
  /// That step will never come back: what was published before it can be taken. Nothing else can follow.
  void abandon() { paths_.abandon(); }

  Network& network() { return network_; }

 private:
  using Candidate = PrecedenceRule::Candidate;

  void go(double wall_seconds);
  void go_by_wall_clock(double wall_seconds);
  void step(Candidate& c);
  void publish(Candidate& c);
  void compare_all();
  bool compares_by_samples_alone() const;
  /// False where that is for the precedence rule to decide.
  bool step_jointly(double target);

  Network network_;
  PrecedenceRule rule_;
  fast::SchedulingPaths paths_;
  bool is_moved_ = false;                  ///< what the rule knows is out of date
  std::shared_ptr<WallClock> wall_clock_;  ///< null: as fast as possible
  long steps_made_ = 0;                    ///< in this slice
  bool compares_ = true;
  bool when_asked_ = false;
  bool all_by_samples_ = false;  ///< every comparison follows from samples
};

}  // namespace counterpoint
