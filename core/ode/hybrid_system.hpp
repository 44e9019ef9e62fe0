#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "coupling/subsystem.hpp"
#include "ode/method.hpp"

namespace counterpoint {

/// The state of a hybrid system between two steps: what the next step begins with.
struct HybridPoint {
  double time = 0.0;          ///< s
  std::vector<double> x;      ///< continuous states
  std::vector<double> slope;  ///< dx/dt
  std::vector<double> g;      ///< event indicators
};

/// How the attempt of a step ended.
enum class Ending {
  plain,
  border,  ///< right after its start: an indicator was zero there, so its mode must be decided again
  event,   ///< right after the first change of sign of an indicator
};

/// The end of a step, before anything happens there.
struct IntegratedStep {
  double begin, end;  ///< of the step, s
  Ending ending;
  const std::vector<double>& x;  ///< states at the end
  const std::vector<double>& g;  ///< event indicators at the end, where events are located
  bool is_placed;                ///< the system was placed at the end
  bool is_restart;               ///< the step was kept short because it follows an event
  bool stops;                    ///< the integrator stops at an event: outputs right before it must be kept
};

/// An accepted step whose solution is known inside.
struct StepInside {
  double begin, end;  ///< of the step, s
  const Method& solution;
  const std::vector<double>& x_end;
  double relative_tolerance, absolute_tolerance;
};

/// What is due at the end of a step.
enum class StepOutcome {
  smooth,  ///< nothing
  update,  ///< the event iteration, though nothing that others see may jump
  event,   ///< the event iteration; outputs may jump
};

/// A located change of sign, after the event iteration.
struct LocatedEvent {
  const std::vector<int>& crossed;      ///< indicators that changed their sign
  const std::vector<double>& g_before;  ///< event indicators right before the event iteration
  double tolerance;                     ///< of location, s
};

/// Differential equations with events, as `HybridIntegrator` integrates them:
///
///     dx/dt = f(t, x)     between events; modes and discrete states are frozen
///     g(t, x)             event indicators: a state event takes place where one of them changes its sign
///     next_time_event     the next event that is known in advance
///     handle_event        the event iteration: modes, discrete states and x change until nothing changes any more
///
/// Contract for implementers:
///  1. `evaluate` (of `Slopes`) writes dx/dt at any t and x within a step. Modes stay as they are; the same arguments
///     give the same result.
///  2. `place(t, x)` evaluates whatever depends on the state x at t, modes frozen. `indicators` and `slopes` then
///     write g and dx/dt there. `place_within` is the same at a time inside the last attempt, found by interpolation:
///     whatever the system did for the rest of the attempt no longer counts.
///  3. `next_time_event` is a time after the last event, infinity when there is none. No step goes beyond it.
///  4. `begin_advance(point)` opens an advance: the inputs known now may differ from those of the end of the last step.
///  It
///     writes g and slope for them, and x where it changed. `resume_advance(point)` does what is
///     necessary before each further step of the advance.
///  5. `begin_attempt(begin, end, number)` comes before each attempt of a step, numbered from 0; whatever the system
///     did for an earlier one no longer counts.
///     When a step is accepted, `pass` shows a system that `sees_inside` the solution within it first, if the method
///     knows it there.
///  6. `complete_step(step)` accepts the step: the system is now at its end, x as given there, and says what is
///     due. When `step.stops` it keeps its outputs, should there be an event.
///  7. `handle_event(point)` follows when something is due. It iterates until nothing changes any more, and writes g,
///     and x where it changed; point.time is the time of the event.
///  8. `step_after_event` limits the step after a located event, 0: no limit. A crossing that was left by a rounding
///     error only would be crossed back in the next step; a long one sees two crossings, that is none.
///  9. `end_step(point)` closes every step, with slope written unless `begin_advance` and `resume_advance` do so. It
///  returns
///     false to end the advance there.
/// 10. Failures are exceptions. `explain` may throw a better one when an attempt failed; `indicator_name` and
///     `chattering_remedy` serve the message about too many events.
class HybridSystem : public Slopes {
 public:
  virtual void place(double t, const double* x) = 0;
  virtual void place_within(double t, const double* x) { place(t, x); }
  virtual void indicators(double* g) = 0;
  virtual void slopes(double* dx) = 0;
  virtual double next_time_event() const = 0;

  virtual void begin_advance(HybridPoint& point) = 0;
  virtual void resume_advance(HybridPoint& point) = 0;
  virtual void begin_attempt(double /*begin*/, double /*end*/, int /*number*/) {}
  virtual bool sees_inside() const { return false; }
  virtual void pass(const StepInside& /*inside*/) {}
  virtual StepOutcome complete_step(const IntegratedStep& step) = 0;
  virtual void handle_event(HybridPoint& point) = 0;
  virtual double step_after_event(const LocatedEvent& event, HybridPoint& point) = 0;
  virtual bool end_step(HybridPoint& /*point*/) { return true; }

  virtual void explain(const SolverFailure& /*failure*/) const {}
  virtual std::string indicator_name(int i) const = 0;
  virtual std::string chattering_remedy() const = 0;
};

/// Times that differ by less are one: of two that lie about `step` after the last.
inline double coincidence(double t, double step) {
  return std::max(1e-9 * step, 8.0 * std::numeric_limits<double>::epsilon() * std::abs(t));
}

}  // namespace counterpoint
