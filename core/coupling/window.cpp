#include "coupling/window.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "check.hpp"

namespace counterpoint {

WindowedScheduler::WindowedScheduler(const RunSpec& spec, const WindowSpec& window, int threads)
    : scheduler_(spec, threads), window_(window), start_(spec.start), until_(spec.until), from_(spec.start) {
  scheduler_.leave_rounds();  // an interrupt within a window is heard after the step that is under way
  for (const Participant& p : network().participants)
    earlier_.emplace_back(p.history.width(), p.history.has_derivatives(), p.history.may_jump());
  find_guesses();
}

void WindowedScheduler::find_guesses() {
  for (const Participant& p : network().participants) {
    for (const Term& term : p.inputs->terms()) {
      if (term.waits) continue;
      for (int j = 0; j < term.samples.width; ++j) {
        const Guess guess{term.source, term.samples.column + j};
        const bool known = std::any_of(guesses_.begin(), guesses_.end(), [&](const Guess& other) {
          return other.source == guess.source && other.column == guess.column;
        });
        if (!known) guesses_.push_back(guess);
      }
    }
  }
}

void WindowedScheduler::start() { scheduler_.start(); }

bool WindowedScheduler::advance(double target, double wall_seconds) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::duration<double>(wall_seconds);
  const double last = std::min(target, until_) - network().tolerance;
  bool pause = open_;  // after a slice that ended within a window there is something to take away at its end
  while (from_ < last) {
    try {
      if (!open_) open();
      if (!finish_passes(wall_seconds)) return false;
    } catch (...) {
      give_up();
      throw;
    }
    close();
    pause = pause || clock::now() >= deadline;
    if (pause) break;
  }
  return from_ >= last;
}

void WindowedScheduler::open() {
  const double end = start_ + (count_ + 1.0) * window_.length;
  to_ = end > until_ - network().tolerance ? until_ : end;
  std::vector<Participant>& participants = network().participants;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    network().guarded(static_cast<int>(i), [&] { participants[i].open_until(to_); });
  }
  if (!guesses_.empty()) {
    if (!network().save(checkpoint_)) internal_error("a subsystem in a window cannot save");
    for (std::size_t i = 0; i < participants.size(); ++i)
      participants[i].history.keep_from(checkpoint_[i].history.begin);
    for (Guess& guess : guesses_) {
      guess.scale = std::max(guess.scale, std::abs(value(participants[guess.source].history, guess)));
    }
  }
  scheduler_.look_again();
  pass_ = 0;
  open_ = true;
}

/// True when the window is done, false when the slice is over.
bool WindowedScheduler::finish_passes(double wall_seconds) {
  while (true) {
    if (!scheduler_.advance(to_, wall_seconds)) return false;
    if (is_last_pass()) return true;
    repeat();
  }
}

bool WindowedScheduler::is_last_pass() {
  if (guesses_.empty()) return true;
  if (pass_ == 0) return false;
  const double by = change();
  const bool asks = window_.tolerance > 0.0;
  const bool converged = asks && by <= window_.tolerance;
  if (!converged && pass_ < window_.repeats) return false;
  if (asks && !converged) ++tally_.not_converged;
  if (by > tally_.largest_change) {
    tally_.largest_change = by;
    tally_.time_of_largest = to_;
  }
  return true;
}

double WindowedScheduler::change() {
  double largest = 0.0;
  for (const Guess& guess : guesses_) {
    const double before = value(earlier_[guess.source], guess);
    const double now = value(network().participants[guess.source].history, guess);
    const double scale = std::max({guess.scale, std::abs(before), std::abs(now)});
    if (now != before) largest = std::max(largest, std::abs(now - before) / scale);
  }
  return largest;
}

void WindowedScheduler::repeat() {
  std::vector<Participant>& participants = network().participants;
  for (std::size_t i = 0; i < participants.size(); ++i) std::swap(participants[i].history, earlier_[i]);
  network().restore(checkpoint_);
  for (std::size_t i = 0; i < participants.size(); ++i) {
    participants[i].history.keep_from(checkpoint_[i].history.begin);
    participants[i].read_earlier(earlier_);
  }
  scheduler_.look_again();
  ++pass_;
}

void WindowedScheduler::close() {
  for (Participant& p : network().participants) {
    p.read_present();
    p.history.keep_from(History::nowhere);
  }
  release_states();
  ++tally_.windows;
  tally_.passes += pass_ + 1;
  count_ += 1.0;
  from_ = to_;
  open_ = false;
}

void WindowedScheduler::give_up() {
  if (has_open_window()) network().rewind(checkpoint_);
  release_states();
  open_ = false;
}

/// States of components made elsewhere must not outlive the run.
void WindowedScheduler::release_states() {
  for (Participant::Saved& saved : checkpoint_) saved.subsystem.reset();
}

double WindowedScheduler::time() { return has_open_window() ? from_ : network().time(); }

}  // namespace counterpoint
