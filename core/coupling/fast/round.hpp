#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coupling/abilities.hpp"
#include "coupling/fast/many_rounds.hpp"
#include "coupling/network.hpp"

namespace counterpoint::fast {

/// A costly step counts as this many cheap ones: after it a driver reads the wall clock.
inline constexpr long cheap_steps_between_clocks = 1024;

/// Fast path: participants that step together.
///
/// Serves a group of participants that are connected only with each other and step on the same grid (groups.hpp). None
/// can overtake another, so they step in rounds: one step each, those that others wait for first, without a choice in
/// between. If they also hold their inputs (held_round.hpp), or read them at known times (sampled_round.hpp), many
/// rounds are made at once.
/// Bit-equal: the precedence rule allows these steps in this order. Measured (`python
/// -m benchmarks fast-paths`): 0.9 of the time without rounds with order 3, 0.68 with order 1.
class Round {
 public:
  Round(Network& network, std::vector<int> members, Choice allowed);

  /// Before the run starts: choose what is compared from samples, and which defect rows are derived.
  /// `assumed`: assumed values are kept, the rest is derived; `deferred`: they are kept and compared after the run.
  enum class DefectRows { derived, assumed, deferred, written };
  void choose_comparisons(DefectRows rows);
  /// After the start.
  void choose_steps();
  /// Before the start: step one by one from now on; or together again.
  void leave();
  void join();

  /// The participants were moved: all are at the same time.
  void start_over() { next_.store(0, std::memory_order_relaxed); }
  /// No round has begun without being finished.
  bool is_whole() const { return next_.load(std::memory_order_relaxed) == 0; }
  const std::vector<int>& members() const { return members_; }

  /// Make rounds up to `target`, as many as there is room for, or until a step is costly. Returns the number of steps;
  /// a costly one counts as many cheap ones.
  long run(double target);

  /// See Scheduler.
  std::optional<CallUnderWay> call_under_way() const;
  void abandon() {
    if (many_) many_->abandon();
  }

 private:
  Participant& participant(std::size_t k) const { return network_.participants[members_[k]]; }
  /// Internal error unless all are at the same time.
  void check_same_place() const;
  std::size_t make_room() const;
  void announce() const;
  /// Prefetch the memory of the members after this one.
  void fetch_ahead(std::size_t next) const;
  /// Returns the steps counted.
  static long step(Participant& p);
  /// `cheap`: whether all steps were.
  long run_one_by_one(std::size_t rounds, double target, bool& cheap);
  struct OneByOne;
  void choose_guard();
  void choose_many();
  bool makes_many(double target) const;
  long in_equal_parts(long most, double target) const;
  long run_many(long most, double target);
  void look_at_stopwatches();
  bool wants_one_by_one() const;

  Network& network_;
  Choice allowed_;
  std::vector<int> members_;          ///< those that others wait for first; the first one represents all
  std::atomic<bool> at_work_{false};  ///< the member before `next_`, or one of `many_`
  std::atomic<std::size_t> next_{0};  ///< the member whose turn it is: after a costly step a driver may read the clock
  std::unique_ptr<ManyRounds> many_;  ///< null: one round after the other
  Around around_ = nullptr;           ///< guards all members
  std::vector<void*> guarded_;        ///< the members, for `around_`
  double seconds_ = 0.0;              ///< measured time of a round
  double seconds_of_many_ = 0.0;      ///< measured time of a round when many are made at once
  long unwatched_ = std::numeric_limits<long>::max() / 2;  ///< rounds since the last one that was watched
  /// Members whose steps can be announced at the beginning of a round.
  std::vector<std::pair<int, AnnouncedStepper*>> elsewhere_;
};

}  // namespace counterpoint::fast
