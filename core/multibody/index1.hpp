#pragma once

#include <string>
#include <vector>

#include "multibody/stepper.hpp"

namespace counterpoint::multibody {

/// Accelerations by the penalty formulation, González Varela (2010), eqs. 2.5 and 2.6, or the augmented Lagrangian one,
/// eqs. 2.7 and 2.8: constraints enter at acceleration level with Baumgarte's terms 2 xi omega Phi' + omega^2 Phi.
class Index1Accelerations {
 public:
  Index1Accelerations(ModelPointer model, const StepperOptions& options);

  /// Choose the penalty from the masses where none was given.
  void start(const Instant& now);
  /// a (free coordinates) and multipliers at an instant; `multipliers` is the first guess of the augmented form.
  void solve(const Instant& now, double* a, double* multipliers);

  /// rest + 2 xi omega Phi' + omega^2 Phi; Phi and J are evaluated, too.
  void evaluate(const Instant& now);

  /// Bring positions and velocities onto the constraints, by the way that moves the masses least.
  void project(const Instant& now, double* q, double* v);

  /// Throws SolverFailure when constraints are violated so much that the mechanism is another one.
  void check_violation() const;

  /// Whether constraints have done work in a step of h from `before` to `now`, which real ones never do: the iteration
  /// has then found another root of the equations than the one that continues the motion.
  bool does_work(const Instant& now, const State& before, const double* multipliers, double h);

  /// Whether the projection of a step of h, from velocities and to accelerations before and after it, has changed the
  /// motion by more than the rule's error does. Gives up when that is so and the step cannot be halved any more.
  bool jumps(const double* v_before, const double* a_before, const double* a, double h, bool can_be_halved);

  /// Solve the system of W and J, or give up; `right` holds top then bottom, and x then mu.
  void solve_anew(double* right);
  [[noreturn]] void give_up(int iteration, const std::string& why) const;

  /// Make constraints softer than they were chosen, for a step that does not converge; 1: not. Above 1 the augmented
  /// form does as the penalty form does.
  void soften(double factor);
  double softening() const { return softening_; }
  bool is_penalty() const { return options.formulation == Formulation::penalty || softening_ > 1.0; }

  bool projects() const { return options.project_velocities && options.natural_frequency > 0.0; }
  const Model& model() const { return *model_; }
  SaddleSystem& system() { return *system_; }
  const SaddleSystem& system() const { return *system_; }

  StepperOptions options;
  std::vector<double> compliance;
  std::vector<double> mass, W, J, phi, target, Q;
  Statistics statistics;

 private:
  /// d^T M d of free coordinates.
  double squared(const double* vector);
  /// Of the motion, and of what the forces make of the masses in one step.
  double twice_the_energy(const double* v, double h);

  ModelPointer model_;
  MassOnTangent mass_on_tangent_;
  SaddleSystemPointer system_;
  double softening_ = 1.0;
  double velocity_change_ = 0.0;  ///< of the last projection, the square of its mass norm
  std::vector<double> phi_t_, rest_, right_, top_, spare_J_, rate_, spare_;
  std::vector<int> diagonal_;  ///< of the mass matrix: places of its free part
};

/// What the steppers of the index-1 formulations share.
class Index1Stepper : public Stepper {
 public:
  Index1Stepper(ModelPointer model, const StepperOptions& options) : accelerations_(std::move(model), options) {}
  void start(State& state, InputSource& inputs) override;
  void step(State& state, double t_end, InputSource& inputs) override;
  const linear::Solver* solver() const override { return &accelerations_.system().solver(); }

 protected:
  /// Makes a whole step; false when it is to be made in halves, the state is then as it was.
  virtual bool advance(State& state, double t_end, InputSource& inputs) = 0;
  bool can_be_halved() const { return accelerations_.options.fixed_iterations == 0 && halvings_ < most_halvings; }
  void renew_start(State& state, InputSource& inputs);
  /// Whether a step that has converged continues the motion; a given number of iterations is taken as it is.
  bool goes_on(const Instant& now, const State& before, const State& next) {
    stops_ = accelerations_.options.fixed_iterations == 0 &&
             accelerations_.does_work(now, before, next.multipliers.data(), next.t - before.t);
    return !stops_;
  }
  /// Calls `attempt` with constraints as stiff as they are, then softer and softer, until it says that it converged to
  /// what continues the motion.
  template <typename Attempt>
  bool soften_until(Attempt attempt);
  [[noreturn]] void give_up(int iteration, const std::string& not_converged) const;
  /// Positions and velocities onto the constraints, and accelerations that fit them; `now` looks at `next`. False when
  /// the step is to be made in halves.
  bool finish_on_constraints(const State& before, State& next, const Instant& now);
  void note_statistics();

  Index1Accelerations accelerations_;
  bool stops_ = false;  ///< the last attempt converged to something that does not continue the motion
  int halvings_ = 0;    ///< of the step under way

  static constexpr int most_halvings = 5;
};

template <typename Attempt>
bool Index1Stepper::soften_until(Attempt attempt) {
  constexpr double softer[] = {1.0, 1e4, 1e6};
  bool converged = false;
  for (const double factor : softer) {
    accelerations_.soften(factor);
    converged = attempt();
    if (converged) break;
  }
  if (accelerations_.softening() > 1.0 && converged) ++accelerations_.statistics.softened_steps;
  return converged;
}

/// Explicit steppers: midpoint rule (order 2) and the classical Runge-Kutta rule (order 4).
class RungeKuttaStepper final : public Index1Stepper {
 public:
  RungeKuttaStepper(ModelPointer model, const StepperOptions& options);

 private:
  bool advance(State& state, double t_end, InputSource& inputs) override;
  void stage(const State& state, double t, double from_start, const double* v, const double* a, InputSource& inputs);

  bool fourth_order_;
  Instant last_;  ///< of the last stage
  std::vector<double> q_, v_, a_, multipliers_, sum_v_, sum_a_;
};

/// Newmark's rule with accelerations found by repeated substitution, as González Varela (2010) does it for the penalty
/// formulations.
class FixedPointStepper final : public Index1Stepper {
 public:
  using Index1Stepper::Index1Stepper;

 private:
  bool advance(State& state, double t_end, InputSource& inputs) override;
  bool substitute(const State& state, const Instant& now, double h);

  State next_;
  int iteration_ = 0;
};

/// Newmark's rule (or generalised-alpha) with Newton's method in the positions.
class Index1NewtonStepper final : public Index1Stepper {
 public:
  Index1NewtonStepper(ModelPointer model, const StepperOptions& options);
  void start(State& state, InputSource& inputs) override;

 private:
  bool advance(State& state, double t_end, InputSource& inputs) override;
  void set_coefficients(double h);
  void set_step_compliance();
  void predict(const State& state);
  bool iterate(const Instant& now, const State& state);
  bool is_stuck_at_singularity(int iteration, double moved);
  double correct(const Instant& now, const State& state);
  void update_accelerations(const State& state);
  void finish(State& state, const Instant& now);

  MassOnTangent mass_on_tangent_;
  double h_ = 0.0, scale_ = 0.0, velocity_factor_ = 0.0, growth_ = 1.0;
  State next_;
  int iteration_ = 0;
  double moved_ = 0.0;  ///< largest correction of the last iteration, m
  std::vector<double> step_compliance_, residual_, product_, right_;
};

}  // namespace counterpoint::multibody
