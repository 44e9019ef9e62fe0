#pragma once

#include "coupling/indicator.hpp"
#include "coupling/step_clock.hpp"
#include "coupling/subsystem.hpp"

namespace counterpoint {

/// How the next step of one participant is chosen.
///
/// Contract for implementers:
///  1. `next_end(t, clock, event)` is the end of the next step from t, later than t; infinity when the run is over. It
///  is
///     asked after every step and once at the start. `clock.next(t, length, event)` makes an end of a length: it
///     knows the end of the run, and that a step does not go over the next event.
///  2. `published(t, y)` tells what the participant has published.
///  3. As an indicator it is told what was assumed of the inputs of its participant and what arrived. Of times up
///     to the start of the last step all is known before it is asked; what else is known depends on the order of steps,
///     so that it is left alone by a pace that gives the same bits with any number of threads.
///  4. Where `may_reject()`, the subsystem saves its state before every step, and `accepts(t, t_end, y)` is asked
///     afterwards. When it says no, the state is restored and `next_end` is asked again, for an earlier end. Others
///     then take the participant for one that stops early. A subsystem that cannot save is never asked.
///  5. `returned_to(t)` says that the participant stands at t again, after a rejected step or in a repeated window.
class Pace : public Indicator {
 public:
  virtual double next_end(double t, StepClock& clock, double event) = 0;
  virtual void published(double /*t*/, const double* /*y*/) {}
  void arrived(const Arrival&) override {}
  virtual bool may_reject() const { return false; }
  virtual bool accepts(double /*t*/, double /*t_end*/, const double* /*y*/) { return true; }
};

/// Equal steps on the grid of the clock.
class FixedPace final : public Pace {
 public:
  double next_end(double t, StepClock& clock, double /*event*/) override { return clock.next_fixed(t); }
};

/// The steps that the subsystem prefers.
class OwnPace final : public Pace {
 public:
  explicit OwnPace(const Subsystem& subsystem) : subsystem_(subsystem) {}
  /// Throws StepFailure when the preferred step does not move the time.
  double next_end(double t, StepClock& clock, double event) override;

 private:
  const Subsystem& subsystem_;
};

}  // namespace counterpoint
