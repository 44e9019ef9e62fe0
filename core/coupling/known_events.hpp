#pragma once

#include <algorithm>
#include <vector>

#include "signal/polynomial.hpp"

namespace counterpoint {

/// A subsystem that knows beforehand when its outputs jump or bend, as tables, steps and pulses over time do.
///
/// Contract for implementers:
///  1. `next_known_event(t, step)` is the first such time after t; infinity when there is none. It follows from t and
///     the structure alone, not from the state, so that it may be asked at any time and from any thread.
///  2. A source that has more than `most_met` of them within the next `step` seconds is a signal like any other: it is
///     left out (`sparse_event`), or steps would follow each row of a measured table.
class KnowsEvents {
 public:
  virtual ~KnowsEvents() = default;
  virtual double next_known_event(double t, double step) const = 0;
};

/// The first event of a source after t, `next(time)` being the first one after a time; infinity where it has many.
template <class Next>
double sparse_event(const Next& next, double t, double step) {
  constexpr int most_met = 2;
  const double first = next(t);
  double later = first;
  for (int k = 0; k < most_met && later <= t + step; ++k) later = next(later);
  return later <= t + step ? Polynomial::infinity : first;
}

/// What several subsystems know.
class KnownEvents {
 public:
  /// `subsystem`: of any kind.
  template <class Subsystem>
  void add(const Subsystem& subsystem) {
    const auto* one = dynamic_cast<const KnowsEvents*>(&subsystem);
    if (one != nullptr && std::find(all_.begin(), all_.end(), one) == all_.end()) all_.push_back(one);
  }
  double next(double t, double step) const {
    double first = Polynomial::infinity;
    for (const KnowsEvents* one : all_) first = std::min(first, one->next_known_event(t, step));
    return first;
  }

 private:
  std::vector<const KnowsEvents*> all_;
};

}  // namespace counterpoint
