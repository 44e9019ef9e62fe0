#pragma once

#include <algorithm>
#include <vector>

#include "signal/polynomial.hpp"

namespace counterpoint {

/// A subsystem that knows in advance when its outputs jump or bend: tables, steps and pulses over time.
///
/// Contract for implementers:
///  1. `next_known_event(t, step)` is the first such time after t, infinity if there is none. It depends on t and the
///     structure, not on the state, so it may be called at any time and from any thread.
///  2. A source with more than `most_met` such times within the next `step` seconds is treated as smooth
///     (`sparse_event`); otherwise steps would end at each row of a measured table.
class KnowsEvents {
 public:
  virtual ~KnowsEvents() = default;
  virtual double next_known_event(double t, double step) const = 0;
};

/// The first event of a source after t; infinity if it has many. `next(time)` is the first one after a time.
template <class Next>
double sparse_event(const Next& next, double t, double step) {
  constexpr int most_met = 2;
  const double first = next(t);
  double later = first;
  for (int k = 0; k < most_met && later <= t + step; ++k) later = next(later);
  return later <= t + step ? Polynomial::infinity : first;
}

/// The known events of several subsystems.
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
