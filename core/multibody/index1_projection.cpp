// What keeps the index-1 formulations on their constraints. Baumgarte's terms alone leave a violation of the order of
// the integrator's error. Where the Jacobian is nearly singular, sigma its smallest singular value, accelerations
// answer to a violation Phi with omega^2 Phi / sigma: with the trapezoidal rule and a step of 1 ms that was enough to
// throw the four-bar chain off at its first horizontal position. Positions and velocities on the constraints (Bayo and
// Ledesma, Augmented Lagrangian and mass-orthogonal projection methods for constrained multibody dynamics, Nonlinear
// Dynamics 9, 1996) leave nothing to answer to.
#include <algorithm>
#include <cmath>

#include "coupling/subsystem.hpp"
#include "multibody/index1.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

namespace {

constexpr int position_iterations = 2;      ///< with one factorisation; the first leaves the square of the violation
constexpr double another_mechanism = 0.05;  ///< |Phi| relative to the size
constexpr double largest_work = 5e-3;       ///< of constraints, relative to twice the energy
// By projections, the square of its mass norm relative to the same. With implicit rules a halved step next to a
// singular position has errors of its own, of the constraints that are made softer: less than 1e-4 led chains with
// equal rods, which pass unharmed, to other branches (measured).
constexpr double largest_change = 1e-3;
constexpr double largest_change_explicit = 1e-6;
constexpr double largest_loss = 3e-2;  ///< of energy, where halves do not help any more

}  // namespace

void Index1Accelerations::project(const Instant& now, double* q, double* v) {
  const int n = model_->coordinates(), m = model_->equations();
  double* const bottom = right_.data() + n;
  const auto move = [&](double* x) {
    for (int i = 0; i < n; ++i) x[i] += right_[i];
  };
  mass_on_tangent_.write(mass.data(), W.data());
  for (int iteration = 0; iteration < position_iterations; ++iteration) {
    // The Jacobian of the first iteration stays: what it was factorised from must not change.
    model_->constraints(now, phi.data(), iteration == 0 ? J.data() : spare_J_.data());
    std::fill_n(right_.begin(), n, 0.0);
    for (int r = 0; r < m; ++r) bottom[r] = -phi[r];
    if (iteration == 0) {
      solve_anew(right_.data());
    } else {
      system_->solve(right_.data(), bottom, bottom);
    }
    move(q);
  }
  multiply(model_->jacobian_pattern(), J.data(), now.v, bottom);
  if (model_->rheonomic()) model_->velocity_terms(now, phi_t_.data());
  for (int r = 0; r < m; ++r) bottom[r] = -bottom[r] - phi_t_[r];
  std::fill_n(right_.begin(), n, 0.0);
  system_->solve(right_.data(), bottom, bottom);
  velocity_change_ = squared(right_.data());
  move(v);
}

double Index1Accelerations::squared(const double* vector) {
  const int n = model_->coordinates();
  std::copy_n(vector, n, spare_.begin());
  multiply(model_->mass_pattern(), mass.data(), spare_.data(), top_.data());
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += spare_[i] * top_[i];
  return sum;
}

double Index1Accelerations::twice_the_energy(const double* v, double h) {
  double energy = squared(v);
  for (int i = 0; i < model_->coordinates(); ++i) {
    const double own = mass[diagonal_[i]], impulse = h * Q[i];
    energy += own > 0.0 ? impulse * impulse / own : 0.0;
  }
  return energy;
}

// As in Index3Stepper::jumps. In regular positions Baumgarte's terms leave less than a hundredth of this to change.
bool Index1Accelerations::jumps(const double* v_before, const double* a_before, const double* a, double h,
                                bool can_be_halved) {
  for (int i = 0; i < model_->coordinates(); ++i) right_[i] = h * (a[i] - a_before[i]);
  const double changed = velocity_change_ + squared(right_.data()), energy = twice_the_energy(v_before, h);
  const bool is_explicit = options.integrator == Integrator::rk2 || options.integrator == Integrator::rk4;
  if (changed <= (is_explicit ? largest_change_explicit : largest_change) * energy) return false;
  if (can_be_halved) return true;
  if (velocity_change_ > largest_loss * energy && !model_->rheonomic()) {
    give_up(1, text("close to a singular position the step takes %.0f %% of the energy away",
                    100.0 * velocity_change_ / energy));
  }
  return false;
}

// The trapezoidal rule asks for the constraint at the end of the step with the velocity there, which changes the
// smallest singular value by sigma' h. Where a step ends next to a singular position this makes equations that cannot
// be solved by iteration unless alpha (sigma' h)^2 < 4 m: softer constraints can, and the projections make up for it.
void Index1Accelerations::soften(double factor) {
  if (factor == softening_) return;
  softening_ = factor;
  std::vector<double> softened = compliance;
  for (double& c : softened) c *= factor;
  system_->set_compliance(softened);
}

// Next to a singular position the equations of softened steps, above, may also have several roots, and the iteration
// may find one with accelerations a hundred times too large: a parallelogram went on with other speeds, and a
// slider-crank with two equal rods on its other branch, hundreds of per cent of their energy away. Such a root shows in
// the work lambda Phi' h of constraint forces, which is nothing in truth: 2e-6 of the energy at most in steps that are
// right, 0.6 and more in wrong ones (measured on slider-cranks, parallelograms and chains).
bool Index1Accelerations::does_work(const Instant& now, const State& before, const double* multipliers, double h) {
  const int m = model_->equations();
  multiply(model_->jacobian_pattern(), J.data(), now.v, rate_.data());
  if (model_->rheonomic()) model_->velocity_terms(now, phi_t_.data());
  double work = 0.0;
  for (int r = 0; r < m; ++r) work += std::abs(h * multipliers[r] * (rate_[r] + phi_t_[r]));
  return work > largest_work * twice_the_energy(before.v.data(), h);
}

void Index1Accelerations::check_violation() const {
  const double limit = another_mechanism * options.length;
  if (std::ranges::all_of(phi, [&](double x) { return std::abs(x) <= limit; })) return;
  give_up(1, text("constraints are violated by more than %.3g m, %g of the size of the mechanism", limit,
                  another_mechanism));
}

}  // namespace counterpoint::multibody
