#pragma once

#include "signal/polynomial.hpp"

namespace counterpoint {

/// A time that steps end at instead of going over it.
///
/// Contract for implementers:
///  1. `next(t)` is the first event after t, infinity when there is none. It is asked whenever a step is proposed.
///  2. A step that begins before the event and whose length its participant chooses ends at the event. Steps on a fixed
///     grid stay on their grid.
///  3. `reached(t)` is called once for each event, when all participants have come to it or gone past.
class Event {
 public:
  virtual ~Event() = default;
  virtual double next(double t) const = 0;
  virtual void reached(double /*t*/) {}
};

/// Where a master above exchanges values with the run.
class CommunicationPoint final : public Event {
 public:
  double next(double /*t*/) const override { return time; }
  double time = Polynomial::infinity;  ///< s
};

}  // namespace counterpoint
