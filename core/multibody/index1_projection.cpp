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
  move(v);
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

void Index1Accelerations::check_violation() const {
  const double limit = another_mechanism * options.length;
  if (std::ranges::all_of(phi, [&](double x) { return std::abs(x) <= limit; })) return;
  give_up(1, text("constraints are violated by more than %.3g m, %g of the size of the mechanism", limit,
                  another_mechanism));
}

}  // namespace counterpoint::multibody
