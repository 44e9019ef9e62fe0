#include "coupling/step_law.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
/// Share of the length before an event that a source foresaw: its signal bends, the time scales of the rest stay. Other
/// events, such as contacts, say nothing of what follows.
constexpr double share_after_foreseen = 0.125;
/// A step whose estimate is larger, in units of the tolerance, has missed it.
constexpr double missed = 3.0;
}  // namespace

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] double StepChooser::next_end(double t, double known, StepClock& clock, double event, double foreseen) {
  if (t != asked_) choose(t, known, clock);
  asked_ = t;
  const bool is_foreseen = foreseen < event;
  event = std::min(event, foreseen);
  StepRule rule = chosen_by_;
  const double end = fit(t, chosen_, rule, clock, event);
  if (end == infinity) return end;
  row_.t = t;
  row_.length = end - t;
  row_.rule = rule;
  row_.estimate = std::numeric_limits<double>::quiet_NaN();
  row_.signal = -1;
  event_ = end >= event - clock.tolerance() ? event : -infinity;
  is_foreseen_ = is_foreseen && event_ > -infinity;
  return end;
}

void StepChooser::choose(double t, double known, const StepClock& clock) {
  if (row_.length > 0.0) last_ = row_.length = t - row_.t;  // a subsystem may have stopped early
  StepChoice choice = law_->propose(t, last_, known);
  if (std::isnan(row_.estimate)) estimated(choice.estimate, choice.signal);
  write();
  const bool anew = last_ == 0.0 || std::abs(t - event_) <= clock.tolerance();  // what was before an event says little
  if (anew) law_->begin_anew();
  const double first = is_foreseen_ ? std::max(limits_.first, share_after_foreseen * wanted_) : limits_.first;
  if (anew && limits_.first > 0.0 && (last_ == 0.0 || choice.length > first)) {
    choice.length = first;
    choice.rule = StepRule::first;
  }
  limit(choice, anew);
  wanted_ = chosen_ = choice.length;
  chosen_by_ = choice.rule;
}

void StepChooser::limit(StepChoice& choice, bool anew) const {
  const auto at_most = [&](double most, StepRule rule) {
    if (choice.length <= most) return;
    choice.length = most;
    choice.rule = rule;
  };
  const auto at_least = [&](double least, StepRule rule) {
    if (choice.length >= least) return;
    choice.length = least;
    choice.rule = rule;
  };
  if (!anew) {
    // A step that was cut to end at a given time holds the next one back no more than the one before it did.
    at_most(std::max(limits_.growth * last_, wanted_), StepRule::growth);
    at_least(limits_.reduction * last_, StepRule::reduction);
  }
  at_most(limits_.largest, StepRule::largest);
  at_least(limits_.smallest, StepRule::smallest);
}

double StepChooser::fit(double t, double length, StepRule& rule, const StepClock& clock, double event) const {
  const double tolerance = clock.tolerance();
  double boundary = clock.end();
  StepRule of_boundary = StepRule::end;
  const auto meet = [&](double time, StepRule why) {
    if (time <= t + tolerance || time >= boundary) return;
    boundary = time;
    of_boundary = why;
  };
  meet(event, StepRule::event);
  if (limits_.alignment > 0.0)
    meet((std::floor((t + tolerance) / limits_.alignment) + 1.0) * limits_.alignment, StepRule::alignment);
  if (t >= clock.end() - tolerance) return infinity;
  const double left = boundary - t;
  if (length >= left - tolerance) {
    if (length > left + tolerance) rule = of_boundary;
    return boundary;
  }
  return t + (limits_.even && 2.0 * length > left ? 0.5 * left : length);
}

double StepChooser::reject(double estimate, int signal, double factor) {
  estimated(estimate, signal);
  const Row rejected_row = row_;
  write(false);
  row_ = rejected_row;
  row_.length = std::max(factor * row_.length, std::min(limits_.smallest, row_.length));
  row_.rule = row_.length > factor * rejected_row.length ? StepRule::smallest : StepRule::rejection;
  row_.estimate = std::numeric_limits<double>::quiet_NaN();
  wanted_ = row_.length;
  event_ = -infinity;
  return row_.t + row_.length;
}

double StepChooser::cut(double end) {
  const double made = reject(std::numeric_limits<double>::quiet_NaN(), -1, (end - row_.t) / row_.length);
  row_.rule = StepRule::event;
  return event_ = made;
}

void StepChooser::finish(double t) {
  if (row_.t + 0.5 * row_.length < t) write();  // else it was chosen and never made
}

void StepChooser::write(bool is_accepted) {
  if (row_.length == 0.0) return;
  double* row = rows.extend();
  row[0] = row_.t;
  row[1] = row_.length;
  row[2] = static_cast<double>(row_.rule);
  row[3] = row_.estimate;
  row[4] = is_accepted ? 1.0 : 0.0;
  row[5] = row_.signal;
  count(is_accepted);
  row_.length = 0.0;
}

void StepChooser::count(bool is_accepted) {
  tally.saw_change = tally.saw_change || row_.estimate > 0.0;
  if (!is_accepted) {
    ++tally.rejected;
    return;
  }
  ++tally.accepted;
  tally.shortest = std::min(tally.shortest, row_.length);
  tally.longest = std::max(tally.longest, row_.length);
  if (row_.rule == StepRule::smallest && row_.estimate > missed) blame(row_.signal);
}

[[gnu::noinline]] void StepChooser::blame(int signal) {
  ++tally.at_smallest;
  if (signal < 0) return;
  if (tally.kept_there.size() <= static_cast<std::size_t>(signal)) tally.kept_there.resize(signal + 1);
  ++tally.kept_there[signal];
}

}  // namespace counterpoint
