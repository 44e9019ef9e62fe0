#include "multibody/initial.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/subsystem.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

namespace {

constexpr int max_iterations = 100;
constexpr int max_start_halvings = 20;
// Softer than in a step: assembly may start far away, where equations contradict each other.
constexpr double assembly_compliance = 1e-9;
constexpr double assembly_tolerance = 1e-12;
constexpr double loose_tolerance = 1e-9;  ///< what rounding in a large or badly scaled mechanism may leave

}  // namespace

InitialProblem::InitialProblem(ModelPointer model, double length)
    : model_(std::move(model)),
      length_(length),
      system_(make_kkt_system(*model_, linear::SolverType::automatic)),
      mass_on_tangent_(*model_),
      mass_(model_->mass_pattern().entries()),
      W_(model_->tangent_pattern().entries()),
      J_(model_->jacobian_pattern().entries()),
      phi_(model_->equations()),
      right_(model_->coordinates() + model_->equations()) {}

void InitialProblem::linearise(const Instant& now) {
  model_->constraints(now, phi_.data(), J_.data());
  model_->mass(now, mass_.data());
  mass_on_tangent_.write(mass_.data(), W_.data());
  system_->set_compliance(compliance_from_mass(*model_, mass_.data(), J_.data(), assembly_compliance));
  is_factorised_ = false;
}

void InitialProblem::solve() {
  double* const bottom = right_.data() + model_->coordinates();
  if (is_factorised_) return system_->solve(right_.data(), bottom, bottom);
  try {
    system_->solve_anew(W_.data(), false, J_.data(), right_.data(), bottom, bottom);
    is_factorised_ = true;
  } catch (const linear::SingularMatrix& singular) {
    const int n = model_->coordinates();
    const bool coordinate = singular.equation >= 0 && singular.equation < n;
    throw SolverFailure(
        coordinate
            ? text("%s has no mass; every coordinate that moves needs one: give a body that uses it mass and inertia",
                   model_->coordinate_name(singular.equation).c_str())
            : text("the constraints cannot be solved for at constraint \"%s\"",
                   model_->equation_name(std::max(singular.equation - n, 0)).c_str()));
  }
}

double InitialProblem::largest_violation() const {
  double largest = 0.0;
  for (double x : phi_) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : INFINITY;
  return largest;
}

void InitialProblem::positions(Instant now, std::vector<double>& q) {
  const int n = model_->coordinates(), m = model_->equations();
  if (m == 0) return;
  now.q = q.data();
  model_->constraints(now, phi_.data(), J_.data());
  double violation = largest_violation();
  std::vector<double> before;
  for (int iteration = 0; iteration < max_iterations && violation > assembly_tolerance * length_; ++iteration) {
    linearise(now);
    std::fill_n(right_.begin(), n, 0.0);
    for (int r = 0; r < m; ++r) right_[n + r] = -phi_[r];
    solve();
    before = q;
    double last = violation, part = 1.0;
    for (int halving = 0; halving < max_start_halvings; ++halving, part *= 0.5) {
      for (int i = 0; i < n; ++i) q[i] = before[i] + part * right_[i];
      model_->constraints(now, phi_.data(), J_.data());
      violation = largest_violation();
      if (violation < last) break;
    }
    if (!(violation < last)) {  // no way down from here
      q = before;
      model_->constraints(now, phi_.data(), J_.data());
      violation = largest_violation();
      break;
    }
  }
  if (violation <= loose_tolerance * length_) return;
  const int worst = static_cast<int>(
      std::max_element(phi_.begin(), phi_.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
      phi_.begin());
  throw SolverFailure(
      text("the mechanism cannot be assembled: constraint \"%s\" stays violated by %.3g m (or rad); check lengths and "
           "joints, or give positions that are closer to the assembled ones",
           model_->equation_name(worst).c_str(), phi_[worst]));
}

void InitialProblem::velocities(Instant now, std::vector<double>& v) {
  const int n = model_->coordinates(), m = model_->equations();
  if (m == 0) return;
  now.v = v.data();
  std::vector<double> phi_t(m, 0.0);
  if (model_->rheonomic()) model_->velocity_terms(now, phi_t.data());
  // The compliance leaves a part of each equation, small where masses are alike: repeated until nothing changes.
  double last = INFINITY;
  linearise(now);
  for (int pass = 0; pass < max_iterations; ++pass) {
    std::fill_n(right_.begin(), n, 0.0);
    multiply(model_->jacobian_pattern(), J_.data(), v.data(), right_.data() + n);
    double left = 0.0;
    for (int r = 0; r < m; ++r) {
      right_[n + r] = -(right_[n + r] + phi_t[r]);
      left = std::max(left, std::abs(right_[n + r]));
    }
    if (!(left < 0.9 * last)) break;
    last = left;
    solve();
    for (int i = 0; i < n; ++i) v[i] += right_[i];
  }
  std::vector<double> rate(m);
  multiply(model_->jacobian_pattern(), J_.data(), v.data(), rate.data());
  for (int r = 0; r < m; ++r) {
    if (std::abs(rate[r] + phi_t[r]) <= 1e-6 * (length_ + std::abs(phi_t[r]))) continue;
    throw SolverFailure(
        text("no consistent velocities: constraint \"%s\" would change by %.3g per second; guided values and "
             "initial rates contradict each other or the mechanism cannot move that way",
             model_->equation_name(r).c_str(), rate[r] + phi_t[r]));
  }
}

void InitialProblem::accelerations(Instant now, std::vector<double>& a, std::vector<double>& multipliers) {
  const int n = model_->coordinates(), m = model_->equations();
  linearise(now);
  std::vector<double> Q(model_->all_coordinates()), rest(m);
  model_->forces(now, Q.data());
  model_->acceleration_terms(now, rest.data());
  std::fill_n(a.begin(), n, 0.0);
  std::fill_n(multipliers.begin(), m, 0.0);
  std::vector<double> inertia(n), carried(model_->all_coordinates()), change(m);
  // Twice: the second time removes what the compliance left.
  for (int pass = 0; pass < 2; ++pass) {
    multiply(model_->mass_pattern(), mass_.data(), a.data(), inertia.data());
    std::fill(carried.begin(), carried.end(), 0.0);
    add_transposed(model_->jacobian_pattern(), J_.data(), multipliers.data(), carried.data());
    multiply(model_->jacobian_pattern(), J_.data(), a.data(), change.data());
    for (int i = 0; i < n; ++i) right_[i] = Q[i] - inertia[i] - carried[i];
    for (int r = 0; r < m; ++r) right_[n + r] = -(rest[r] + change[r]);
    solve();
    for (int i = 0; i < n; ++i) a[i] += right_[i];
    for (int r = 0; r < m; ++r) multipliers[r] += right_[n + r];
  }
}

}  // namespace counterpoint::multibody
