#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "signal/polynomial.hpp"

namespace counterpoint {

class Inputs;
class SavedState;

/// Abilities that a subsystem may offer in addition to the contract of `Subsystem`, for speed alone. It inherits from
/// these classes; a run looks for them once, when it is set up. Each gives the same bits as the calls of the contract
/// that it replaces.

/// Several steps in a row on one input (fast/step_batch.hpp).
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
  /// A batch contains steps of this length only. The reference stays valid; the length may change with every step.
  virtual const EqualSteps& batch_step() const = 0;
  /// Make steps from t to ends[0], ends[1], ... with this polynomial as the only input. The outputs of each step are
  /// appended to `outputs`, as long as they are finite. Returns the number of steps made: after an output that is not
  /// finite the state is that of the step before.
  virtual int step_batch(const Polynomial& input, double t, const double* ends, int count, double* outputs) = 0;

 protected:
  ~BatchStepper() = default;
};

/// Calls `work(argument)` for one or several models. If a step cannot return by itself (a crash in foreign code), this
/// function returns by an exception instead. The exception names the step that was running; nothing in between is
/// unwound.
using Around = void (*)(void* const* models, std::size_t count, void (*work)(void*), void* argument);

/// Steps that are guarded, each one by itself or many together (fast/round.hpp).
class GuardedStepper {
 public:
  struct Guard {
    Around around = nullptr;
    void* model = nullptr;
  };

  /// The guard for its steps; within it they need no guard of their own. Empty: they have none. Valid until the run
  /// ends.
  virtual Guard guard() = 0;

 protected:
  ~GuardedStepper() = default;
};

/// Steps that are made in another process, while others step here (fast/round.hpp).
class AnnouncedStepper {
 public:
  /// The next step begins in the other process. The same `step` follows, unless the run ends.
  virtual void announce(double t, double t_end, Inputs& u) = 0;

 protected:
  ~AnnouncedStepper() = default;
};

/// Steps that use only the values of their inputs at the start of the step (fast/held_round.hpp).
class HeldStepper {
 public:
  /// Does what `step` and `output` do, with the inputs at t; always reaches the end. The caller takes care of the
  /// settings of the floating-point unit. A function and its first argument: this saves one call per step.
  struct HeldStep {
    void (*function)(void* model, double t, double t_end, const double* u, double* y) = nullptr;
    void* model = nullptr;
    Around around = nullptr;  ///< held steps are made inside of this; null: anywhere
  };

  /// How to step from now on. No function: it does not hold its inputs, or no longer does (also after it was found to
  /// change the settings of the floating-point unit).
  virtual HeldStep held_step() = 0;
  /// Held steps were made up to t.
  virtual void stand_at(double t) = 0;

 protected:
  ~HeldStepper() = default;
};

/// Steps that read their inputs only at given times of the step, and keep all their data in one block of memory
/// (fast/sampled_round.hpp).
class SampledStepper {
 public:
  /// Does what `step` and `output` do, on this memory. No function: there are no such steps.
  struct SampledStep {
    /// `u`: all inputs at the first of the times, all at the second, ... Outputs at the end into `y`. Throws nothing.
    void (*function)(void* memory, double t, double t_end, const double* u, double* y) = nullptr;
    std::vector<double> fractions;  ///< the times as parts of the step, ascending; 1 is t_end to the last bit
    std::size_t bytes = 0;          ///< size of the memory, aligned for doubles
  };

  /// Does not change.
  virtual SampledStep sampled_step() = 0;
  /// Write the state and all data to the memory; what was loaded before and has not changed may stay. All bytes are
  /// zero at the first call.
  virtual void load(void* memory) = 0;
  /// Read the state from the memory: its last step went from t to t_end.
  virtual void store(const void* memory, double t, double t_end) = 0;

 protected:
  ~SampledStepper() = default;
};

/// Saves into a state that already exists, without new memory, where windows are repeated (Participant::mark).
class StateRewriter {
 public:
  /// Write the present state into one that this subsystem has saved in this run. False: it cannot; `save` must be used.
  virtual bool save_again(SavedState& state) const = 0;

 protected:
  ~StateRewriter() = default;
};

}  // namespace counterpoint
