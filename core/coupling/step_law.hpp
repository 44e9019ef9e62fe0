#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "coupling/indicator.hpp"
#include "coupling/rows.hpp"
#include "coupling/step_clock.hpp"

namespace counterpoint {

class Network;

/// What has set the length of a step; the numbers are part of the recorded rows.
enum class StepRule { first, law, growth, reduction, smallest, largest, event, alignment, end, rejection };

/// The length of a step, and what it follows from.
struct StepChoice {
  double length;  ///< s
  StepRule rule = StepRule::law;
  double estimate = std::numeric_limits<double>::quiet_NaN();  ///< error of the step before, in units of the tolerance
  int signal = -1;                                             ///< the signal that decided, by its number in the law
  /// Nothing is known that speaks for a shorter step than the one that was wanted before: had it been cut to end at a
  /// given time, this length says nothing.
  bool keeps_wanted = false;
};

/// The error of a step that was made, in units of the tolerance.
struct StepError {
  double error = 0.0;
  int signal = -1;  ///< that has it, by its number in the law
  int power = 1;    ///< of the step with which it grows
};

/// Chooses lengths of steps from what a run has shown: a table, a gradient, defects.
///
/// Contract for implementers:
///  1. `join(network, participant)` is called once, before the start: whose steps are chosen, -1 for all together.
///     `may_be_taken_back()` follows where steps may be rejected.
///  2. `propose(t, last, known)` returns the length of the step that begins at t; `last` is the length of the step
///     before, 0 at first. It is called once per step, in order of time, and is free of limits, which a StepChooser
///     applies. What follows from other participants is complete up to `known`; later samples are left alone, so that
///     the same bits come out whatever the order of steps.
///  3. As an indicator it is told what was assumed and what arrived; from different threads at once for different
///     connections.
///     One that does not listen says so (`listens`) and is told nothing.
///  4. `error_of_step(t_end, length)` judges the step that was just made, where steps may be rejected, before the next
///     one is proposed. After `returned_to` what that step has told is forgotten.
///  5. `begin_anew()` comes before the proposal of a step that begins at the start or at an event: errors of earlier
///     steps say little of what follows.
class StepLaw : public Indicator {
 public:
  virtual void join(const Network& /*network*/, int /*participant*/) {}
  virtual void may_be_taken_back() {}
  virtual bool listens() const { return false; }
  virtual StepChoice propose(double t, double last, double known) = 0;
  virtual StepError error_of_step(double /*t_end*/, double /*length*/) { return {}; }
  virtual void begin_anew() {}
  void arrived(const Arrival&) override {}
};

/// How large a signal is: its largest absolute value so far. One that begins at zero has hardly begun to move: until it
/// turns for the first time, what it moves in a given time at its present rate counts as well.
class SignalSize {
 public:
  void tell(double t, double y) {
    if (!turned_) note_rate(t, y);
    largest_ = y > largest_ ? y : -y > largest_ ? -y : largest_;
  }
  /// `ahead`: that time, s.
  double value(double ahead) const {
    const double moved = turned_ ? 0.0 : (rate_ < 0.0 ? -rate_ : rate_) * ahead;
    return moved > largest_ ? moved : largest_;
  }

 private:
  void note_rate(double t, double y) {
    if (t > t_) {
      const double rate = (y - y_) / (t - t_);
      turned_ = rate * rate_ < 0.0;
      rate_ = rate;
    }
    t_ = t;
    y_ = y;
  }

  double t_ = std::numeric_limits<double>::infinity();  ///< of the last value, s; at first: there is none
  double y_ = 0.0;
  double rate_ = 0.0;
  double largest_ = 0.0;
  bool turned_ = false;
};

/// The mean length of the steps so far. What a step leaves behind is its error times its length: measured against the
/// mean step, long steps are held back.
class MeanStep {
 public:
  /// A step of this length has ended; 0: there was none.
  void tell(double length) {
    if (length <= 0.0) return;
    time_ += length;
    count_ += 1.0;
  }
  /// The length of a step as a share of the mean; 1 where there was none.
  double share(double length) const { return count_ > 0.0 ? length * count_ / time_ : 1.0; }
  /// By which its error counts. Steps that are shorter than the mean may be no more wrong: many of them follow each
  /// other where much happens, as in a contact.
  double weight(double length) const {
    const double found = share(length);
    return found > 1.0 ? found : 1.0;
  }
  double length() const { return count_ > 0.0 ? time_ / count_ : 0.0; }

 private:
  double time_ = 0.0;
  double count_ = 0.0;
};

/// Between which lengths steps stay.
struct StepLimits {
  double first = 0.0;                                        ///< s
  double smallest = 0.0;                                     ///< s
  double largest = std::numeric_limits<double>::infinity();  ///< s
  double growth = std::numeric_limits<double>::infinity();   ///< a step is at most so many times the one before
  double reduction = 0.0;                                    ///< and at least so many times
  double alignment = 0.0;                                    ///< s; no step goes over a multiple of it; 0: none
  bool even = false;      ///< the last two steps before a time that is met are of equal length
  bool foresees = false;  ///< steps end at events that sources know beforehand
};

/// Chosen steps in numbers.
struct StepTally {
  long accepted = 0;
  long rejected = 0;
  double shortest = std::numeric_limits<double>::infinity();  ///< accepted step, s
  double longest = 0.0;                                       ///< accepted step, s
  long at_smallest = 0;          ///< accepted steps that were held at the smallest length and missed the tolerance
  std::vector<long> kept_there;  ///< how many of them by each signal, by its number in the law
  bool saw_change = false;       ///< whether any step had an estimate above zero
};

/// Steps of a law within limits, ending at events and at the end of the run; each is recorded.
class StepChooser {
 public:
  StepChooser(std::shared_ptr<StepLaw> law, const StepLimits& limits) : law_(std::move(law)), limits_(limits) {}

  /// End of the step from t; infinity when the run is over. `foreseen`: where a source bends or jumps next, s.
  double next_end(double t, double known, StepClock& clock, double event, double foreseen);
  /// The step under way is taken back, since its error was `estimate` times the tolerance: `factor` times its length is
  /// tried. Returns its new end.
  double reject(double estimate, int signal, double factor);
  /// The step under way is taken back and ends here instead, at an event. Returns its new end.
  double cut(double end);
  /// The step under way has this error; kept until the next one is asked for.
  void estimated(double estimate, int signal) {
    row_.estimate = estimate;
    row_.signal = signal;
  }
  /// The run has ended at t: no step follows.
  void finish(double t);

  StepLaw& law() const { return *law_; }
  const StepLimits& limits() const { return limits_; }
  double start_of_step() const { return row_.t; }
  double length_of_step() const { return row_.length; }
  /// Length of the step under way, before it was cut, s.
  double wanted() const { return wanted_; }

  /// What is known of the steps when one has been chosen.
  struct Place;
  Place place() const;
  void go_back(const Place& place);
  /// The step under way ends here instead, where its window was cut.
  void end_at(double end);

  /// Rows (t, length, rule, estimate, accepted, signal).
  static constexpr std::size_t columns = 6;
  RowBuffer rows{columns};
  StepTally tally;

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  /// Share of the length before an event that a source foresaw: its signal bends, the time scales of the rest stay.
  /// Other events, such as contacts, say nothing of what follows.
  static constexpr double share_after_foreseen = 0.125;
  /// A step whose estimate is larger, in units of the tolerance, has missed it.
  static constexpr double missed = 3.0;

  struct Row {
    double t = 0.0;
    double estimate = std::numeric_limits<double>::quiet_NaN();
    double length = 0.0;  ///< 0: there is none; not next to the time, or compilers pack the two in every step
    StepRule rule = StepRule::first;
    int signal = -1;
  };
  void write(bool is_accepted = true);
  void count(bool is_accepted);
  void blame(int signal);
  void choose(double t, double known, const StepClock& clock);
  /// `anew`: whatever the step before was.
  void limit(StepChoice& choice, bool anew) const;
  /// Let a step from t end at the next time that is to be met, which then is its rule.
  double fit(double t, double length, StepRule& rule, const StepClock& clock, double event) const;

  std::shared_ptr<StepLaw> law_;
  StepLimits limits_;
  Row row_;                                                  ///< the step under way
  double last_ = 0.0;                                        ///< length of the step before it, s; 0: there was none
  double wanted_ = 0.0;                                      ///< its length before it was cut, s
  double asked_ = std::numeric_limits<double>::quiet_NaN();  ///< where the step under way was chosen, s
  double chosen_ = 0.0;                                      ///< what was chosen there, s
  StepRule chosen_by_ = StepRule::first;
  double event_ = -std::numeric_limits<double>::infinity();  ///< where the step under way meets an event
  bool is_foreseen_ = false;                                 ///< it is one that a source knew
};

struct StepChooser::Place {
  Row row;
  double last, wanted, asked, chosen;
  StepRule chosen_by;
  double event;
  bool is_foreseen;
  StepTally tally;
  std::size_t rows;
};

// Here, and not in the source file, what is done for every step: with little work in a step, the calls between these
// small functions would cost as much as they do.

inline double StepChooser::next_end(double t, double known, StepClock& clock, double event, double foreseen) {
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

inline void StepChooser::choose(double t, double known, const StepClock& clock) {
  if (row_.length > 0.0) last_ = row_.length = t - row_.t;  // a subsystem may have stopped early
  StepChoice choice = law_->propose(t, last_, known);
  if (choice.keeps_wanted) choice.length = std::max(choice.length, wanted_);
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

inline void StepChooser::limit(StepChoice& choice, bool anew) const {
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

inline double StepChooser::fit(double t, double length, StepRule& rule, const StepClock& clock, double event) const {
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

inline void StepChooser::write(bool is_accepted) {
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

inline void StepChooser::count(bool is_accepted) {
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

}  // namespace counterpoint
