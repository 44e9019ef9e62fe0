#include "coupling/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "check.hpp"
#include "coupling/rounds.hpp"
#include "coupling/workers.hpp"

namespace counterpoint {

namespace {
constexpr std::size_t burst_steps = 1024;                      ///< most steps in a burst
constexpr double latest = std::numeric_limits<double>::max();  ///< end of a step; who has finished proposes infinity
constexpr long steps_between_clocks = 1024;                    ///< cheap steps between two looks at the wall clock
constexpr double seconds_between_clocks = 1e-3;                ///< in rounds that are made all together
constexpr long steps_in_a_slice = 1 << 18;                     ///< then what was recorded is given away
}  // namespace

Scheduler::Scheduler(const RunSpec& spec, int threads)
    : network_(spec),
      seats_(spec.participants.size()),
      patience_(64 + 4 * static_cast<long>(spec.participants.size())),
      burst_length_((spec.until - spec.start) / 256.0) {
  take_seats(spec);
  for (Participant& p : network_.participants) p.defers = true;
  const int useful = std::min<int>(threads, static_cast<int>(spec.participants.size()));
  if (useful > 1) {
    pool_ = std::make_unique<WorkerPool>(useful);
  } else {
    make_rounds(spec);
  }
}

Scheduler::~Scheduler() = default;

void Scheduler::take_seats(const RunSpec& spec) {
  std::vector<Participant>& participants = network_.participants;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    Seat& seat = seats_[i];
    seat.index = static_cast<int>(i);
    seat.participant = &participants[i];
    seat.outgoing = &network_.outgoing(seat.index);
  }
  for (const ConnectionSpec& c : spec.connections) {
    seats_[c.source].neighbours.push_back(&seats_[c.target]);
    seats_[c.target].neighbours.push_back(&seats_[c.source]);
  }
  for (Seat& seat : seats_) {
    std::vector<Seat*>& list = seat.neighbours;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

void Scheduler::make_rounds(const RunSpec& spec) {
  for (const std::vector<int>& group : groups_in_step(spec)) {
    Round round;
    for (int i : group) {
      seats_[i].round = static_cast<int>(rounds_.size());
      seats_[i].participant->in_step = true;
      round.members.push_back(&seats_[i]);
    }
    rounds_.push_back(std::move(round));
  }
}

void Scheduler::leave_out_what_follows(const Round& round) {
  for (Seat* seat : round.members) {
    Participant& p = *seat->participant;
    for (std::size_t k = 0; k < p.defects.size(); ++k) {
      const Term& term = p.inputs->terms()[k];
      const bool held = term.simple && !term.waits && term.newest_points == 1;
      if (held && network_.participants[term.source].records()) p.defects[k].leave_rows_out();
    }
  }
}

void Scheduler::leave_rounds() {
  for (const Round& round : rounds_) {
    for (Seat* seat : round.members) {
      seat->round = -1;
      seat->participant->in_step = false;
    }
  }
  rounds_.clear();
}

inline bool Scheduler::may_step(const Seat& seat) {
  return seat.participant->t_next <= seat.end && seat.participant->t < seat.begin;
}

inline void Scheduler::offer(Seat& seat) {
  if (seat.ready) return;
  const bool may = seat.round < 0 ? may_step(seat) : rounds_[seat.round].members.front() == &seat;
  if (may) push_ready(seat);
}

void Scheduler::start() {
  for (const Round& round : rounds_) leave_out_what_follows(round);
  network_.start();
  network_.begin(-1);
  for (Round& round : rounds_) {
    std::vector<Participant*> members;
    for (const Seat* seat : round.members) members.push_back(seat->participant);
    if (HeldRound::serves(members)) round.held.emplace(std::move(members));
    for (Seat* seat : round.members) {
      const Participant& p = *seat->participant;
      const bool waits =
          std::any_of(p.inputs->terms().begin(), p.inputs->terms().end(), [](const Term& term) { return term.waits; });
      if (p.subsystem->works_elsewhere() && !waits && !p.inputs->depends_on_step()) round.elsewhere.push_back(seat);
    }
  }
  look_again();
}

void Scheduler::stop_at(double time) {
  for (Seat& seat : seats_) network_.guarded(seat.index, [&] { seat.participant->stop_at(time); });
  look_again();
}

void Scheduler::look_again() {
  ready_.clear();
  aside_.clear();
  for (Round& round : rounds_) round.next = 0;
  for (Seat& seat : seats_) {
    seat.ready = false;
    seat.intakes.clear();
    for (Term& term : seat.participant->inputs->terms()) {
      if (!term.known) seat.intakes.push_back({&term, &network_.participants[term.source]});
    }
  }
  for (Seat& seat : seats_) {
    seat.ready = false;
    update_limits(seat);
    offer(seat);
  }
}

void Scheduler::update_limits(Seat& seat) {
  const double tolerance = network_.tolerance;
  double end = latest;
  double begin = Polynomial::infinity;
  for (const auto& [term, source] : seat.intakes) {
    if (term->waits) {
      if (!source->finished()) end = std::min(end, source->t + tolerance);
    } else {
      term->source_next = source->t_next;
      begin = std::min(begin, publishes_after(*term, *source));
    }
  }
  if (!seat.outgoing->empty()) {
    double need = -Polynomial::infinity;
    for (const Network::Place& out : *seat.outgoing) need = std::max(need, out.participant->horizon);
    // Half the tolerance: whoever is blocked for want of samples, by a rounding even, must find the source willing.
    begin = std::min(begin, need - 0.5 * tolerance);
  }
  seat.end = end;
  seat.begin = begin;
}

/// The source's next sample surely comes after this: where it has proposed to step to, or, when it may
/// stop early, where it stands.
double Scheduler::publishes_after(const Term& term, const Participant& source) const {
  if (source.finished()) return Polynomial::infinity;
  return term.source_stops_early ? source.t + network_.tolerance : source.t_next - network_.tolerance;
}

bool Scheduler::later(int a, int b) const {
  const double ta = network_.participants[a].t;
  const double tb = network_.participants[b].t;
  return ta != tb ? ta > tb : a > b;
}

inline void Scheduler::push_ready(Seat& seat) {
  seat.ready = true;
  ready_.push_back(seat.index);
  if (ready_.size() > 1) sift_last_in();
}

/// One that is far enough and that nobody (else) listens to can unblock no one.
inline bool Scheduler::rests(const Seat& seat) const {
  const bool alone = seat.round < 0 ? seat.outgoing->empty() : rounds_[seat.round].next == 0;
  return alone && reached(*seat.participant);
}

[[gnu::always_inline]] inline int Scheduler::pop_ready() {
  while (!ready_.empty()) {
    if (ready_.size() > 1) sift_earliest_out();
    const int i = ready_.back();
    ready_.pop_back();
    Seat& seat = seats_[i];
    seat.ready = false;
    if (!rests(seat)) return i;
    set_aside(i);
  }
  return -1;
}

// Apart from their callers, whose usual way is short: two that take turns need no heap.
[[gnu::noinline]] void Scheduler::sift_last_in() {
  std::push_heap(ready_.begin(), ready_.end(), [this](int a, int b) { return later(a, b); });
}

[[gnu::noinline]] void Scheduler::sift_earliest_out() {
  std::pop_heap(ready_.begin(), ready_.end(), [this](int a, int b) { return later(a, b); });
}

[[gnu::noinline]] void Scheduler::set_aside(int i) { aside_.push_back(i); }

long Scheduler::burst(Seat& seat) {
  Participant& p = *seat.participant;
  const double stop = std::min(p.t + burst_length_, target_);
  BurstLimits allowed{seat.end, std::min(seat.begin, stop), 1};
  if (!p.stopwatch.costly()) allowed.steps = static_cast<long>(std::min(p.history.room(), burst_steps));
  if (p.stopwatch.due()) return make_timed_steps(p, allowed);
  const long before = p.steps;
  p.subsystem->burst(p, allowed);
  return p.stopwatch.costly() ? steps_between_clocks : p.steps - before;
}

long Scheduler::make_timed_steps(Participant& p, const BurstLimits& allowed) {
  const long before = p.steps;
  p.stopwatch.begin();
  p.subsystem->burst(p, allowed);
  p.stopwatch.end(p.steps - before);
  return p.stopwatch.costly() ? steps_between_clocks : p.steps - before;
}

inline void Scheduler::note_whether_reached(Seat& seat) {
  if (seat.reached || !reached(*seat.participant)) return;
  seat.reached = true;
  --behind_;
}

void Scheduler::after_burst(Seat& seat) {
  seat.participant->history.commit();
  note_whether_reached(seat);
  offer(seat);
  for (Seat* neighbour : seat.neighbours) {
    update_limits(*neighbour);
    offer(*neighbour);
  }
}

void Scheduler::run_alone(int i) {
  Seat& seat = seats_[i];
  if (seat.participant->history.room() < 16) network_.make_room(i, 64);
  network_.guarded(i, [&] { steps_made_ += burst(seat); });
  after_burst(seat);
}

inline bool Scheduler::step_in_round(Seat& seat) {
  constexpr BurstLimits one_step{latest, latest, 1};
  Participant& p = *seat.participant;
  long made = 1;
  if (p.stopwatch.due()) {
    made = make_timed_steps(p, one_step);
  } else {
    p.subsystem->burst(p, one_step);
  }
  p.history.commit();
  steps_made_ += made;
  return made == 1;
}

void Scheduler::check_step(const Round& round) const {
  const Participant& first = *round.members.front()->participant;
  for (const Seat* seat : round.members) {
    const Participant& p = *seat->participant;
    if (p.t == first.t && p.t_next == first.t_next && p.history.end() == first.history.end()) continue;
    internal_error("subsystems that step together are not at the same place");
  }
}

void Scheduler::announce(const Round& round) {
  for (const Seat* seat : round.elsewhere) network_.guarded(seat->index, [&] { seat->participant->announce(); });
}

void Scheduler::run_rounds(Round& round) {
  if (round.next == 0) check_step(round);
  std::size_t left = burst_steps;
  for (Seat* seat : round.members) {
    History& history = seat->participant->history;
    if (history.room() < 16) network_.make_room(seat->index, 64);
    left = std::min(left, history.room());
  }
  const Participant& first = *round.members.front()->participant;
  const std::size_t count = round.members.size();
  const bool holds = round.held && round.held->still_serves();
  const std::size_t one_by_one = holds ? left - 1 : 0;  // rounds left: one is made by itself, to be timed and watched
  const bool whole = !round.elsewhere.empty();          // a round in which steps were sent off is finished
  bool cheap = true;
  try {
    for (; cheap && left > one_by_one && (round.next > 0 || !reached(first)); --left) {
      if (whole) announce(round);
      while ((cheap || whole) && round.next < count) cheap = step_in_round(*round.members[round.next++]) && cheap;
      if (round.next == count) round.next = 0;
    }
  } catch (...) {
    if (round.next > 0) network_.note_failure(round.members[round.next - 1]->index);  // else what was announced failed
    throw;
  }
  if (holds && cheap && left > 0) run_held(round, static_cast<long>(left));
  for (Seat* seat : round.members) note_whether_reached(*seat);
  offer(*round.members.front());
}

void Scheduler::run_held(Round& round, long most) {
  const long members = static_cast<long>(round.members.size());
  double seconds = 0.0;  // of a round, as measured so far
  for (const Seat* seat : round.members) seconds += seat->participant->stopwatch.seconds(1);
  const long in_time = seconds > 0.0 ? static_cast<long>(std::clamp(seconds_between_clocks / seconds, 1.0, 1e6)) : 1L;
  try {
    steps_made_ += members * round.held->run(std::min(most, in_time), target_);
  } catch (...) {
    network_.note_failure(round.members[round.held->failed()]->index);
    throw;
  }
  for (Seat* seat : round.members) seat->participant->stopwatch.wake();
}

[[gnu::noinline]] void Scheduler::run_together(int first) {
  batch_.assign(1, first);
  for (int i = pop_ready(); i >= 0; i = pop_ready()) batch_.push_back(i);
  if (batch_.size() == 1) return run_alone(first);
  for (int i : batch_) {
    if (network_.participants[i].history.room() < 16) network_.make_room(i, 64);
  }
  errors_.assign(batch_.size(), nullptr);
  std::atomic<long> made{0};
  pool_->run(static_cast<int>(batch_.size()), [this, &made](int k) {
    try {
      made += burst(seats_[batch_[k]]);
    } catch (...) {
      errors_[k] = std::current_exception();
    }
  });
  steps_made_ += made;
  for (std::size_t k = 0; k < batch_.size(); ++k) {
    if (errors_[k]) network_.guarded(batch_[k], [&] { std::rethrow_exception(errors_[k]); });
  }
  for (int i : batch_) after_burst(seats_[i]);
}

bool Scheduler::reached(const Participant& p) const { return p.finished() || p.t >= target_; }

inline int Scheduler::choose() {
  int i = -1;
  // A group that is stuck would otherwise wait until everybody else has finished.
  if (++choices_ > patience_) {
    choices_ = 0;
    i = exempt_by_the_second_rule();
  }
  if (i < 0) i = pop_ready();
  if (i < 0) i = exempt_by_the_second_rule();
  // The waits-for relation has no cycle, so somebody is exempt when nobody may step.
  if (i < 0) internal_error("the precedence rule found no participant that may step");
  return i;
}

bool Scheduler::advance(double target, double wall_seconds) {
  target_ = target - network_.tolerance;
  behind_ = 0;
  for (Seat& seat : seats_) {
    seat.reached = reached(*seat.participant);
    behind_ += seat.reached ? 0 : 1;
  }
  try {
    go(wall_seconds);
  } catch (...) {
    compare_all();  // what came before the failure counts
    throw;
  }
  compare_all();
  for (int i : std::exchange(aside_, {})) offer(seats_[i]);
  return behind_ == 0;
}

void Scheduler::compare_all() {
  for (const Seat& seat : seats_) network_.compare(seat.index);
}

/// Flat: with little work in a step, the calls between these small functions would cost as much as they do. What is
/// not on the way of one subsystem after the other stays out of it.
[[gnu::flatten]] void Scheduler::go(double wall_seconds) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::duration<double>(wall_seconds);
  steps_made_ = 0;
  long look_at_clock = steps_between_clocks;
  while (behind_ > 0) {
    const int i = choose();
    if (seats_[i].round >= 0) {
      run_rounds(rounds_[seats_[i].round]);
    } else {
      pool_ ? run_together(i) : run_alone(i);
    }
    if (steps_made_ >= steps_in_a_slice) break;
    if (steps_made_ >= look_at_clock) {
      look_at_clock = steps_made_ + steps_between_clocks;
      if (clock::now() >= deadline) break;
    }
  }
}

bool Scheduler::blocks(int i, const Term& term) const {
  const Participant& p = network_.participants[i];
  const Participant& source = network_.participants[term.source];
  if (term.known) return false;
  if (term.waits) return !source.finished() && p.t_next > source.t + network_.tolerance;
  return p.t >= publishes_after(term, source);
}

bool Scheduler::is_blocked(int i) const {
  const Participant& p = network_.participants[i];
  const std::vector<Term>& terms = p.inputs->terms();
  return !p.finished() && std::any_of(terms.begin(), terms.end(), [&](const Term& term) { return blocks(i, term); });
}

bool Scheduler::is_blocked_by_extrapolation_only(int i) const {
  const std::vector<Term>& terms = network_.participants[i].inputs->terms();
  return is_blocked(i) &&
         std::none_of(terms.begin(), terms.end(), [&](const Term& term) { return term.waits && blocks(i, term); });
}

/// Those that block i, those that block them, and so on; cut short at the first who is not blocked.
std::vector<int> Scheduler::blocked_through(int i) const {
  std::vector<int> group{i};
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (!is_blocked(group[k])) return {};
    for (const Term& term : network_.participants[group[k]].inputs->terms()) {
      const bool known = std::find(group.begin(), group.end(), term.source) != group.end();
      if (!known && blocks(group[k], term)) group.push_back(term.source);
    }
  }
  return group;
}

[[gnu::noinline]] int Scheduler::exempt_by_the_second_rule() const {
  for (int i = 0; i < static_cast<int>(network_.participants.size()); ++i) {
    if (!is_blocked_by_extrapolation_only(i)) continue;
    const std::vector<int> group = blocked_through(i);
    const bool first = !group.empty() && std::all_of(group.begin(), group.end(), [&](int other) {
      const std::vector<int> back = blocked_through(other);
      const bool returns = std::find(back.begin(), back.end(), i) != back.end();
      return returns && (other == i || !is_blocked_by_extrapolation_only(other) || later(other, i));
    });
    if (first) return i;
  }
  return -1;
}

}  // namespace counterpoint
