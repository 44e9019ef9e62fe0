#include "coupling/windowed_scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "check.hpp"
#include "coupling/cancellation.hpp"

namespace counterpoint {

WindowedScheduler::WindowedScheduler(const RunSpec& spec, std::unique_ptr<Window> window, int threads)
    : scheduler_(spec, threads), window_(std::move(window)), until_(spec.until), from_(spec.start) {
  scheduler_.suspend_rounds();  // an interrupt within a window is heard after the step that is under way
  for (const Participant& p : network().participants)
    earlier_.emplace_back(p.history.width(), p.history.has_derivatives(), p.history.may_jump());
  find_interface();
  window_->join(network());
}

void WindowedScheduler::find_interface() {
  const std::vector<Participant>& participants = network().participants;
  for (const Participant& p : participants) {
    for (const Connection& c : p.inputs->connections()) {
      if (c.waits || c.watches) continue;
      for (int j = 0; j < c.samples.width; ++j) {
        const int column = c.samples.column + j;
        const bool known = std::any_of(interface_.begin(), interface_.end(), [&](const InterfaceSignal& other) {
          return other.source == c.source && other.column == column;
        });
        if (!known) interface_.push_back({c.source, column, &participants[c.source].history, &earlier_[c.source]});
      }
    }
  }
}

void WindowedScheduler::start() { scheduler_.start(); }

void WindowedScheduler::leave_windows() {
  std::vector<Participant>& participants = network().participants;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    network().guarded(static_cast<int>(i), [&] { participants[i].open_until(until_); });
  }
  scheduler_.resume_rounds();
  scheduler_.look_again();
  earlier_.clear();
  checkpoint_.clear();
  left_ = true;
}

bool WindowedScheduler::advance(double target, double wall_seconds) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::duration<double>(wall_seconds);
  const double last = std::min(target, until_) - network().tolerance;
  bool pause = open_;  // after a slice that ended within a window there is something to take away at its end
  while (from_ < last) {
    if (!open_ && !left_ && window_->is_over(from_, network().tolerance)) leave_windows();
    if (left_) return scheduler_.advance(target, wall_seconds);
    try {
      if (!open_) open();
      if (!finish_passes(wall_seconds)) return false;
    } catch (...) {
      if (!may_discard_failure()) {
        give_up();
        throw;
      }
      go_back();
      continue;
    }
    close();
    pause = pause || (is_worth_a_look() && clock::now() >= deadline);
    if (pause) break;
  }
  return from_ >= last;
}

/// Windows may be as short as a cheap step, and the clock costs as much.
bool WindowedScheduler::is_worth_a_look() {
  const std::vector<Participant>& all = network().participants;
  return takes_back() || windows_ % 32 == 0 ||
         std::any_of(all.begin(), all.end(), [](const Participant& p) { return p.stopwatch.costly(); });
}

void WindowedScheduler::open() {
  const double end = window_->end_after(from_);
  to_ = end > until_ - network().tolerance ? until_ : end;
  std::vector<Participant>& participants = network().participants;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    network().guarded(static_cast<int>(i), [&] { participants[i].open_until(to_); });
  }
  if (takes_back()) {
    if (!network().save(checkpoint_)) internal_error("a subsystem in a window cannot save");
    for (std::size_t i = 0; i < participants.size(); ++i)
      participants[i].history.keep_from(checkpoint_[i].history.begin);
    window_->opened(interface_);
  }
  takes_back() ? scheduler_.look_again() : scheduler_.go_on();
  pass_ = 0;
  settled_ = false;
  shortened_ = false;
  open_ = true;
}

/// True when the window is done, false when the slice is over.
bool WindowedScheduler::finish_passes(double wall_seconds) {
  while (true) {
    Cancellation::check();  // many short passes may take long
    if (!scheduler_.advance(to_, wall_seconds)) return false;
    if (interface_.empty() || settled_) return true;
    if (window_->again(pass_, to_, interface_)) {
      repeat();
    } else if (window_->discards_repeats()) {
      go_back();
    } else {
      return true;
    }
  }
}

/// As in the first pass.
void WindowedScheduler::go_back() {
  network().restore(checkpoint_);
  for (std::size_t i = 0; i < network().participants.size(); ++i) {
    network().participants[i].history.keep_from(checkpoint_[i].history.begin);
    network().participants[i].read_present();
  }
  scheduler_.look_again();
  ++pass_;
  settled_ = true;
}

/// After an exception: numbers that repeats made fail do not end a run whose first pass was well.
bool WindowedScheduler::may_discard_failure() {
  using Kind = Failure::Kind;
  const Kind kind = network().failure.kind;
  const bool numerical = kind == Kind::not_finite || kind == Kind::signal || kind == Kind::solver;
  return has_open_window() && pass_ > 0 && !settled_ && numerical && window_->repeat_failed();
}

void WindowedScheduler::repeat() {
  std::vector<Participant>& participants = network().participants;
  for (std::size_t i = 0; i < participants.size(); ++i) std::swap(participants[i].history, earlier_[i]);
  network().restore(checkpoint_);
  if (window_->end_of_repeat() < to_ - network().tolerance) {
    to_ = window_->end_of_repeat();
    shortened_ = true;
  }
  for (std::size_t i = 0; i < participants.size(); ++i) {
    Participant& p = participants[i];
    p.history.keep_from(checkpoint_[i].history.begin);
    if (window_->reads_earlier()) {
      p.read_earlier(earlier_, window_->centred());
    } else {
      p.read_present();
    }
    // What was saved proposes to go to the first end, in steps of the first pass.
    if (shortened_ || !window_->reads_earlier()) network().guarded(static_cast<int>(i), [&] { p.open_until(to_); });
    if (window_->centred()) p.wants_sources_until(to_);
  }
  scheduler_.look_again();
  ++pass_;
}

void WindowedScheduler::close() {
  if (takes_back()) release();
  ++windows_;
  passes_ += pass_ + 1;
  from_ = to_;
  open_ = false;
}

void WindowedScheduler::release() {
  for (Participant& p : network().participants) {
    p.read_present();
    p.history.keep_from(History::nowhere);
  }
  release_states();
}

void WindowedScheduler::give_up() {
  if (has_open_window()) network().rewind(checkpoint_);
  release_states();
  open_ = false;
}

/// Unlike in `give_up`, no subsystem is called: one of them is at work.
void WindowedScheduler::abandon() {
  if (has_open_window()) network().rewind(checkpoint_);
  open_ = false;
}

/// States of components made elsewhere must not outlive the run.
void WindowedScheduler::release_states() {
  for (Participant::Saved& saved : checkpoint_) saved.subsystem.reset();
}

WindowTally WindowedScheduler::tally() const {
  WindowTally tally;
  tally.windows = windows_;
  tally.passes = passes_;
  window_->report(tally);
  return tally;
}

double WindowedScheduler::time() { return has_open_window() && !left_ ? from_ : network().time(); }

}  // namespace counterpoint
