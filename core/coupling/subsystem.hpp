#pragma once

#include <memory>
#include <vector>

#include "coupling/failure.hpp"
#include "coupling/inputs.hpp"
#include "recipe/origin.hpp"

namespace counterpoint {

/// State of a subsystem at one instant, as its `save` made it.
class SavedState {
 public:
  virtual ~SavedState() = default;
  /// Write it down for `Subsystem::read_state`; false when that cannot be done.
  virtual bool write(recipe::Writer&) const { return false; }
};

class Participant;
struct BurstLimits;

/// Steps with inputs that are held, without asking for them.
class HeldStepper {
 public:
  /// What `step` and `output` do, with inputs as they are at t; the end is always reached. Settings of the
  /// floating-point unit are looked after by the caller: who knows itself to change them is no such stepper.
  virtual void step_held(double t, double t_end, const double* u, double* y) = 0;

 protected:
  ~HeldStepper() = default;
};

/// Anything that owns states, time and a solver.
///
/// Contract for implementers:
///  1. Structure (number of inputs and outputs) never changes after construction.
///  2. `start(t)` puts the subsystem at time t in its initial state. It is called once before the
///     first step and may be called again to begin another run.
///     After the initial outputs of all were found, `begin(t, u)` is called once with u.at(t) as they make it; it
///     returns whether its outputs may differ from then on (they are then read again). `finish()` ends a run: what is
///     held outside (an instance, a process) is released; only `start` may follow.
///  3. `step(t, t_end, u)` advances the state from t to t_end and returns the time reached. Only when
///     `stops_early()` may it be less, t < reached <= t_end; others then wait more often, since they
///     cannot know when the subsystem will publish. One call is one accepted step: only its end is published.
///  4. During `step` the inputs may be asked at any time between t and t_end: `u.at(time)`. At the
///     start of a step derivatives are evaluated again with u.at(t): what was stored at the end of
///     the last step was made with inputs that were guesses then.
///  5. `output(t, u)` returns the outputs at the current time; the memory is the subsystem's own. Inputs
///     may be used only by those outputs that were declared to have direct feedthrough. `output_again(t, u)` are the
///     outputs at the same instant, should the inputs be others than at the end of the step; who asks restores the
///     state afterwards.
///  6. `output_derivative` returns dy/dt likewise when `offers_derivatives()`; it is called only then.
///  7. `next_step()` is the step the subsystem would like to make next, in s; 0 means no wish (then
///     it must be given a fixed step).
///  8. `save` and `restore` come together: after `restore(save())` the same calls give the same bits.
///     A subsystem that cannot returns null from `save`. What `SavedState::write` wrote becomes a state again in
///     `read_state` of a subsystem that was made in the same way and has begun; it throws RecipeError when the bytes do
///     not fit.
///  9. No call is made from two threads at once; different subsystems may be called at once.
/// 10. One that needs of its inputs what they are at the start of a step returns a `held_stepper()`, as long as it
/// does.
///     After steps that were made by it, `stand_at(t)` says how far they went.
/// 11. When an event ended the last step of one that stops early, `output_before_event()` are the outputs right before
///     it; else null. What differs is a jump, and nobody will draw a line through it.
/// 12. One whose steps are made elsewhere (`works_elsewhere()`: another process) may be told of its next step
///     beforehand, `announce(t, t_end, u)`, so that others can step meanwhile. The same step follows, unless the run
///     ends.
/// 13. A failure is an exception (failure.hpp): SolverFailure when the numerics gave up, ComponentFailure when a component
///     did, ModelFailure when a model in another language threw. RunEnd is no failure.
class Subsystem : public recipe::Describable {
 public:
  virtual ~Subsystem() = default;

  virtual int input_width() const = 0;
  virtual int output_width() const = 0;

  virtual void start(double t) = 0;
  virtual bool begin(double /*t*/, Inputs& /*u*/) { return false; }
  virtual void finish() noexcept {}
  virtual double step(double t, double t_end, Inputs& u) = 0;
  virtual const double* output(double t, Inputs& u) = 0;
  virtual const double* output_again(double t, Inputs& u) { return output(t, u); }

  /// Several steps in a row as `participant` grants them. The default calls `step` and `output` for each; a
  /// final class may repeat its one line to let the compiler see through these calls.
  virtual void burst(Participant& participant, const BurstLimits& limits);

  virtual HeldStepper* held_stepper() { return nullptr; }
  virtual void stand_at(double /*t*/) {}

  virtual bool stops_early() const { return false; }
  virtual const double* output_before_event() { return nullptr; }
  virtual bool works_elsewhere() const { return false; }
  virtual void announce(double /*t*/, double /*t_end*/, Inputs& /*u*/) {}
  virtual bool offers_derivatives() const { return false; }
  virtual const double* output_derivative(double /*t*/, Inputs& /*u*/) { return nullptr; }
  virtual double next_step() const { return 0.0; }
  virtual std::unique_ptr<SavedState> save() const { return nullptr; }
  virtual void restore(const SavedState&) {}
  virtual std::unique_ptr<SavedState> read_state(recipe::Reader&) const { return nullptr; }
};

using SubsystemPointer = std::shared_ptr<Subsystem>;

}  // namespace counterpoint
