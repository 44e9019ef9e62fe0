// Newton's method for the penalty and augmented Lagrangian formulations with Newmark's rule. With S a = q - q_hat as in
// index3.cpp and b = S (J a + rest + 2 xi omega Phi' + omega^2 Phi), db/dq = g J with g = 1 + 2 xi omega S dv/dq +
// omega^2 S:
//
//     [ W  J^T   ] [ dq        ]     [ S (M a + J^T lambda - Q) ]
//     [ J  -D/g  ] [ S dlambda ] = - [ b / g  (- D/g S lambda)  ] ,
//
// the term in brackets for the penalty form, where lambda = D^-1 b / S; the augmented form drives b to zero.
#include <algorithm>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "coupling/subsystem.hpp"
#include "multibody/index1.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

Index1NewtonStepper::Index1NewtonStepper(ModelPointer model, const StepperOptions& options)
    : Index1Stepper(std::move(model), options),
      mass_on_tangent_(accelerations_.model()),
      residual_(accelerations_.model().all_coordinates()),
      product_(accelerations_.model().equations()),
      right_(accelerations_.model().coordinates() + accelerations_.model().equations()) {}

void Index1NewtonStepper::start(State& state, InputSource& inputs) {
  Index1Stepper::start(state, inputs);
  h_ = 0.0;
}

void Index1NewtonStepper::set_coefficients(double h) {
  if (h == h_) return;
  const StepperOptions& o = accelerations_.options;
  h_ = h;
  scale_ = o.rule.beta * h * h * (1.0 - o.rule.alpha_f) / (1.0 - o.rule.alpha_m);
  velocity_factor_ = o.rule.gamma / (o.rule.beta * h);
  const double omega = o.natural_frequency;
  growth_ = 1.0 + 2.0 * o.damping_ratio * omega * scale_ * velocity_factor_ + omega * omega * scale_;
}

void Index1NewtonStepper::set_step_compliance() {
  step_compliance_ = accelerations_.compliance;
  for (double& c : step_compliance_) c *= accelerations_.softening() / growth_;
  accelerations_.system().set_compliance(step_compliance_);
}

void Index1NewtonStepper::predict(const State& state) {
  for (int i = 0; i < accelerations_.model().coordinates(); ++i) {
    const double x = state.auxiliary[i];
    next_.q[i] = state.q[i] + h_ * (state.v[i] + 0.5 * h_ * x);
    next_.v[i] = state.v[i] + h_ * x;
    next_.auxiliary[i] = x;
  }
  update_accelerations(state);
}

void Index1NewtonStepper::update_accelerations(const State& state) {
  const NewmarkRule& r = accelerations_.options.rule;
  for (int i = 0; i < accelerations_.model().coordinates(); ++i) {
    next_.a[i] = ((1.0 - r.alpha_m) * next_.auxiliary[i] + r.alpha_m * state.auxiliary[i] - r.alpha_f * state.a[i]) /
                 (1.0 - r.alpha_f);
  }
}

bool Index1NewtonStepper::advance(State& state, double t_end, InputSource& inputs) {
  if (accelerations_.model().inputs() > 0) {
    accelerations_.system().set_compliance(accelerations_.compliance);
    renew_start(state, inputs);
  }
  set_coefficients(t_end - state.t);
  Instant now;
  const auto attempt = [&] {
    set_step_compliance();
    next_ = state;
    next_.t = t_end;
    now = {.t = t_end, .q = next_.q.data(), .v = next_.v.data(), .memory = state.memory.data(), .step_start = state.t};
    inputs.fill(t_end, now);
    predict(state);
    stops_ = false;
    return iterate(now, state) && goes_on(now, state, next_);
  };
  if (!soften_until(attempt)) {
    give_up(iteration_, text("the iteration does not converge (last correction %.3g m)", moved_));
  }
  if (!finish_on_constraints(state, next_, now)) return false;
  accelerations_.check_violation();
  finish(state, now);
  return true;
}

// Whether it converged, or made as many iterations as it was told to.
bool Index1NewtonStepper::iterate(const Instant& now, const State& state) {
  const StepperOptions& options = accelerations_.options;
  const bool counted = options.fixed_iterations > 0;
  const int most = counted ? options.fixed_iterations : options.max_iterations;
  for (iteration_ = 1;; ++iteration_) {
    Cancellation::check();
    moved_ = correct(now, state);
    ++statistics_.iterations;
    if (!std::isfinite(moved_)) return false;
    if (!counted && (moved_ <= options.tolerance * options.length || is_stuck_at_singularity(iteration_, moved_)))
      return true;
    if (iteration_ >= most) return counted;
  }
}

// As Index3Stepper's: next to a singular position the multipliers of dependent constraints may grow without limit,
// ever more slowly, while the constraints are met and hardly anything moves.
bool Index1NewtonStepper::is_stuck_at_singularity(int iteration, double moved) {
  constexpr int slow_iterations = 20;
  constexpr double hardly = 1.5e-7;
  const double small = hardly * accelerations_.options.length;
  const std::vector<double>& phi = accelerations_.phi;
  const bool met = std::ranges::all_of(phi, [&](double x) { return std::abs(x) <= 10.0 * small; });
  const bool stuck = iteration >= slow_iterations && met && moved <= small;
  if (stuck) ++statistics_.singular_steps;
  return stuck;
}

void Index1NewtonStepper::finish(State& state, const Instant& now) {
  keep_inputs(next_, now, accelerations_.model().inputs());
  accelerations_.model().accept(now, next_.memory.data());
  ++statistics_.steps;
  statistics_.factorisations = accelerations_.statistics.factorisations;
  statistics_.softened_steps = accelerations_.statistics.softened_steps;
  for (double x : accelerations_.phi) statistics_.worst_violation = std::max(statistics_.worst_violation, std::abs(x));
  std::swap(state, next_);
}

// One Newton iteration; returns the largest change of a coordinate.
double Index1NewtonStepper::correct(const Instant& now, const State& state) {
  const Model& model = accelerations_.model();
  const int n = model.coordinates(), m = model.equations();
  const bool penalty = accelerations_.is_penalty();
  accelerations_.evaluate(now);
  model.forces(now, accelerations_.Q.data());
  model.mass(now, accelerations_.mass.data());
  mass_on_tangent_.write(accelerations_.mass.data(), accelerations_.W.data());
  model.add_tangent(now, scale_, scale_ * velocity_factor_, accelerations_.W.data());
  multiply(model.mass_pattern(), accelerations_.mass.data(), next_.a.data(), residual_.data());
  std::fill(residual_.begin() + n, residual_.end(), 0.0);
  add_transposed(model.jacobian_pattern(), accelerations_.J.data(), next_.multipliers.data(), residual_.data());
  multiply(model.jacobian_pattern(), accelerations_.J.data(), next_.a.data(), product_.data());
  for (int i = 0; i < n; ++i) right_[i] = -scale_ * (residual_[i] - accelerations_.Q[i]);
  for (int r = 0; r < m; ++r) {
    double b = scale_ * (product_[r] + accelerations_.target[r]);
    if (penalty) b -= accelerations_.softening() * accelerations_.compliance[r] * scale_ * next_.multipliers[r];
    right_[n + r] = -b / growth_;
  }
  accelerations_.solve_anew(right_.data());

  const double to_auxiliary = 1.0 / (accelerations_.options.rule.beta * h_ * h_);
  double moved = 0.0;
  for (int i = 0; i < n; ++i) {
    next_.q[i] += right_[i];
    next_.v[i] += velocity_factor_ * right_[i];
    next_.auxiliary[i] += to_auxiliary * right_[i];
    moved = std::max(moved, std::abs(right_[i]));
    if (!std::isfinite(right_[i])) moved = INFINITY;
  }
  for (int r = 0; r < m; ++r) next_.multipliers[r] += right_[n + r] / scale_;
  update_accelerations(state);
  return moved;
}

}  // namespace counterpoint::multibody
