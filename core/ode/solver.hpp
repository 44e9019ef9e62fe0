#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "coupling/abilities.hpp"
#include "coupling/inputs.hpp"
#include "ode/ode_solver.hpp"
#include "ode/right_hand_side.hpp"

namespace counterpoint {

/// Several steps of a solver in a row; as `BatchStepper`, for outputs that are the states.
class BatchSolver {
 public:
  virtual const BatchStepper::EqualSteps& batch_step() const = 0;
  virtual int step_batch(const Polynomial& input, double t, const double* ends, int count, double* x,
                         double* states) = 0;

 protected:
  ~BatchSolver() = default;
};

/// Steps of a solver on a piece of memory, with inputs at given times; as `SampledStepper`, for the state.
class SampledSolver {
 public:
  /// The times as parts of the step; 1 is t_end to the last bit.
  virtual const std::vector<double>& input_fractions() const = 0;
  /// Bytes of the memory, a multiple of those of a double; 0: it has no such steps.
  virtual std::size_t sampled_bytes() const = 0;
  using Step = void (*)(std::byte* memory, double t, double t_end, const double* u);
  virtual Step sampled_step() const = 0;
  /// Put there what is needed beside the state, as far as it has changed, and say where the state is.
  virtual double* load(std::byte* memory) = 0;

 protected:
  ~SampledSolver() = default;
};

/// Integrates dx/dt = f(t, x, u(t)) over one step.
///
/// Contract for implementers:
///  1. `step` advances x from t to t_end. It asks u where its formula needs it, and evaluates
///     derivatives at t again with the inputs known now.
///  2. Whatever it keeps between steps is in its memory, so that a copy of it restores the solver.
///  3. `preferred_step` is the step a variable-step solver would like next; 0 for fixed-step solvers.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual void start(double /*t*/, const std::vector<double>& /*x*/) {}
  virtual void step(double t, double t_end, double* x, Inputs& u) = 0;
  virtual double preferred_step() const { return 0.0; }
  /// Of the right-hand side since the start; -1: not counted.
  virtual long evaluations() const { return -1; }
  /// Its way to make several steps in a row, where it has one.
  virtual BatchSolver* batches() { return nullptr; }
  /// Its way to step on memory of its own, where it has one.
  virtual SampledSolver* sampled() { return nullptr; }
  /// What `into` was is overwritten.
  virtual void keep_memory(std::vector<double>& into) const { into.clear(); }
  virtual void set_memory(const std::vector<double>&) {}
  /// States at the starts of earlier steps that a multistep formula uses, the last one first.
  virtual std::vector<double> earlier_states() const { return {}; }
  /// Go on as if steps of this length had led from these states to the current one.
  virtual void set_earlier_states(const std::vector<double>& /*states*/, double /*step*/) {}
};

using SolverPointer = std::unique_ptr<Solver>;

/// Throw SolverFailure: derivative i is NaN or infinite at t, at a state that was accepted.
[[noreturn]] void right_hand_side_not_finite(double t, int i);

/// Options of variable-step and Newmark solvers; others ignore them.
struct SolverOptions {
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-9;
  double first_step = 0.0;  ///< s; 0: found from the derivatives
  double max_step = 0.0;    ///< s; 0: no limit
  double beta = 0.25;       ///< Newmark
  double gamma = 0.5;       ///< Newmark
};

SolverPointer make_solver(OdeSolver solver, RightHandSidePointer f, const SolverOptions& options);

/// ode1 to ode5.
SolverPointer make_explicit_solver(OdeSolver solver, RightHandSidePointer f);
/// One of the methods of method.hpp.
SolverPointer make_method_solver(OdeSolver solver, RightHandSidePointer f, const SolverOptions& options);
SolverPointer make_trapezoidal(RightHandSidePointer f);
SolverPointer make_bdf2(RightHandSidePointer f);
SolverPointer make_newmark(RightHandSidePointer f, double beta, double gamma);

}  // namespace counterpoint
