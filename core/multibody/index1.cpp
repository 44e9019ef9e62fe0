#include "multibody/index1.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "coupling/subsystem.hpp"
#include "multibody/halves.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

namespace {

constexpr double default_compliance = 1e-7;  ///< as for index 3: stiffer throws the mechanism off in singular positions
constexpr int max_multiplier_iterations = 10;
constexpr double slow_contraction = 0.5;

void accept(const Model& model, State& state, double step_start) {
  const std::vector<double> memory = state.memory;
  Instant now = state.instant();
  now.step_start = step_start;
  now.memory = memory.data();
  model.accept(now, state.memory.data());
}

}  // namespace

Index1Accelerations::Index1Accelerations(ModelPointer model, const StepperOptions& given)
    : options(given),
      mass(model->mass_pattern().entries()),
      W(model->tangent_pattern().entries()),
      J(model->jacobian_pattern().entries()),
      phi(model->equations()),
      target(model->equations()),
      Q(model->all_coordinates()),
      model_(std::move(model)),
      mass_on_tangent_(*model_),
      phi_t_(model_->equations()),
      rest_(model_->equations()),
      right_(model_->coordinates() + model_->equations()),
      top_(model_->all_coordinates()),
      spare_J_(model_->jacobian_pattern().entries()),
      rate_(model_->equations()),
      spare_(model_->all_coordinates()) {
  for (int i = 0; i < model_->coordinates(); ++i) diagonal_.push_back(model_->mass_pattern().find(i, i));
  const bool kkt = options.system == SystemForm::kkt;
  system_ = kkt ? make_kkt_system(*model_, options.solver) : make_condensed_system(*model_, options.solver);
}

void Index1Accelerations::start(const Instant& now) {
  model_->constraints(now, phi.data(), J.data());
  model_->mass(now, mass.data());
  if (options.penalty > 0.0) {
    compliance.assign(model_->equations(), 1.0 / options.penalty);
  } else {
    compliance = compliance_from_mass(*model_, mass.data(), J.data(), default_compliance);
  }
  system_->set_compliance(compliance);
}

void Index1Accelerations::evaluate(const Instant& now) {
  model_->constraints(now, phi.data(), J.data());
  multiply(model_->jacobian_pattern(), J.data(), now.v, target.data());
  if (model_->rheonomic()) model_->velocity_terms(now, phi_t_.data());
  model_->acceleration_terms(now, rest_.data());
  const double omega = options.natural_frequency, damping = 2.0 * options.damping_ratio * omega;
  for (std::size_t r = 0; r < target.size(); ++r) {
    target[r] = rest_[r] + damping * (target[r] + phi_t_[r]) + omega * omega * phi[r];
  }
}

void Index1Accelerations::solve_anew(double* right) {
  double* const bottom = right + model_->coordinates();
  try {
    system_->solve_anew(W.data(), false, J.data(), right, bottom, bottom);
  } catch (const linear::SingularMatrix& singular) {
    give_up(1, "the matrix is singular" + place_of(*model_, singular.equation));
  }
  ++statistics.factorisations;
}

void Index1Accelerations::give_up(int iteration, const std::string& why) const {
  std::string message = failure_message(*model_, iteration, why, phi, Q);
  if (options.penalty > 0.0) {
    message +=
        text("; penalty = %.3g may be too stiff or too soft: leave it out, and the masses decide", options.penalty);
  }
  throw SolverFailure(message + "; name = \"index-3\" passes singular positions");
}

void Index1Accelerations::solve(const Instant& now, double* a, double* multipliers) {
  evaluate(now);
  model_->forces(now, Q.data());
  model_->mass(now, mass.data());
  mass_on_tangent_.write(mass.data(), W.data());
  const int n = model_->coordinates(), m = model_->equations();
  const bool penalty = is_penalty();
  if (penalty) std::fill_n(multipliers, m, 0.0);
  double before = INFINITY;
  for (int iteration = 0; iteration < max_multiplier_iterations; ++iteration) {
    std::fill(top_.begin(), top_.end(), 0.0);
    add_transposed(model_->jacobian_pattern(), J.data(), multipliers, top_.data());
    for (int i = 0; i < n; ++i) right_[i] = Q[i] - top_[i];
    for (int r = 0; r < m; ++r) right_[n + r] = -target[r];
    if (iteration == 0) {
      solve_anew(right_.data());
    } else {
      system_->solve(right_.data(), right_.data() + n, right_.data() + n);
    }
    ++statistics.iterations;
    double left = 0.0, demand = 0.0;  // what Phi'' still lacks, and what it has to be
    for (int r = 0; r < m; ++r) {
      multipliers[r] += right_[n + r];
      left = std::max(left, std::abs(compliance[r] * right_[n + r]));
      demand = std::max(demand, std::abs(target[r]));
    }
    // What hardly becomes less is the share of constraints that depend on each other here: a singular position.
    if (penalty || left <= 1e-12 * (1.0 + demand) || left > slow_contraction * before) break;
    before = left;
  }
  std::copy_n(right_.begin(), n, a);
}

void Index1Stepper::give_up(int iteration, const std::string& not_converged) const {
  accelerations_.give_up(
      iteration, stops_ ? "close to a singular position all solutions of the step change the energy" : not_converged);
}

void Index1Stepper::note_statistics() {
  const long long steps = statistics_.steps + 1;
  const double violation = statistics_.worst_violation;
  const long long halved = statistics_.halved_steps;
  statistics_ = accelerations_.statistics;
  statistics_.halved_steps = halved;
  statistics_.steps = steps;
  statistics_.worst_violation = violation;
  for (double x : accelerations_.phi) statistics_.worst_violation = std::max(statistics_.worst_violation, std::abs(x));
}

bool Index1Stepper::finish_on_constraints(const State& state, State& next, const Instant& now) {
  accelerations_.soften(1.0);
  if (!accelerations_.projects()) return true;
  accelerations_.system().set_compliance(accelerations_.compliance);
  accelerations_.project(now, next.q.data(), next.v.data());
  const std::vector<double> before = next.a;
  accelerations_.solve(now, next.a.data(), next.multipliers.data());
  for (std::size_t i = 0; i < before.size(); ++i) next.auxiliary[i] += next.a[i] - before[i];
  return !accelerations_.jumps(state.v.data(), before.data(), next.a.data(), next.t - state.t, can_be_halved());
}

void Index1Stepper::step(State& state, double t_end, InputSource& inputs) {
  if (!can_be_halved()) {
    advance(state, t_end, inputs);
    return;
  }
  try {
    if (advance(state, t_end, inputs)) return;
  } catch (const SolverFailure&) {  // what is left of it after the last halving says why
  }
  make_in_halves(state, t_end, halvings_, statistics_, [&](double until) { step(state, until, inputs); });
}

void Index1Stepper::start(State& state, InputSource& inputs) {
  Instant now = state.instant();
  inputs.fill(state.t, now);
  accelerations_.start(now);
  std::fill(state.a.begin(), state.a.end(), 0.0);
  accelerations_.solve(now, state.a.data(), state.multipliers.data());
  keep_inputs(state, now, accelerations_.model().inputs());
  state.auxiliary = state.previous = state.a;
}

// Inputs at the start of a step may be known better now than when the last step ended.
void Index1Stepper::renew_start(State& state, InputSource& inputs) {
  if (accelerations_.model().inputs() == 0) return;
  Instant now = state.instant();
  inputs.fill(state.t, now);
  if (!inputs_differ(state, now)) return;
  const std::vector<double> before = state.a;
  accelerations_.solve(now, state.a.data(), state.multipliers.data());
  for (std::size_t i = 0; i < before.size(); ++i) state.auxiliary[i] += state.a[i] - before[i];
}

RungeKuttaStepper::RungeKuttaStepper(ModelPointer model, const StepperOptions& options)
    : Index1Stepper(std::move(model), options), fourth_order_(options.integrator == Integrator::rk4) {}

// Accelerations at `t` from positions and velocities that left the start with the slopes v and a.
void RungeKuttaStepper::stage(const State& state, double t, double from_start, const double* v, const double* a,
                              InputSource& inputs) {
  const int n = accelerations_.model().coordinates();
  for (int i = 0; i < n; ++i) {
    // v may be v_ itself: its old value is used before it is replaced.
    q_[i] = state.q[i] + from_start * v[i];
    v_[i] = state.v[i] + from_start * a[i];
  }
  Instant now{.t = t, .q = q_.data(), .v = v_.data(), .memory = state.memory.data(), .step_start = state.t};
  inputs.fill(t, now);
  accelerations_.solve(now, a_.data(), multipliers_.data());
  last_ = now;
}

bool RungeKuttaStepper::advance(State& state, double t_end, InputSource& inputs) {
  const int n = accelerations_.model().coordinates();
  const double h = t_end - state.t, middle = state.t + 0.5 * h;
  q_ = state.q;
  v_ = state.v;
  a_ = state.a;
  multipliers_ = state.multipliers;
  stage(state, state.t, 0.0, state.v.data(), state.a.data(), inputs);
  if (fourth_order_) {
    sum_v_ = v_;
    sum_a_ = a_;
    const auto add = [&](double weight) {
      for (int i = 0; i < n; ++i) {
        sum_v_[i] += weight * v_[i];
        sum_a_[i] += weight * a_[i];
      }
    };
    stage(state, middle, 0.5 * h, v_.data(), a_.data(), inputs);
    add(2.0);
    stage(state, middle, 0.5 * h, v_.data(), a_.data(), inputs);
    add(2.0);
    stage(state, t_end, h, v_.data(), a_.data(), inputs);
    add(1.0);
    for (int i = 0; i < n; ++i) {
      v_[i] = sum_v_[i] / 6.0;
      a_[i] = sum_a_[i] / 6.0;
    }
  } else {
    stage(state, middle, 0.5 * h, v_.data(), a_.data(), inputs);
  }
  stage(state, t_end, h, v_.data(), a_.data(), inputs);  // the end of the step, for outputs and as a first guess
  if (accelerations_.projects()) {
    const std::vector<double> before = a_;
    accelerations_.project(last_, q_.data(), v_.data());
    accelerations_.solve(last_, a_.data(), multipliers_.data());
    if (accelerations_.jumps(state.v.data(), before.data(), a_.data(), h, can_be_halved())) return false;
  }
  accelerations_.check_violation();
  const double from = state.t;
  std::copy_n(q_.begin(), n, state.q.begin());
  std::copy_n(v_.begin(), n, state.v.begin());
  std::copy_n(a_.begin(), n, state.a.begin());
  state.multipliers = multipliers_;
  state.t = t_end;
  keep_inputs(state, last_, accelerations_.model().inputs());
  accept(accelerations_.model(), state, from);
  note_statistics();
  return true;
}

bool FixedPointStepper::advance(State& state, double t_end, InputSource& inputs) {
  renew_start(state, inputs);
  Instant now;
  const auto attempt = [&] {
    next_ = state;
    next_.t = t_end;
    now = next_.instant();
    now.step_start = state.t;
    now.memory = state.memory.data();
    inputs.fill(t_end, now);
    stops_ = false;
    return substitute(state, now, t_end - state.t) && goes_on(now, state, next_);
  };
  if (!soften_until(attempt)) give_up(iteration_, "the iteration does not converge");
  if (!finish_on_constraints(state, next_, now)) return false;
  accelerations_.check_violation();
  const double from = state.t;
  keep_inputs(next_, now, accelerations_.model().inputs());
  std::swap(state, next_);
  accept(accelerations_.model(), state, from);
  note_statistics();
  return true;
}

// Whether it converged, or made as many iterations as it was told to.
bool FixedPointStepper::substitute(const State& state, const Instant& now, double h) {
  const StepperOptions& options = accelerations_.options;
  const int n = accelerations_.model().coordinates();
  const bool counted = options.fixed_iterations > 0;
  const int most = counted ? options.fixed_iterations : options.max_iterations;
  for (iteration_ = 1;; ++iteration_) {
    Cancellation::check();
    double moved = 0.0;
    for (int i = 0; i < n; ++i) {
      const double a0 = state.a[i], a1 = next_.a[i];
      const double q = state.q[i] + h * (state.v[i] + h * ((0.5 - options.rule.beta) * a0 + options.rule.beta * a1));
      moved = std::max(moved, std::abs(q - next_.q[i]));
      next_.q[i] = q;
      next_.v[i] = state.v[i] + h * ((1.0 - options.rule.gamma) * a0 + options.rule.gamma * a1);
    }
    if (!std::isfinite(moved)) return false;
    if (!counted && iteration_ > 1 && moved <= options.tolerance * options.length) return true;
    if (iteration_ > most) return counted;
    accelerations_.solve(now, next_.a.data(), next_.multipliers.data());
  }
}

}  // namespace counterpoint::multibody
