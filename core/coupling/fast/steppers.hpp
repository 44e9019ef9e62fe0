#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "signal/polynomial.hpp"

namespace counterpoint {
class Inputs;
}

namespace counterpoint::fast {

/// What a subsystem may offer beside the contract of `Subsystem`, for speed alone: it then inherits from one of these
/// as well, which is found once, when a run is set up. All are bit-equal to calling `step` and `output` one by one.

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

/// Work of one or several models is done inside of this. Whoever cannot come back from a step by itself comes back
/// here: what is thrown then names the step that was under way, and nothing between was unwound.
using Around = void (*)(void* const* models, std::size_t count, void (*work)(void*), void* argument);

/// Steps that are guarded, each one by itself or many together (round.hpp).
class GuardedStepper {
 public:
  struct Guard {
    Around around = nullptr;
    void* model = nullptr;
  };

  /// Inside of this its steps need no guard of their own; nothing: they have none. Good until the run ends.
  virtual Guard guard() = 0;

 protected:
  ~GuardedStepper() = default;
};

/// Steps that are made in another process, while others step here (round.hpp).
class AnnouncedStepper {
 public:
  /// The next step begins in the other process. The same `step` follows, unless the run ends.
  virtual void announce(double t, double t_end, Inputs& u) = 0;

 protected:
  ~AnnouncedStepper() = default;
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
    Around around = nullptr;  ///< held steps are made inside of this; null: anywhere
  };

  /// Where to step from now on; no function: it does not hold its inputs, or not any more (also when it has been found
  /// to change the settings of the floating-point unit).
  virtual HeldStep held_step() = 0;
  /// Steps were made by it up to t.
  virtual void stand_at(double t) = 0;

 protected:
  ~HeldStepper() = default;
};

/// Steps that need of their inputs what these are at some times of the step, and that work on a piece of memory with
/// all that they touch (sampled_round.hpp).
class SampledStepper {
 public:
  /// What `step` and `output` do, on the memory; no function: it has no such steps.
  struct SampledStep {
    /// `u`: all inputs at the first of the times, all at the second, ... Outputs at the end into `y`. Throws nothing.
    void (*function)(void* memory, double t, double t_end, const double* u, double* y) = nullptr;
    std::vector<double> fractions;  ///< the times as parts of the step, ascending; 1 is t_end to the last bit
    std::size_t bytes = 0;          ///< of memory, which lies as doubles do
  };

  /// Does not change.
  virtual SampledStep sampled_step() = 0;
  /// Put the state into the memory. What was loaded into it and has not changed may be there still; at first all bytes
  /// are zero.
  virtual void load(void* memory) = 0;
  /// Take the state from the memory: its last step went from t to t_end.
  virtual void store(const void* memory, double t, double t_end) = 0;

 protected:
  ~SampledStepper() = default;
};

}  // namespace counterpoint::fast
