#pragma once

#include <memory>

#include "coupling/failure.hpp"
#include "coupling/inputs.hpp"
#include "recipe/origin.hpp"

namespace counterpoint {

/// State of a subsystem at one time, made by its `save`.
class SavedState {
 public:
  virtual ~SavedState() = default;
  /// Write it for `Subsystem::read_state`; false if that is not possible.
  virtual bool write(recipe::Writer&) const { return false; }
};

/// Anything that owns states, time and a solver.
///
/// Contract for implementers:
///  1. Structure. The numbers of inputs and outputs never change after construction.
///  2. Life. `start(t)` sets the initial state at time t; it may be called again for another run. `begin(t, u)` is
///     called once, when the initial outputs of all subsystems are known; it returns whether outputs may differ from
///     then on (they are then read again). `finish()` ends a run and releases external resources (an instance, a
///     process); only `start` may follow.
///  3. Step. `step(t, t_end, u)` advances the state from t to t_end and returns the time reached. This may be less
///     (t < reached <= t_end) only if `stops_early()`. The others then wait more often, because they cannot know when
///     the subsystem will publish. One call is one accepted step: only its end is published. After an early end, fixed
///     steps continue on their grid, or on a new one that begins there if the subsystem `restarts_steps()`.
///  4. Inputs. `step` may ask for inputs at any time between t and t_end: `u.at(time)`. At the start of a step it
///     evaluates derivatives again with u.at(t): those from the end of the last step used extrapolated inputs.
///  5. Outputs. `output(t, u)` returns the outputs at the current time, in memory of the subsystem. Only outputs with
///     declared direct feedthrough may use inputs. `output_again(t, u)` returns the outputs at the same time for
///     inputs other than those at the end of the step; the caller restores the state afterwards.
///  6. Derivatives. `output_derivative` returns dy/dt in the same way; it is called only if `offers_derivatives()`.
///     Where outputs have direct feedthrough, dy/dt needs du/dt: then `uses_input_slopes()` is true, and the subsystem
///     asks for u.slopes_at(t).
///  7. Preferred step. `preferred_step()` is the length in s of the next step that the subsystem would like to make.
///     0: none; it then needs a fixed step.
///  8. State. `save` and `restore` belong together: after `restore(save())` the same calls give the same bits. A
///     subsystem that cannot save returns null. `read_state` makes a state from what `SavedState::write` wrote. The
///     subsystem that reads it was made in the same way and has begun. It throws RecipeError if the bytes do not fit.
///  9. Threads. Two threads never call one subsystem at the same time; they may call different subsystems.
/// 10. Events. If an event ended the last step of a subsystem that stops early, `output_before_event()` returns the
///     outputs just before it, otherwise null. If they differ from the outputs, the signal jumps, and no approximation
///     uses samples from both sides.
/// 11. Failure. A failure is an exception (failure.hpp): SolverFailure if the numerics failed, ComponentFailure if a
///     component failed, ModelFailure if a model in another language threw. RunEnd is not a failure.
///
/// Abilities that serve speed alone are not part of this contract: see coupling/abilities.hpp.
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

  virtual bool stops_early() const { return false; }
  virtual bool restarts_steps() const { return false; }
  virtual const double* output_before_event() { return nullptr; }
  virtual bool offers_derivatives() const { return false; }
  virtual bool uses_input_slopes() const { return false; }
  virtual const double* output_derivative(double /*t*/, Inputs& /*u*/) { return nullptr; }
  virtual double preferred_step() const { return 0.0; }
  /// Number of evaluations of its equations since the start, including rejected and repeated steps; -1: not counted.
  virtual long evaluations() const { return -1; }
  virtual std::unique_ptr<SavedState> save() const { return nullptr; }
  virtual void restore(const SavedState&) {}
  virtual std::unique_ptr<SavedState> read_state(recipe::Reader&) const { return nullptr; }
};

using SubsystemPointer = std::shared_ptr<Subsystem>;

}  // namespace counterpoint
