#pragma once

#include <memory>
#include <string>
#include <vector>

#include "multibody/model.hpp"
#include "multibody/saddle.hpp"

namespace counterpoint::multibody {

/// Everything that changes during a run; copying it is saving it.
struct State {
  double t = 0.0;
  std::vector<double> q, v, a;              ///< all coordinates, the fixed ones last
  std::vector<double> auxiliary;            ///< generalised-alpha's acceleration-like variable; elsewhere a is
  std::vector<double> previous;             ///< that variable a step ago, for the predictor
  std::vector<double> jerk, previous_jerk;  ///< da/dt now and a step ago (Hermite's rule only)
  double previous_step = 0.0;               ///< length of the last step, s; 0: there was none
  std::vector<double> multipliers;          ///< as exact as a, where the stepper was told that they are shown
  double stiffening = 1.0;     ///< how much larger the penalty is for a while than it was chosen at the start
  std::vector<double> memory;  ///< what elements remember
  std::vector<double> inputs;  ///< values, rates and accelerations of the inputs that a and multipliers were made with

  void swap(State& other) noexcept;
  /// This state as what dynamic terms depend on, with the inputs it was made with.
  Instant instant() const {
    const std::size_t count = inputs.size() / 3;
    return {.t = t,
            .q = q.data(),
            .v = v.data(),
            .u = inputs.data(),
            .du = inputs.data() + count,
            .ddu = inputs.data() + 2 * count,
            .memory = memory.data(),
            .step_start = t};
  }
};

/// What a run has cost and how well constraints were kept.
struct Statistics {
  long long steps = 0;
  long long iterations = 0;
  long long factorisations = 0;
  double worst_contraction = 0.0;  ///< largest ratio of constraint violations of two iterations
  double worst_violation = 0.0;    ///< largest |Phi| left at the end of a step, m or rad
  long long singular_steps =
      0;  ///< how often a step ended in a singular position before it had converged to the last digit
  long long penalty_raised = 0;  ///< how often the penalty had to be made larger
  long long softened_steps = 0;  ///< steps of an index-1 formulation that converged with softer constraints only
  long long halved_steps = 0;    ///< steps that were made in halves
};

/// Where inputs come from: fills u and, for guided values, their derivatives.
class InputSource {
 public:
  virtual ~InputSource() = default;
  virtual void fill(double t, Instant& now) = 0;
};

/// How far a Newmark-type rule leans: q and v of a step's end from the acceleration there.
/// Trapezoidal rule: beta 1/4, gamma 1/2, both alphas 0. Generalised-alpha: Arnold & Bruels 2007.
struct NewmarkRule {
  double beta = 0.25;
  double gamma = 0.5;
  double alpha_m = 0.0;
  double alpha_f = 0.0;
};

enum class Formulation { index3, augmented_lagrangian, penalty };
enum class SystemForm { condensed, kkt };
enum class Integrator { newmark, hermite, rk2, rk4 };  ///< newmark: all rules of NewmarkRule; hermite: index-3 only
enum class Iteration { newton, fixed_point };          ///< fixed_point: index-1 formulations only

/// All choices of formulation and integrator.
struct StepperOptions {
  Formulation formulation = Formulation::index3;
  SystemForm system = SystemForm::condensed;
  Integrator integrator = Integrator::newmark;
  Iteration iteration = Iteration::newton;
  linear::SolverType solver = linear::SolverType::automatic;
  NewmarkRule rule;
  double penalty = 0.0;             ///< alpha of González Varela (2010); 0 chooses it from M and the step
  double natural_frequency = 10.0;  ///< Baumgarte's omega, rad/s (index-1 formulations)
  double damping_ratio = 1.0;       ///< Baumgarte's xi
  bool project_velocities = true;
  bool project_accelerations = true;
  bool reset_multipliers = true;  ///< start every step with lambda = 0: stable at every penalty and size
  bool shows_multipliers = true;  ///< false: they are not shown, a step may leave them at its last iteration's
  bool printed =
      false;  ///< index-3 exactly as printed in González Varela (2010): lambda += alpha Phi after each iteration
  double tolerance = 3e-11;  ///< expected next correction at which iteration stops, relative to `length`
  double length = 1.0;       ///< size of the mechanism, m
  int max_iterations = 20;
  int fixed_iterations = 0;  ///< > 0: exactly so many, whatever the residual (for studies)
  int threads = 1;           ///< for the domains of large models; 0: one for each processor. Bits do not depend on it
  bool profile =
      false;  ///< note where the time of steps goes (index-3 only; recipes leave it out). Bits do not depend on it
};

struct StepProfile;

/// Moves a state over one step. Contract for implementers:
///  1. `start` makes accelerations and multipliers that fit positions and velocities; state.q, v, t, memory are given.
///  2. `step` first evaluates the accelerations again when the inputs at its start differ from those assumed.
///     Then it moves the state from state.t to t_end, or throws SolverFailure and leaves it as it was.
///  3. Everything that must survive save and restore is in State.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void start(State& state, InputSource& inputs) = 0;
  virtual void step(State& state, double t_end, InputSource& inputs) = 0;
  const Statistics& statistics() const { return statistics_; }
  virtual const linear::Solver* solver() const { return nullptr; }
  /// Null without `StepperOptions::profile`.
  virtual const StepProfile* profile() const { return nullptr; }

 protected:
  /// Whether the inputs at an instant are others than those that the state's accelerations were made with.
  static bool inputs_differ(const State& state, const Instant& now);
  static void keep_inputs(State& state, const Instant& now, int inputs);

  Statistics statistics_;
};

using StepperPointer = std::unique_ptr<Stepper>;

StepperPointer make_stepper(ModelPointer model, const StepperOptions& options);

/// Writes M, given on its own pattern, on the tangent's.
class MassOnTangent {
 public:
  explicit MassOnTangent(const Model& model);
  void write(const double* mass, double* W) const;

 private:
  int entries_;
  std::vector<int> places_;
};

/// Compliance of each constraint, `ratio` times what the masses make of it: J M^-1 J^T, diagonals only.
std::vector<double> compliance_from_mass(const Model& model, const double* mass, const double* J, double ratio);

/// What a stepper says when it gives up: iteration, reason, forces that are not finite, the worst constraint, a remedy.
/// The coupling adds the subsystem and the span of the step.
std::string failure_message(const Model& model, int iteration, const std::string& why, const std::vector<double>& phi,
                            const std::vector<double>& Q);
/// " at coordinate ..." or " at constraint ..." for a row of the saddle system; empty for -1.
std::string place_of(const Model& model, int row);

}  // namespace counterpoint::multibody
