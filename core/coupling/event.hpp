#pragma once

#include "signal/polynomial.hpp"

namespace counterpoint {

/// Times at which steps end.
///
/// Contract for implementers:
///  1. `next(t)` is the first event after t, infinity if there is none. It is called whenever a step is proposed.
///  2. If a participant chooses the length of its step, a step that begins before the event does not end after it.
///  Steps
///     on a fixed grid stay on their grid.
///  3. `reached(t)` is called once per event, when all participants have reached or passed it.
class Event {
 public:
  virtual ~Event() = default;
  virtual double next(double t) const = 0;
  virtual void reached(double /*t*/) {}
};

/// The next time at which an outer master exchanges values with the run.
class CommunicationPoint final : public Event {
 public:
  double next(double /*t*/) const override { return time; }
  double time = Polynomial::infinity;  ///< s
};

}  // namespace counterpoint
