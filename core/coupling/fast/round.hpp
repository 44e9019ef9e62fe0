#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "coupling/fast/many_rounds.hpp"
#include "coupling/fast/steppers.hpp"
#include "coupling/network.hpp"

namespace counterpoint::fast {

/// A costly step counts for as many cheap ones: after it a driver looks at the wall clock.
inline constexpr long cheap_steps_between_clocks = 1024;

/// Fast path: participants that step together.
///
/// Serves a group of participants that are connected with each other only and step on the same grid (groups.hpp): none
/// can overtake another, so that they go in rounds, one step each, those that are waited for first, and nothing has to
/// be chosen in between. Where they hold their inputs as well (held_round.hpp), or ask for them at known times
/// (sampled_round.hpp), many rounds are made at once.
/// Bit-equal: these are steps that the precedence rule allows, in one of the orders that it allows. Measured (`python
/// -m benchmarks fast-paths`): 0.9 of the time without rounds with order 3, 0.68 with order 1.
class Round {
 public:
  Round(Network& network, std::vector<int> members, Choice allowed);

  /// Before the run starts: what is compared from samples, and which defect rows are derived.
  /// `assumed`: what was assumed is kept, the rest derived; `deferred`: it is kept and compared after the run.
  enum class DefectRows { derived, assumed, deferred, written };
  void choose_comparisons(DefectRows rows);
  /// After it has started.
  void choose_steps();
  /// Go one by one from now on, before the run starts; or together again.
  void leave();
  void join();

  /// The participants have been moved: all stand at the same place.
  void start_over() { next_.store(0, std::memory_order_relaxed); }
  /// No round is under way.
  bool is_whole() const { return next_.load(std::memory_order_relaxed) == 0; }
  const std::vector<int>& members() const { return members_; }

  /// Rounds up to `target`, as many as there is room for or until a step was costly. Returns the number of steps made,
  /// costly ones counted as many cheap ones.
  long run(double target);

  /// See Scheduler.
  std::optional<CallUnderWay> call_under_way() const;
  void abandon() {
    if (many_) many_->abandon();
  }

 private:
  Participant& participant(std::size_t k) const { return network_.participants[members_[k]]; }
  /// Throw unless all stand at the same place: moving one of them alone is a mistake in the core.
  void check_same_place() const;
  std::size_t make_room() const;
  void announce() const;
  /// Ask for the memory of the members after this one.
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
  std::vector<int> members_;          ///< those that are waited for first; the first one stands for all
  std::atomic<bool> at_work_{false};  ///< the member before `next_`, or one of `many_`
  std::atomic<std::size_t> next_{0};  ///< whose turn it is: after a costly step a driver may look at the clock
  std::unique_ptr<ManyRounds> many_;  ///< null: one round after the other
  Around around_ = nullptr;           ///< guards all members
  std::vector<void*> guarded_;        ///< the members, for `around_`
  double seconds_ = 0.0;              ///< of a round, as measured so far
  double seconds_of_many_ = 0.0;      ///< of one of those that were made all together
  long unwatched_ = std::numeric_limits<long>::max() / 2;  ///< rounds made all together since one was made by itself
  /// Those whose steps can be sent off at the beginning of a round.
  std::vector<std::pair<int, AnnouncedStepper*>> elsewhere_;
};

}  // namespace counterpoint::fast
