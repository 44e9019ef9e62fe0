#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "coupling/fast/joint_pass.hpp"
#include "coupling/fast/joint_step.hpp"
#include "coupling/fast/round.hpp"
#include "coupling/fast/step_batch.hpp"
#include "coupling/fast/workers.hpp"
#include "coupling/precedence_rule.hpp"

namespace counterpoint::fast {

/// Fast paths of a scheduler, each bit-equal to one step after the other: any order of steps that the precedence rule
/// allows gives the same bits.
///
/// 1. Rounds (round.hpp), for groups that step together; with one thread.
/// 2. Threads. All participants that may step do so at the same time: 0.72 of the wall time with two threads and 57 us
///    of work per step.
/// 3. Batches (step_batch.hpp). A participant makes as many steps as the rule allows.
/// 4. Joint steps (joint_step.hpp). All make one step to the same end; with one thread.
/// 5. Joint passes (joint_pass.hpp). All go through a window in the order of an earlier pass; with one thread.
/// 6. Comparisons. Pending values are compared when a slice ends or a history is full; if a pace listens, as soon as
/// the
///    sample arrives; if the record is kept, after the run (deferred_comparison.hpp).
class SchedulingPaths {
 public:
  using Candidate = PrecedenceRule::Candidate;

  SchedulingPaths(const RunSpec& spec, int threads, Network& network, PrecedenceRule& rule);

  void suspend_rounds();
  void repeat_rounds() { repeated_ = true; }
  void keep_steps_undecided() { undecided_ = true; }
  void resume_rounds();
  void before_start();
  void after_start();
  void look_again();

  /// In a round; see Scheduler.
  std::optional<CallUnderWay> call_under_way() const;
  void abandon();

  /// If a path serves this participant: make and publish steps of it, its group or others that may step at the same
  /// time, and return true. Otherwise do nothing. Adds to `steps_made`; a costly step counts as several.
  bool run(Candidate& next, long& steps_made) {
    if (!enabled_) return false;
    if (next.round != nullptr) {
      run_round(next, steps_made);
    } else if (pool_) {
      run_together(next, steps_made);
    } else {
      run_batch(next, steps_made);
    }
    return true;
  }

  enum class Joint { none, step, pass };  ///< what has been made: nothing or a part, one step of all, all steps
  /// The same for all steps of all participants to `target`; the values that a pass assumed are not compared yet.
  Joint run_jointly(double target);
  /// See joint_pass.hpp.
  bool notes() const { return joint_pass_ && joint_pass_->notes(); }
  void note(int participant, long steps) { joint_pass_->note(participant, steps); }
  void end_noting() { joint_pass_->end_noting(); }

 private:
  void enter(Round& round);
  void defer_comparisons();
  void keep_assumed();

  static constexpr std::size_t most_steps = 1024;  ///< in a batch

  /// Steps of one participant as far as its limits allow; returns their number (more for costly ones).
  long batch(Candidate& c) const {
    Participant& p = *c.participant;
    const double stop = std::min(p.t + longest_, rule_.target());
    BatchLimits allowed{c.end, std::min(c.begin, stop), 1};
    if (allowed_.batches && !p.stopwatch.costly() && !c.fed)
      allowed.steps = static_cast<long>(std::min(p.history.room(), most_steps));
    const long before = p.steps;
    if (p.stopwatch.due()) {
      StepBatch::run_timed(p, allowed);
    } else {
      StepBatch::run(p, allowed);
    }
    return p.stopwatch.costly() ? cheap_steps_between_clocks : p.steps - before;
  }
  void run_batch(Candidate& c, long& steps_made) {
    if (c.participant->history.room() < 16) network_.make_room(c.index, 64);
    network_.guarded(c.index, [&] { steps_made += batch(c); });
    publish(c);
  }
  void publish(Candidate& c) {
    c.participant->history.commit();
    if (compares_at_once_) network_.compare(c.index);
    rule_.has_published(c);
  }
  bool run_whole_round(double target);
  void run_round(Candidate& first, long& steps_made);
  void run_together(Candidate& first, long& steps_made);

  Network& network_;
  PrecedenceRule& rule_;
  Choice allowed_;
  bool enabled_;  ///< any of them
  bool compares_at_once_;
  bool defers_comparisons_;
  bool streams_record_;
  double longest_;  ///< batch, s
  std::optional<JointStep> joint_step_;
  std::optional<JointPass> joint_pass_;
  std::deque<Round> rounds_;
  bool suspended_ = false;  ///< there are no rounds
  bool undecided_ = false;  ///< steps may be undone
  bool repeated_ = false;   ///< rounds may be repeated: assumed values do not follow from the record
  WorkerPoolPointer pool_;
  std::vector<int> together_;
  std::vector<std::exception_ptr> errors_;
};

}  // namespace counterpoint::fast
