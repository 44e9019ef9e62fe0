#include "coupling/fast/round.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "check.hpp"
#include "coupling/cancellation.hpp"
#include "coupling/fast/derived_comparison.hpp"
#include "coupling/fast/fetch.hpp"
#include "coupling/fast/held_round.hpp"
#include "coupling/fast/sampled_round.hpp"
#include "coupling/floating_point.hpp"

namespace counterpoint::fast {

namespace {

constexpr std::size_t most_rounds = 1024;
constexpr double seconds_between_clocks = 1e-3;   ///< in many rounds that are made at once
constexpr double seconds_of_short_steps = 20e-3;  ///< the same if a step takes less than `long_step`: beginning and
                                                  ///< ending take as long as some rounds
constexpr long rounds_between_watched = 256;      ///< of these, at most; fewer if a round takes long
constexpr double long_round = 10e-6;              ///< s
constexpr double long_step = 1e-6;                ///< s, mean of the members

/// All sources are at the same sample as the consumer, or one step ahead if it waits for them.
inline void freeze_in_step(Participant& p) {
  p.inputs->begin_step(p.t, p.t_next);
  p.inputs->fast_paths().freeze_in_step(p.inputs->connections(), p.inputs->values(), p.history.end() - 1);
}

}  // namespace

Round::Round(Network& network, std::vector<int> members, Choice allowed)
    : network_(network), allowed_(allowed), members_(std::move(members)) {
  join();
}

void Round::join() {
  for (int i : members_) network_.participants[i].fast.in_step = true;
}

void Round::choose_comparisons(DefectRows rows) {
  for (int i : members_) network_.participants[i].fast.derive_from_rows.clear();
  for (int i : members_) {
    Participant& p = network_.participants[i];
    for (std::size_t k = 0; k < p.comparisons.size(); ++k) {
      Connection& c = p.inputs->connections()[k];
      if (c.fast.deferred) continue;
      c.fast.compares_by_samples = allowed_.derived_comparisons && DerivedComparison::serves(c, p.comparisons[k]);
      Participant& source = network_.participants[c.source];
      if (rows == DefectRows::deferred && c.fast.compares_by_samples && source.records()) {
        p.comparisons[k].keep_assumed_of_samples();
        continue;
      }
      const bool held = c.fast.newest_points == 1;
      if (rows == DefectRows::written || !allowed_.derived_rows || !c.fast.compares_by_samples || !source.records() ||
          (rows == DefectRows::derived && !held))
        continue;
      using Assumed = DerivedDefectRows::Assumed;
      p.comparisons[k].defect.derive(LineInput(c),
                                     rows == DefectRows::derived ? Assumed::sample_before : Assumed::kept);
      source.fast.derive_from_rows.push_back(&p.comparisons[k].defect.derived);
    }
    p.look_at_assumptions();
  }
}

void Round::choose_steps() {
  for (int i : members_) {
    Participant& p = network_.participants[i];
    const std::vector<Connection>& connections = p.inputs->connections();
    const bool waits = std::any_of(connections.begin(), connections.end(), [](const Connection& c) { return c.waits; });
    auto* elsewhere = dynamic_cast<AnnouncedStepper*>(p.subsystem.get());
    if (elsewhere != nullptr && !waits && !p.inputs->depends_on_step()) elsewhere_.push_back({i, elsewhere});
  }
  choose_guard();
  choose_many();
}

void Round::choose_many() {
  std::vector<Participant*> participants;
  for (int i : members_) {
    Participant& p = network_.participants[i];
    p.fast.held = dynamic_cast<HeldStepper*>(p.subsystem.get());
    p.fast.sampled = dynamic_cast<SampledStepper*>(p.subsystem.get());
    participants.push_back(&p);
  }
  many_.reset();
  if (allowed_.held_rounds && HeldRound::serves(participants))
    many_ = std::make_unique<HeldRound>(std::move(participants));
  else if (allowed_.sampled_rounds && SampledRound::serves(participants))
    many_ = std::make_unique<SampledRound>(std::move(participants));
}

void Round::choose_guard() {
  guarded_.clear();
  around_ = nullptr;
  for (int i : members_) {
    auto* stepper = dynamic_cast<GuardedStepper*>(network_.participants[i].subsystem.get());
    const GuardedStepper::Guard guard = stepper != nullptr ? stepper->guard() : GuardedStepper::Guard{};
    if (!guarded_.empty() && guard.around != around_)
      around_ = nullptr;
    else
      around_ = guard.around;
    if (around_ == nullptr) return;
    guarded_.push_back(guard.model);
  }
}

void Round::leave() {
  for (int i : members_) network_.participants[i].fast.in_step = false;
}

void Round::check_same_place() const {
  const Participant& first = participant(0);
  for (int i : members_) {
    const Participant& p = network_.participants[i];
    if (p.t == first.t && p.t_next == first.t_next && p.history.end() == first.history.end()) continue;
    internal_error("participants that step together are not at the same place");
  }
}

std::size_t Round::make_room() const {
  std::size_t room = most_rounds;
  for (int i : members_) {
    History& history = network_.participants[i].history;
    if (history.room() < 16) network_.make_room(i, 64);
    room = std::min(room, history.room());
  }
  return room;
}

void Round::announce() const {
  for (const auto& [i, stepper] : elsewhere_) {
    network_.guarded(i, [&] {
      Participant& p = network_.participants[i];
      freeze_in_step(p);
      stepper->announce(p.t, p.t_next, *p.inputs);
    });
  }
}

inline long Round::step(Participant& p) {
  const bool timed = p.stopwatch.due();
  if (timed) p.stopwatch.begin();
  freeze_in_step(p);
  p.step_with_inputs();
  if (timed) p.stopwatch.end(1);
  p.history.commit();
  return timed && p.stopwatch.costly() ? cheap_steps_between_clocks : 1;
}

/// For groups that do not fit into the caches: prefetch what the next steps read, pointers before the data that they
/// point to. 10 000 linear models in a ring: 0.65 of the time per step; 4000: 0.86; 1000: 1.
inline void Round::fetch_ahead(std::size_t next) const {
  constexpr std::size_t participants = 8, parts = 4, inputs = 2;  // steps ahead
  constexpr std::size_t of_subsystem = 256;                       // bytes; what else it has was made beside it
  const std::size_t count = members_.size();
  if (next + participants < count) fetch(&participant(next + participants), sizeof(Participant));
  if (next + parts < count) {
    Participant& p = participant(next + parts);
    fetch(p.inputs.get(), sizeof(Inputs));
    fetch(p.subsystem.get(), of_subsystem);
    fetch(p.history.next_value(), 1);
    fetch(p.history.next_time(), 1);
  }
  if (next + inputs < count) {
    Inputs& of = *participant(next + inputs).inputs;
    const std::vector<LineInput>& lines = of.fast_paths().line_inputs();
    fetch(lines.data(), lines.size() * sizeof(LineInput));
    fetch(of.values().data(), 1);
  }
}

/// Rounds, one step after the other. Contains nothing to unwind, because a step may leave it without a return.
struct Round::OneByOne {
  Round& round;
  std::size_t rounds;
  double target;
  bool& cheap;
  long made = 0;

  [[gnu::flatten]] void run() {
    const Participant& first = round.participant(0);
    const bool whole = !round.elsewhere_.empty();  // a round with announced steps is always finished
    std::size_t next = round.next_.load(std::memory_order_relaxed);
    const bool large = round.members_.size() > more_than_the_caches;
    const auto turn_to = [&](std::size_t k) { round.next_.store(next = k, std::memory_order_relaxed); };
    for (; cheap && rounds > 0 && (next > 0 || (!first.finished() && first.t < target)); --rounds) {
      if (whole) round.announce();
      while ((cheap || whole) && next < round.members_.size()) {
        Cancellation::check();
        turn_to(next + 1);
        if (large) round.fetch_ahead(next);
        const long counted = step(round.participant(next - 1));
        made += counted;
        cheap = counted == 1 && cheap;
      }
      if (next == round.members_.size()) turn_to(0);
    }
  }
};

long Round::run_one_by_one(std::size_t rounds, double target, bool& cheap) {
  OneByOne work{*this, rounds, target, cheap};
  const FloatingPoint settings;
  try {
    if (around_ != nullptr)
      around_(guarded_.data(), guarded_.size(), [](void* all) { static_cast<OneByOne*>(all)->run(); }, &work);
    else
      work.run();
  } catch (...) {
    if (around_ != nullptr) settings.restore();
    const std::size_t next = next_.load(std::memory_order_relaxed);
    if (next > 0) network_.note_failure(members_[next - 1]);  // else what was announced failed
    throw;
  }
  return work.made;
}

void Round::look_at_stopwatches() {
  seconds_ = 0.0;
  for (int i : members_) seconds_ += network_.participants[i].stopwatch.seconds(1);
  unwatched_ = 0;
}

/// Not first as many as there can be and then the few that are left.
long Round::in_equal_parts(long most, double target) const {
  const Participant& first = participant(0);
  const double left = std::ceil((target - first.t) / (first.t_next - first.t));
  if (!(left > static_cast<double>(most))) return most;
  return static_cast<long>(std::ceil(left / std::ceil(left / static_cast<double>(most))));
}

long Round::run_many(long most, double target) {
  const bool short_steps = seconds_ < long_step * static_cast<double>(members_.size());
  const double between = short_steps ? seconds_of_short_steps : seconds_between_clocks;
  const double expected = seconds_of_many_ > 0.0 ? std::min(seconds_, seconds_of_many_) : seconds_;
  const long in_time = seconds_ > 0.0 ? static_cast<long>(std::clamp(between / expected, 1.0, 1e6)) : 1L;
  most = in_equal_parts(std::min(most, in_time), target);
  const auto began = Stopwatch::clock::now();
  long rounds = 0;
  try {
    rounds = many_->run(most, target);
  } catch (...) {
    network_.note_failure(members_[many_->failed()]);
    throw;
  }
  const double elapsed = std::chrono::duration<double>(Stopwatch::clock::now() - began).count();
  if (rounds > 0) seconds_of_many_ = elapsed / static_cast<double>(rounds);
  unwatched_ += rounds;
  return rounds * static_cast<long>(members_.size());
}

/// Where rounds are made all together one is made by itself before, to be timed and watched; not before each of the
/// short stretches of a window.
bool Round::wants_one_by_one() const {
  const double long_for_all = std::max(long_round, long_step * static_cast<double>(members_.size()));
  return !is_whole() || unwatched_ >= rounds_between_watched || seconds_ > long_for_all;
}

bool Round::makes_many(double target) const {
  if (!many_) return false;
  const Participant& first = participant(0);
  const bool are_many = first.t + static_cast<double>(many_->fewest_rounds() - 1) * (first.t_next - first.t) < target;
  return are_many && many_->still_serves();
}

std::optional<CallUnderWay> Round::call_under_way() const {
  if (!at_work_.load(std::memory_order_relaxed)) return std::nullopt;
  if (many_) {
    if (const auto found = many_->call_under_way()) return CallUnderWay{members_[found->member], found->t};
  }
  const std::size_t next = next_.load(std::memory_order_relaxed);
  const int member = members_[next > 0 ? next - 1 : 0];
  return CallUnderWay{member, network_.time_of(member)};
}

long Round::run(double target) {
  at_work_.store(true, std::memory_order_relaxed);
  const struct Ended {
    std::atomic<bool>& at_work;
    ~Ended() { at_work.store(false, std::memory_order_relaxed); }
  } ended{at_work_};
  // After a costly step a round continues here. All members are checked once per round and not then: among thousands
  // that would take longer than the step.
  const bool whole = is_whole();
  if (whole) check_same_place();
  const std::size_t room = whole ? make_room() : 1;
  const bool at_once = whole && makes_many(target);
  bool cheap = true;
  long made = at_once && !wants_one_by_one() ? run_many(static_cast<long>(room), target) : 0;
  if (made > 0) return made;  // else the next step is not on the grid
  if (at_once) {
    for (int i : members_) network_.participants[i].stopwatch.wake();
  }
  made = run_one_by_one(at_once ? 1 : room, target, cheap);
  if (at_once) look_at_stopwatches();
  if (at_once && cheap && room > 1) made += run_many(static_cast<long>(room - 1), target);
  return made;
}

}  // namespace counterpoint::fast
