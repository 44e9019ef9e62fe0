#pragma once

#include <algorithm>

#include "recipe/fields.hpp"
#include "signal/polynomial.hpp"

namespace counterpoint {

/// Times at which a participant steps. Fixed steps are counted, never summed.
class StepClock {
 public:
  StepClock(double start, double until, double step, double tolerance)
      : next_on_grid_(start + step),
        start_(start),
        last_(until - tolerance),
        until_(until),
        step_(step),
        tolerance_(tolerance) {}

  bool fixed() const { return step_ > 0.0; }
  /// Length of the fixed step in s, or 0.
  double step() const { return step_; }
  /// Where the run ends, s.
  double end() const { return until_; }
  /// Times closer than this are the same time, s.
  double tolerance() const { return tolerance_; }

  /// Move the end of the run.
  void end_at(double until) {
    until_ = until;
    last_ = until - tolerance_;
  }

  /// End of the next step from t on the fixed grid; infinity at the end of the run.
  double next_fixed(double t) {
    if (t >= last_) return Polynomial::infinity;
    while (next_on_grid_ <= t + tolerance_) next_on_grid_ = start_ + (count_ += 1.0) * step_;
    return next_on_grid_ > last_ ? until_ : next_on_grid_;
  }

  /// Ends of the next steps from t on the fixed grid: at most `most`, and only while `allowed(begin, end)`. Returns
  /// their number. The last step of the run, which may be shorter, is included.
  template <class Allowed>
  [[gnu::always_inline]] int next_ends(double t, int most, const Allowed& allowed, double* ends) {
    const double start = start_, last = last_, until = until_, step = step_;  // copies: writing `ends` changes none
    double count = count_;
    double end = next_on_grid_;
    int made = 0;
    while (made < most && end <= last && allowed(t, end)) {
      ends[made++] = t = end;
      end = start + (count += 1.0) * step;
    }
    if (made < most && end > last && t < last && allowed(t, until)) {
      ends[made++] = until;
      if (end <= until + tolerance_) end = start + (count += 1.0) * step;  // else the grid continues after it
    }
    count_ = count;
    next_on_grid_ = end;
    return made;
  }

  /// End of the next step from t, of length `preferred`. A step that begins before `event` does not end after it, nor
  /// after the end of the run, which may come before the event.
  double next(double t, double preferred, double event) const {
    if (t >= last_) return Polynomial::infinity;
    if (event < last_ && t < event - tolerance_ && t + preferred > event - tolerance_) return event;
    return t + preferred > last_ ? until_ : t + preferred;
  }

 private:
  friend struct recipe::Fields<StepClock>;

  double next_on_grid_;  ///< start + count steps; not next to the count, or compilers pack the two in every step
  double start_;
  double last_;  ///< a run that has reached this time is over
  double until_;
  double step_;
  double tolerance_;
  double count_ = 1.0;  ///< number of steps, an integer
};

}  // namespace counterpoint
