#pragma once

#include <array>
#include <chrono>

#include "linear/solver.hpp"

namespace counterpoint::multibody {

/// What an index-3 step does, in its order. What is done in one piece is one phase: a solver may take the right-hand
/// side along through the factorisation, and velocities, accelerations and the jerk are projected together.
/// Where inputs have jumped, the accelerations of the start are found again: one more tangent, one more factorisation.
enum class Phase {
  prediction,            ///< coordinates and inputs of the end
  dynamic_terms,         ///< constraints, their Jacobian, forces, a mass that changes
  residual,              ///< of the equations of motion
  tangent,               ///< stiffness and damping, products of the Jacobian, right-hand side of the condensed form
  factorisation,         ///< with the solution for the correction
  correction,            ///< of coordinates and multipliers
  checks,                ///< of convergence, where the curvature does not tell
  projection_terms,      ///< right-hand sides of the projections
  projection_solutions,  ///< for all right-hand sides at once
  acceptance,            ///< projections are added, the step is accepted
};
constexpr int phases = 10;
const char* name_of(Phase phase);

/// Where the time of steps went, since the run was started.
struct StepProfile {
  std::array<double, phases> seconds{};  ///< elapsed, with one reading of the clock for each count
  std::array<long long, phases> counts{};
};

/// Ends phases: time since the last reading belongs to the phase that ends.
class PhaseClock {
 public:
  void start_over() { profile_ = {}; }
  void begin() { last_ = Clock::now(); }
  void end(Phase phase) {
    const Clock::time_point now = Clock::now();
    profile_.seconds[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    ++profile_.counts[static_cast<std::size_t>(phase)];
    last_ = now;
  }
  const StepProfile* profile() const { return &profile_; }
  PhaseClock* watch() { return this; }

 private:
  using Clock = std::chrono::steady_clock;
  StepProfile profile_;
  Clock::time_point last_;
};

/// The same for steps without a profile: nothing is left of it.
struct NoClock {
  void start_over() {}
  void begin() {}
  void end(Phase) {}
  const StepProfile* profile() const { return nullptr; }
  PhaseClock* watch() { return nullptr; }
};

/// The solver, which ends the phases before and after what it does from now on; as it was, where the clock is null.
linear::SolverPointer watched(linear::SolverPointer solver, PhaseClock* clock);

/// What it takes to end a phase, s: the least of many.
double seconds_per_reading();

}  // namespace counterpoint::multibody
