#pragma once

#include <memory>

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

/// Anything that owns states, time and a solver.
///
/// Contract for implementers:
///  1. Structure. The numbers of inputs and outputs never change after construction.
///  2. Life. `start(t)` puts the subsystem in its initial state at time t; it may be called again for another run.
///  After
///     the initial outputs of all subsystems were found, `begin(t, u)` is called once and returns whether outputs may
///     differ from then on (they are then read again). `finish()` ends a run and releases what is held outside (an
///     instance, a process); only `start` may follow.
///  3. Step. `step(t, t_end, u)` advances the state from t to t_end and returns the time reached. Only when
///     `stops_early()` may that be less, t < reached <= t_end; others then wait more often, since they cannot know when
///     the subsystem will publish. One call is one accepted step: only its end is published.
///  4. Inputs. During `step` they may be asked at any time between t and t_end: `u.at(time)`. At the start of a step
///     derivatives are evaluated again with u.at(t): what was stored at the end of the last step was made with inputs
///     that were extrapolated then.
///  5. Outputs. `output(t, u)` returns the outputs at the current time, in memory of the subsystem. Only outputs with
///     declared direct feedthrough may use inputs. `output_again(t, u)` returns the outputs at the same instant for
///     other inputs than at the end of the step; the caller restores the state afterwards.
///  6. Derivatives. `output_derivative` returns dy/dt likewise; it is called only when `offers_derivatives()`. Where
///     outputs have direct feedthrough, dy/dt needs du/dt: it `uses_input_slopes()`, and asks u.slopes_at(t).
///  7. Preferred step. `preferred_step()` is the length of the step that the subsystem would like to make next, in s;
///     0 means none (it then has to be given a fixed step).
///  8. State. `save` and `restore` come together: after `restore(save())` the same calls give the same bits. A
///  subsystem
///     that cannot save returns null. What `SavedState::write` wrote becomes a state again in `read_state` of a
///     subsystem that was made in the same way and has begun; it throws RecipeError when the bytes do not fit.
///  9. Threads. No call is made from two threads at once; different subsystems may be called at once.
/// 10. Events. When an event ended the last step of a subsystem that stops early, `output_before_event()` returns the
///     outputs right before it, else null. Where they differ from the outputs the signal jumps, and no approximation
///     reaches across.
/// 11. Failure. A failure is an exception (failure.hpp): SolverFailure when the numerics gave up, ComponentFailure when
/// a
///     component did, ModelFailure when a model in another language threw. RunEnd is not a failure.
///
/// What a subsystem can do for speed alone is not part of this contract: see coupling/abilities.hpp.
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
  virtual const double* output_before_event() { return nullptr; }
  virtual bool offers_derivatives() const { return false; }
  virtual bool uses_input_slopes() const { return false; }
  virtual const double* output_derivative(double /*t*/, Inputs& /*u*/) { return nullptr; }
  virtual double preferred_step() const { return 0.0; }
  /// How often its equations were evaluated since the start, rejected and repeated steps included; -1: not counted.
  virtual long evaluations() const { return -1; }
  virtual std::unique_ptr<SavedState> save() const { return nullptr; }
  virtual void restore(const SavedState&) {}
  virtual std::unique_ptr<SavedState> read_state(recipe::Reader&) const { return nullptr; }
};

using SubsystemPointer = std::shared_ptr<Subsystem>;

}  // namespace counterpoint
