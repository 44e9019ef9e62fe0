// What the index-3 step does seldom: when it is made, at its start, when inputs jump or W changes, near singular
// positions, with penalties that are too soft, and when it fails. Apart from the step itself, whose code must stay
// together.
#include <algorithm>
#include <cmath>

#include "coupling/subsystem.hpp"
#include "multibody/halves.hpp"
#include "multibody/index3.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

namespace {

constexpr double slow_contraction = 0.5;
constexpr int slow_iterations = 20;
constexpr double slow_factor = 1000.0;
constexpr double stiffening_factor = 10.0;
constexpr double max_stiffening = 100.0;
constexpr double root_of_rounding =
    1.5e-8;  ///< square root of the rounding: how far a double root can be known, relative to the size
constexpr int doubtful_iterations = 2;  ///< after the first one, from which a step may have lost its way
constexpr int most_halvings = 4;
// What projections may change, the square of its mass norm relative to twice the energy of the motion. Measured on
// parallelograms and antiparallelograms, steps of 1 to 32 ms: less finds steps with nothing but the rule's error, more
// leaves jumps of energy. Where steps are long for the motion, as those of a pendulum that turns by 0.1 rad in each,
// the rule's error alone is as large, and they are halved far from any singular position.
constexpr double largest_change = 1e-5;
constexpr double largest_change_with_jerk = 1e-6;
constexpr double largest_loss = 0.1;  ///< of energy, where halves do not help any more

}  // namespace

template <bool shared, class Clock>
Index3Stepper<shared, Clock>::Index3Stepper(ModelPointer model, const StepperOptions& options)
    : model_(std::move(model)),
      options_(options),
      n_(model_->coordinates()),
      m_(model_->equations()),
      mass_on_tangent_(*model_),
      mass_(model_->mass_pattern().entries()),
      W_(model_->tangent_pattern().entries()),
      J_(model_->jacobian_pattern().entries()),
      kept_J_(model_->jacobian_pattern().entries()),
      phi_(m_),
      rest_(m_),
      mu_(m_),
      Q_(model_->all_coordinates()),
      inverse_diagonal_(n_) {
  hermite_ = options_.integrator == Integrator::hermite;
  plain_ = hermite_ || (options_.rule.alpha_m == 0.0 && options_.rule.alpha_f == 0.0);
  tolerance_ = options_.tolerance * options_.length;
  curvature_ = model_->curvature();
  bounded_ = std::isfinite(curvature_) && !options_.printed;
  constant_W_ = !model_->has_tangent() && model_->constant_mass();
  constant_forces_ = model_->constant_forces();
  for (int i = 0; i < n_; ++i) diagonal_.push_back(model_->tangent_pattern().find(i, i));
  if constexpr (shared) team_ = std::make_shared<linear::Team>(linear::threads_or_all(options_.threads));
  const bool kkt = options_.system == SystemForm::kkt;
  system_ = kkt ? make_kkt_system(*model_, options_.solver, clock_.watch())
                : make_condensed_system(*model_, options_.solver, team_, clock_.watch());
  room_ = system_->room();
  residual_.resize(std::max(model_->all_coordinates(), room_));
  change_.resize(residual_.size());
  three_.resize(3 * (static_cast<std::size_t>(room_) + m_));
  if constexpr (shared) find_shares();
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::find_shares() {
  const linear::Solver& solver = system_->solver();
  domains_ = solver.domains();
  if (domains_ == 1 || model_->assembled() == nullptr) return;
  std::vector<int> domain_of(n_);
  for (int i = 0; i < n_; ++i) domain_of[i] = solver.domain_of(i);
  shares_ = std::make_unique<Shares>(*model_->assembled(), domain_of, domains_);
}

// Inputs at the start of a step may be known better now than when the last step ended.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::renew_start(State& state, InputSource& inputs) {
  Instant now = state.instant();
  inputs.fill(state.t, now);
  if (!inputs_differ(state, now)) return;
  model_->constraints(now, phi_.data(), J_.data());
  if (!constant_W_ && !model_->constant_mass()) model_->mass(now, mass_.data());
  const std::vector<double> before = state.a;
  start_accelerations(state, now);
  if (plain_) return;
  for (std::size_t i = 0; i < before.size(); ++i) state.auxiliary[i] += state.a[i] - before[i];
}

// [M J^T; J -D] [a; lambda] = [Q; -rest].
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::start_accelerations(State& state, const Instant& now) {
  mass_on_tangent_.write(mass_.data(), W_.data());
  invert_diagonal();
  same_W_ = false;
  model_->forces(now, Q_.data());
  model_->acceleration_terms(now, rest_.data());
  for (double& r : rest_) r = -r;
  std::copy_n(Q_.begin(), n_, change_.begin());
  system_->solve_anew(W_.data(), same_W_, J_.data(), change_.data(), rest_.data(), mu_.data());
  std::fill(state.a.begin(), state.a.end(), 0.0);
  std::copy_n(change_.begin(), n_, state.a.begin());
  std::copy_n(mu_.begin(), m_, state.multipliers.begin());
  keep_inputs(state, now, model_->inputs());
}

// What the compliance has left of J a + rest, once more: no iteration comes that would find it.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::refine_accelerations(State& state) {
  for (int r = 0; r < m_; ++r) rest_[r] = -applied_compliance_[r] * state.multipliers[r];
  std::fill(change_.begin(), change_.end(), 0.0);
  system_->solve(change_.data(), rest_.data(), mu_.data());
  for (int i = 0; i < n_; ++i) state.a[i] += change_[i];
  for (int r = 0; r < m_; ++r) state.multipliers[r] += mu_[r];
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::apply_compliance(double stiffening) {
  std::vector<double> stiffened = compliance_;
  for (double& c : stiffened) c /= stiffening;
  system_->set_compliance(stiffened);
  applied_compliance_ = stiffened;
  applied_stiffening_ = stiffening;
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::lean(const State& state) {
  const NewmarkRule& r = options_.rule;
  for (int i = 0; i < n_; ++i) {
    const double leaning =
        (1.0 - r.alpha_m) * next_.auxiliary[i] + r.alpha_m * state.auxiliary[i] - r.alpha_f * state.a[i];
    next_.a[i] = leaning / (1.0 - r.alpha_f);
  }
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::invert_diagonal() {
  lightest_ = 0.0;
  for (int i = 0; i < n_; ++i) {
    inverse_diagonal_[i] = 1.0 / W_[diagonal_[i]];
    lightest_ = std::max(lightest_, inverse_diagonal_[i]);
  }
}

// Nothing but the printed form looks at the terms where the last of a fixed number of corrections leads: what the
// linear part leaves of Phi is known without them.
template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::was_last(int iteration) {
  if (options_.printed || iteration < options_.fixed_iterations) return false;
  if (!std::isfinite(correction_) || !std::isfinite(violation_)) fail(iteration, not_finite);
  stiffen_if_slow(largest_absolute(phi_.data(), m_));
  return true;
}

// Evaluation comes next, and writes over what was solved for and the Jacobian that was factorised.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::keep_correction() {
  change_.swap(residual_);
  kept_J_.swap(J_);
}

// In a singular position two branches of the motion cross, and the step asks for a point next to the crossing: the
// multipliers of dependent constraints grow without limit, ever more slowly, while the constraints are met and hardly
// anything moves any more. Constraints are second order in what moves there: that is as far as the step can be known.
template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::is_stuck_at_singularity(int iteration, double expected) {
  const double root = root_of_rounding * options_.length;
  // A penalty that was given may be too soft to come nearer in any number of iterations.
  const double softness = options_.penalty > 0.0 ? 100.0 : 1.0;
  const bool met = violation_ <= std::max(tolerance_, 0.1 * softness * root);
  const bool stuck =
      iteration >= slow_iterations && met && expected <= std::max(slow_factor * tolerance_, 10.0 * softness * root);
  if (stuck) ++statistics_.singular_steps;
  return stuck;
}

template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::can_be_halved() const {
  return options_.fixed_iterations == 0 && !options_.printed && halvings_ < most_halvings;
}

template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::converges(const Instant& now) {
  if (!can_be_halved()) {
    iterate_on(now);
    return true;
  }
  try {
    iterate_on(now);
    return true;
  } catch (const SolverFailure&) {
    return false;
  }
}

// Where a step ends closer to a singular position than its error is large, the nearest point on the constraints may lie
// on the other branch of the motion, whose tangents are others: the projection then takes most of the energy away, and
// the mechanism goes back, or on with other speeds. On the right branch, too, projections answer to the errors of v and
// a with these errors divided by the smallest singular value, and the next steps begin with that. Both shows in what
// the projections change. Half the step has an eighth of the error, at the same distance from the singular position.
template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::jumps(const State& before) {
  if (options_.fixed_iterations > 0 || options_.printed || iterations_ < doubtful_iterations) return false;
  if (!options_.project_velocities && !hermite_) return false;
  const double* const sides = three_.data();
  const double lost = squared([&](int i) { return sides[3 * i]; });
  double changed = lost + squared([&](int i) { return h_ * sides[3 * i + 1]; });
  if (hermite_) {
    changed += squared([&](int i) {
      const double predicted = before.jerk[i] + ratio_ * (before.jerk[i] - before.previous_jerk[i]);
      return h_ * h_ / 12.0 * (sides[3 * i + 2] + predicted);
    });
  }
  // Of the motion, and of what forces make of the masses in one step.
  double energy = squared([&](int i) { return before.v[i]; });
  for (int i = 0; i < n_; ++i) energy += h_ * Q_[i] * h_ * Q_[i] * inverse_diagonal_[i];
  if (changed <= (hermite_ ? largest_change_with_jerk : largest_change) * energy) return false;
  if (can_be_halved()) return true;
  if (lost > largest_loss * energy && !model_->rheonomic()) {
    fail(iterations_ + 1,
         text("close to a singular position the step takes %.0f %% of the energy away", 100.0 * lost / energy));
  }
  return false;
}

template <bool shared, class Clock>
template <typename Value>
double Index3Stepper<shared, Clock>::squared(Value value) {
  double* const vector = residual_.data();  // the step has no more use for it
  for (int i = 0; i < n_; ++i) vector[i] = value(i);
  multiply(model_->mass_pattern(), mass_.data(), vector, change_.data());
  double sum = 0.0;
  for (int i = 0; i < n_; ++i) sum += vector[i] * change_[i];
  return sum;
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::step_in_halves(State& state, double t_end, InputSource& inputs) {
  const std::vector<double> previous = plain_ ? state.a : state.auxiliary, jerk = state.jerk;
  const double h = t_end - state.t;
  coefficients_for_ = 0.0;  // a penalty that was given is another one in halves
  make_in_halves(state, t_end, halvings_, statistics_, [&](double until) { step(state, until, inputs); });
  coefficients_for_ = 0.0;
  // The next step goes on as after a whole one.
  state.previous = previous;
  state.previous_jerk = jerk;
  state.previous_step = without_rounding(h);
}

// (3.1): lambda_{i+1} = lambda_i + alpha Phi_{i+1}; the residual follows.
template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::update_as_printed() {
  for (int r = 0; r < m_; ++r) {
    rest_[r] = phi_[r] / applied_compliance_[r];
    next_.multipliers[r] += rest_[r] / scale_;
  }
  add_transposed(model_->jacobian_pattern(), J_.data(), rest_.data(), residual_.data());
}

// Below the root, slowness may be that of a singular position, where a larger penalty only makes the multipliers run
// away.
template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::contracts_slowly(double before) {
  const double enough = std::max(tolerance_, root_of_rounding * options_.length);
  if (before <= enough || violation_ <= enough) return false;
  const double contraction = violation_ / before;
  statistics_.worst_contraction = std::max(statistics_.worst_contraction, contraction);
  return contraction > slow_contraction;
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::stiffen_if_slow(double before) {
  if (contracts_slowly(before) && may_stiffen()) apply_compliance(next_.stiffening *= stiffening_factor);
}

// A penalty that we chose, in the form that needs one, may have been too soft for this model.
template <bool shared, class Clock>
bool Index3Stepper<shared, Clock>::may_stiffen() {
  if (options_.penalty > 0.0 || options_.system == SystemForm::kkt || next_.stiffening >= max_stiffening) return false;
  ++statistics_.penalty_raised;
  return true;
}

template <bool shared, class Clock>
void Index3Stepper<shared, Clock>::fail(int iteration, const std::string& why) const {
  const std::string halved = halvings_ > 0 ? text(", also with the step halved %d times", halvings_) : "";
  std::string message = failure_message(*model_, iteration, why + halved, phi_, Q_);
  if (options_.printed) {
    message += text(
        "; printed = true carries multipliers, which grow from step to step where an iteration leaves more than half "
        "of a violation (here up to %.2g): raise the penalty, or leave out printed",
        statistics_.worst_contraction);
  } else if (options_.penalty > 0.0) {
    message += text("; penalty = %.3g may be too soft for this step: raise it, or leave it out", options_.penalty);
  }
  throw SolverFailure(message);
}

template class Index3Stepper<false, NoClock>;
template class Index3Stepper<true, NoClock>;
template class Index3Stepper<false, PhaseClock>;
template class Index3Stepper<true, PhaseClock>;

}  // namespace counterpoint::multibody
