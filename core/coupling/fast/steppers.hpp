#pragma once

#include <cmath>
#include <cstddef>

#include "signal/polynomial.hpp"

namespace counterpoint::fast {

/// What a subsystem may offer beside the contract of `Subsystem`, for speed alone: it then inherits from one of these
/// as well, which is found once, when a run is set up. Both are bit-equal to calling `step` and `output` one by one.

/// Several steps in a row on one input (step_batch.hpp).
class BatchStepper {
 public:
  /// Lengths that are equal up to rounding.
  struct EqualSteps {
    double length = 0.0;
    double rounding = 0.0;
    bool serves(double h) const { return std::abs(h - length) <= rounding; }
  };

  /// Whether it has batches at all; does not change.
  virtual bool makes_batches() const = 0;
  /// Steps of this length may be in a batch. The reference stays good, the length may change with every step.
  virtual const EqualSteps& batch_step() const = 0;
  /// Steps from t to ends[0], ends[1], ... with an only input that is this polynomial; the outputs of each one after
  /// another into `outputs`, as far as they are finite. Returns the number of steps made: where an output is not finite
  /// the state is that of the step before.
  virtual int step_batch(const Polynomial& input, double t, const double* ends, int count, double* outputs) = 0;

 protected:
  ~BatchStepper() = default;
};

/// Steps that need of their inputs what these are at the start (held_round.hpp).
class HeldStepper {
 public:
  /// What `step` and `output` do, with inputs as they are at t; the end is always reached. Settings of the
  /// floating-point unit are looked after by the caller. A function and its first argument: one call less in every
  /// step.
  struct HeldStep {
    void (*function)(void* model, double t, double t_end, const double* u, double* y) = nullptr;
    void* model = nullptr;
    /// Held steps are made inside of this, those of others as well; null: anywhere. Whoever cannot come back from a
    /// step by itself comes back here: what is thrown then names the step that was under way.
    using Around = void (*)(void* const* models, std::size_t count, void (*work)(void*), void* argument);
    Around around = nullptr;
  };

  /// Where to step from now on; no function: it does not hold its inputs, or not any more (also when it has been found
  /// to change the settings of the floating-point unit).
  virtual HeldStep held_step() = 0;
  /// Steps were made by it up to t.
  virtual void stand_at(double t) = 0;

 protected:
  ~HeldStepper() = default;
};

}  // namespace counterpoint::fast
