#include "coupling/windowed_scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "check.hpp"
#include "coupling/cancellation.hpp"

namespace counterpoint {

namespace {
constexpr std::size_t spare_room = 32;  ///< samples, beside those that a window needs
}

WindowedScheduler::WindowedScheduler(const RunSpec& spec, std::unique_ptr<Window> window, int threads)
    : scheduler_(spec, threads),
      window_(std::move(window)),
      until_(spec.until),
      alike_(window_->repeats_alike()),
      from_(spec.start) {
  can_go_in_rounds() ? scheduler_.repeat_rounds() : scheduler_.suspend_rounds();
  for (const Participant& p : network().participants)
    earlier_.emplace_back(p.history.width(), p.history.has_derivatives(), p.history.may_jump());
  marks_.resize(earlier_.size());
  find_interface();
  takes_back_ = !interface_.empty() && window_->may_repeat();
  predicts_ = !interface_.empty() && window_->predicts();
  tries_states_ = takes_back_ && window_->is_optional();
  if (takes_back() || predicts()) scheduler_.keep_steps_undecided();
  window_->join(network());
}

/// Where stencils are centred, one that waits for another one does so until that has finished.
bool WindowedScheduler::can_go_in_rounds() {
  if (!alike_) return false;
  const std::vector<Participant>& all = network().participants;
  return !window_->centred() || std::none_of(all.begin(), all.end(), [](const Participant& p) {
    const std::vector<Connection>& connections = p.inputs->connections();
    return std::any_of(connections.begin(), connections.end(), [](const Connection& c) { return c.waits; });
  });
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
      const bool known = std::any_of(sources_.begin(), sources_.end(),
                                     [&](const Source& other) { return other.participant == c.source; });
      if (!known) sources_.push_back({c.source, 0, reach_into(c.source)});
    }
  }
}

/// Most consumers need earlier samples than the present time of all.
std::size_t WindowedScheduler::reach_into(int source) {
  std::size_t reach = Network::always_kept;
  for (const Network::ConnectionEnd& out : network().outgoing(source)) {
    const Connection& c = out.connection();
    if (c.approximation->looks_back_one_step() || c.watches) return 0;
    reach = std::max(reach, 1 + Network::kept_behind(c));
  }
  return reach;
}

void WindowedScheduler::start() { scheduler_.start(); }

void WindowedScheduler::leave_windows() {
  std::vector<Participant>& participants = network().participants;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    network().guarded(static_cast<int>(i), [&] { participants[i].open_until(until_); });
  }
  hear_all(true);
  scheduler_.resume_rounds();
  scheduler_.look_again();
  earlier_.clear();
  marks_.clear();
  left_ = true;
}

/// Flat for the same reason as Scheduler::go: a pace for all makes a window of every step.
[[gnu::flatten]] bool WindowedScheduler::advance(double target, double wall_seconds) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::duration<double>(wall_seconds);
  const double last = std::min(target, until_) - network().tolerance;
  bool pause = open_;  // after a slice that ended within a window there is something to take away at its end
  while (from_ < last) {
    if (!open_ && !left_ && (window_->is_over(from_, network().tolerance) || (tries_states_ && !can_go_back())))
      leave_windows();
    if (left_) return scheduler_.advance(target, wall_seconds);
    try {
      if (!open_) open();
      if (!finish_passes(wall_seconds)) return false;
    } catch (...) {
      if (!may_go_on_after_failure()) {
        give_up();
        throw;
      }
      window_->discards_repeats() ? go_back() : repeat();
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
  return windows_ % 32 == 0 ||
         std::any_of(all.begin(), all.end(), [](const Participant& p) { return p.stopwatch.costly(); });
}

void WindowedScheduler::open() {
  const double end = window_->end_after(from_);
  to_ = end > until_ - network().tolerance ? until_ : end;
  std::vector<Participant>& participants = network().participants;
  for (std::size_t i = 0; i < participants.size(); ++i) open_until_end(static_cast<int>(i));
  if (takes_back()) {
    for (std::size_t i = 0; i < participants.size(); ++i) mark(static_cast<int>(i));
    for (Source& source : sources_) {
      const std::size_t newest = participants[source.participant].history.end();
      source.first =
          source.reach == 0 ? network().first_needed(source.participant) : newest - std::min(newest, source.reach);
    }
    window_->opened(interface_);
    hear_all(!window_->is_provisional());
  }
  if (predicts()) {
    window_->predict(to_, interface_, earlier_);
    for (Participant& p : participants) p.read_earlier(earlier_, false);
  }
  scheduler_.look_again();
  pass_ = 0;
  settled_ = false;
  shortened_ = false;
  open_ = true;
}

/// Room for the window is made before, where that is possible: it keeps all samples that there are.
void WindowedScheduler::mark(int participant) {
  Participant& p = network().participants[participant];
  Participant::Mark& mark = marks_[participant];
  const std::size_t of_last_window = p.history.end() - (windows_ > 0 ? mark.samples : 0);
  const std::size_t wanted = spare_room + 2 * of_last_window;
  if (p.history.room() < wanted) network().make_room(participant, wanted);
  bool marked = false;
  network().guarded(participant, [&] { marked = p.mark(mark); });
  if (!marked) internal_error("a subsystem in a window cannot save");
}

/// Record and compare what happens in the next pass, or do not.
void WindowedScheduler::hear_all(bool all) {
  bool compares = false;
  const bool refines_later = window_->refines_later();
  for (Participant& p : network().participants) {
    p.set_heard(all);
    if (!alike_) p.hold_comparisons(refines_later);
    compares = compares || p.compares();
  }
  scheduler_.compare(compares);
}

/// True when the window is done, false when the slice is over.
bool WindowedScheduler::finish_passes(double wall_seconds) {
  while (true) {
    Cancellation::check();  // many short passes may take long
    if (!scheduler_.advance(to_, wall_seconds)) return false;
    if (settled_ || !(takes_back() || predicts())) return true;  // nothing to repeat or to compare
    if (window_->again(pass_, to_, interface_)) {
      repeat();
    } else if (window_->discards_repeats()) {
      go_back();
    } else {
      return true;
    }
  }
}

/// As in the first pass. Inputs read histories again when all of them are cut back.
void WindowedScheduler::go_back() {
  network().forget_failure();
  for (std::size_t i = 0; i < network().participants.size(); ++i) take_back(static_cast<int>(i));
  for (Participant& p : network().participants) p.read_present();
  hear_all(true);
  scheduler_.look_again();
  ++pass_;
  settled_ = true;
}

/// Whether states can be saved and restored.
bool WindowedScheduler::can_go_back() {
  std::vector<Participant>& participants = network().participants;
  try {
    for (std::size_t i = 0; i < participants.size(); ++i) {
      network().guarded(static_cast<int>(i), [&] {
        const std::unique_ptr<SavedState> state = participants[i].subsystem->save();
        if (!state) throw StepFailure(Failure::Kind::contract, "gave no state");
        participants[i].subsystem->restore(*state);
      });
    }
    return true;
  } catch (...) {
    if (!network().failure || network().failure.kind == Failure::Kind::death) throw;
    obstacle_ = "a state could not be saved and restored: " + network().failure.reason;
    network().forget_failure();
    return false;
  }
}

/// After an exception: numbers that fail in one pass may be well in another, and what repeats make fail does not end a
/// run that can be made without them.
bool WindowedScheduler::may_go_on_after_failure() {
  using Kind = Failure::Kind;
  if (!has_open_window() || settled_) return false;
  const Kind kind = network().failure.kind;
  const bool numerical = kind == Kind::not_finite || kind == Kind::signal || kind == Kind::solver;
  if (numerical) return window_->pass_failed(pass_);
  const bool of_a_model = kind == Kind::model || kind == Kind::component || kind == Kind::contract;
  if (pass_ == 0 || !window_->is_optional() || !(of_a_model || ends_run())) return false;
  obstacle_ = of_a_model ? "a repeat failed: " + network().failure.reason : "a repeat ended the run";
  return window_->pass_failed(pass_);
}

/// After an exception: whether it is a model's word that the run is over.
bool WindowedScheduler::ends_run() {
  try {
    throw;
  } catch (const RunEnd&) {
    return true;
  } catch (...) {
    return false;
  }
}

void WindowedScheduler::repeat() {
  std::vector<Participant>& participants = network().participants;
  for (const Source& source : sources_) {
    if (alike_ || !window_->keeps(source.participant))
      earlier_[source.participant].copy(participants[source.participant].history, source.first);
  }
  window_->propose(interface_, earlier_);
  if (window_->end_of_repeat() < to_ - network().tolerance) {
    to_ = window_->end_of_repeat();
    shortened_ = true;
  }
  network().forget_failure();
  const Reading reading = !window_->reads_earlier() ? Reading::present
                          : window_->centred()      ? Reading::both_sides
                                                    : Reading::earlier;
  const auto repeats = [&](int i) { return alike_ || !window_->keeps(i); };
  const int count = static_cast<int>(participants.size());
  for (int i = 0; i < count; ++i) {
    if (repeats(i)) take_back(i);
  }
  for (int i = 0; i < count; ++i) {
    if (repeats(i)) read_again(i, reading);
  }
  hear_all(!window_->is_provisional());
  scheduler_.look_again();
  ++pass_;
}

void WindowedScheduler::take_back(int participant) {
  network().guarded(participant, [&] { network().participants[participant].return_to(marks_[participant]); });
}

/// When all histories are cut back: inputs look for the newest samples.
void WindowedScheduler::read_again(int participant, Reading reading) {
  Participant& p = network().participants[participant];
  if (reading == Reading::present) {
    p.read_present();
  } else {
    p.read_earlier(earlier_, reading == Reading::both_sides);
  }
  // What was saved proposes to go to the first end, in steps of the first pass.
  if (shortened_ || reading == Reading::present) open_until_end(participant);
  if (reading == Reading::both_sides) p.wants_sources_until(to_);
}

void WindowedScheduler::open_until_end(int participant) {
  const double end = alike_ ? to_ : window_->end_of(participant, to_);
  network().guarded(participant, [&] { network().participants[participant].open_until(end); });
}

void WindowedScheduler::close() {
  if (takes_back()) release();
  if (predicts()) {
    for (Participant& p : network().participants) p.read_present();
  }
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
}

void WindowedScheduler::give_up() {
  const bool first_pass_counts = window_->is_optional() && (pass_ == 0 || settled_);
  if (has_open_window() && !first_pass_counts) rewind();
  release_states();
  open_ = false;
}

/// Unlike in `give_up`, no subsystem is called: one of them is at work.
void WindowedScheduler::abandon() {
  if (has_open_window()) rewind();
  open_ = false;
}

/// All but the subsystems, one of which has failed or is at work.
void WindowedScheduler::rewind() {
  for (std::size_t i = 0; i < marks_.size(); ++i) network().participants[i].rewind(marks_[i]);
}

/// States of components made elsewhere must not outlive the run.
void WindowedScheduler::release_states() {
  for (Participant::Mark& mark : marks_) mark.subsystem.reset();
}

void WindowedScheduler::finish() noexcept {
  release_states();
  network().finish();
}

WindowTally WindowedScheduler::tally() const {
  WindowTally tally;
  tally.windows = windows_;
  tally.passes = passes_;
  tally.obstacle = obstacle_;
  window_->report(tally);
  return tally;
}

double WindowedScheduler::time() { return has_open_window() && !left_ ? from_ : network().time(); }

}  // namespace counterpoint
