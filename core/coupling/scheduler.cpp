#include "coupling/scheduler.hpp"

#include <chrono>

namespace counterpoint {

namespace {
constexpr long steps_in_a_slice = 1 << 18;  ///< then the recorded rows are taken
}  // namespace

Scheduler::Scheduler(const RunSpec& spec, int threads)
    : network_(spec), rule_(network_, spec), paths_(spec, threads, network_, rule_), wall_clock_(spec.wall_clock) {
  if (wall_clock_) paths_.suspend_rounds();
}

void Scheduler::start() {
  paths_.before_start();
  network_.start();
  network_.begin(-1);
  paths_.after_start();
  all_by_samples_ = compares_by_samples_alone();
  look_again();
  if (wall_clock_) wall_clock_->begin(static_cast<int>(network_.participants.size()));
}

void Scheduler::look_again() {
  paths_.look_again();
  is_moved_ = true;
}

void Scheduler::stop_at(double time) {
  for (std::size_t i = 0; i < network_.participants.size(); ++i) {
    network_.guarded(static_cast<int>(i), [&] { network_.participants[i].stop_at(time); });
  }
  look_again();
}

bool Scheduler::advance(double target, double wall_seconds) {
  if (is_moved_ && step_jointly(target)) return true;
  if (is_moved_) rule_.look_again();
  is_moved_ = false;
  rule_.aim_at(target);
  try {
    if (wall_clock_) {
      go_by_wall_clock(wall_seconds);
    } else if (paths_.notes()) {
      go_and_note(wall_seconds);
    } else {
      go(wall_seconds);
    }
  } catch (...) {
    compare_all();  // what came before the failure counts
    throw;
  }
  if (!(when_asked_ && all_by_samples_)) compare_all();
  network_.tell_events();
  rule_.wake_resting();
  return rule_.behind() == 0;
}

bool Scheduler::step_jointly(double target) {
  using Joint = fast::SchedulingPaths::Joint;
  try {
    const Joint made = paths_.run_jointly(target);
    if (made == Joint::none) return false;
    if (made == Joint::pass) compare_all();
  } catch (...) {
    compare_all();
    throw;
  }
  network_.tell_events();
  return true;
}

std::optional<CallUnderWay> Scheduler::call_under_way() const {
  const auto in_round = paths_.call_under_way();
  return in_round ? in_round : network_.call_under_way();
}

bool Scheduler::compares_by_samples_alone() const {
  for (int k = 0; k < network_.connection_count(); ++k) {
    if (!network_.connection(k).connection().fast.compares_by_samples) return false;
  }
  return true;
}

void Scheduler::compare_all() {
  if (!compares_) return;
  for (std::size_t i = 0; i < network_.participants.size(); ++i) network_.compare(static_cast<int>(i));
}

/// Flattened: with cheap steps, calls between these small functions would cost as much as their work. Functions off the
/// usual path are not inlined.
[[gnu::flatten]] void Scheduler::go(double wall_seconds) {
  using clock = std::chrono::steady_clock;
  clock::time_point deadline{};  // set when the clock is first read: short runs, such as a window, never read it
  bool is_set = false;
  steps_made_ = 0;
  long look_at_clock = fast::cheap_steps_between_clocks;
  while (rule_.behind() > 0) {
    Candidate& next = rule_.choose();
    if (!paths_.run(next, steps_made_)) {
      step(next);
      publish(next);
    }
    if (steps_made_ >= steps_in_a_slice) break;
    if (steps_made_ >= look_at_clock) {
      look_at_clock = steps_made_ + fast::cheap_steps_between_clocks;
      const clock::time_point now = clock::now();
      if (!is_set)
        deadline = now + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(wall_seconds));
      is_set = true;
      if (now >= deadline) break;
    }
  }
}

/// The same for a pass that later ones repeat: notes which participant makes how many steps in a row.
void Scheduler::go_and_note(double wall_seconds) {
  steps_made_ = 0;
  while (rule_.behind() > 0 && paths_.notes()) {
    Candidate& next = rule_.choose();
    const long before = next.participant->steps;
    paths_.run(next, steps_made_);
    paths_.note(next.index, next.participant->steps - before);
  }
  if (rule_.behind() > 0) return go(wall_seconds);
  if (paths_.notes()) paths_.end_noting();
}

/// One step after the other, each when the wall clock reaches its start. If a slice ends while waiting, the next
/// participant is chosen again.
void Scheduler::go_by_wall_clock(double wall_seconds) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::duration<double>(wall_seconds);
  do {
    if (rule_.behind() == 0) return;
    Candidate& next = rule_.choose();
    const double left = std::chrono::duration<double>(deadline - clock::now()).count();
    if (!wall_clock_->wait(next.participant->t, left)) {
      rule_.look_again();
      return;
    }
    step(next);
    publish(next);
    wall_clock_->note(next.index, next.participant->t);
  } while (clock::now() < deadline);
}

[[gnu::noinline]] void Scheduler::step(Candidate& c) {
  Participant& p = *c.participant;
  if (p.history.room() < 16) network_.make_room(c.index, 64);
  const bool timed = p.stopwatch.due();
  if (timed) p.stopwatch.begin();
  network_.guarded(c.index, [&] { p.step(); });
  if (timed) p.stopwatch.end(1);
  steps_made_ += p.stopwatch.costly() ? fast::cheap_steps_between_clocks : 1;
}

[[gnu::noinline]] void Scheduler::publish(Candidate& c) {
  network_.commit(c.index);
  rule_.has_published(c);
}

}  // namespace counterpoint
