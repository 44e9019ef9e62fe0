#include "ode/implicit.hpp"

#include <cmath>
#include <sstream>

#include "coupling/subsystem.hpp"
#include "ode/product.hpp"

namespace counterpoint {

ImplicitEquation::ImplicitEquation(RightHandSidePointer f)
    : f_(std::move(f)), linear_(dynamic_cast<const LinearRightHandSide*>(f_.get())), slope_(f_->states()) {}

void ImplicitEquation::solve(double t, const Vector& base, double w, const double* u, Vector& z) {
  if (linear_ != nullptr) {
    solve_linear(base, w, u, z);
  } else {
    solve_newton(t, base, w, u, z);
  }
}

void ImplicitEquation::solve_linear(const Vector& base, double w, const double* u, Vector& z) {
  if (weight_.changed(w)) form_inverse();
  right_.setZero(f_->states());
  if (f_->inputs() > 0) multiply(linear_->b(), u, right_.data());
  right_ = base + weight_.value() * right_;
  multiply(inverse_, right_.data(), z.data());
}

void ImplicitEquation::form_inverse() {
  const int n = f_->states();
  inverse_ = (Matrix::Identity(n, n) - weight_.value() * linear_->a()).inverse();
}

void ImplicitEquation::set_memory(double w) {
  weight_.set(w);
  if (linear_ != nullptr && w != 0.0) form_inverse();
}

void ImplicitEquation::solve_newton(double t, const Vector& base, double w, const double* u, Vector& z) {
  const int n = f_->states();
  f_->evaluate(t, z.data(), u, slope_.data());
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(slope_[i])) right_hand_side_not_finite(t, i);
  }
  const Matrix jacobian = Matrix::Identity(n, n) - w * difference_jacobian(*f_, t, z, u, slope_);
  const Eigen::PartialPivLU<Matrix> factors(jacobian);
  for (int iteration = 0; iteration < newton_iterations; ++iteration) {
    right_ = base + w * slope_ - z;
    const Vector correction = factors.solve(right_);
    z += correction;
    if (!correction.allFinite()) break;
    if (newton_converged(correction, z)) return;
    f_->evaluate(t, z.data(), u, slope_.data());
  }
  newton_failed(t, right_.norm());
}

Matrix difference_jacobian(const RightHandSide& f, double t, const Vector& x, const double* u, const Vector& slope) {
  const int n = f.states();
  Matrix jacobian(n, n);
  Vector shifted = x;
  Vector other(n);
  for (int j = 0; j < n; ++j) {
    const double shift = 1.5e-8 * std::max(1.0, std::abs(x[j]));
    shifted[j] = x[j] + shift;
    f.evaluate(t, shifted.data(), u, other.data());
    jacobian.col(j) = (other - slope) / (shifted[j] - x[j]);
    shifted[j] = x[j];
  }
  return jacobian;
}

bool newton_converged(const Vector& correction, const Vector& state) {
  return correction.lpNorm<Eigen::Infinity>() <= 1e-12 + 1e-11 * state.lpNorm<Eigen::Infinity>();
}

void newton_failed(double t, double residual) {
  std::ostringstream text;
  text.precision(9);
  text << "Newton's method did not converge at t = " << t << " s (residual " << residual
       << "); try a smaller step";
  throw SolverFailure(text.str());
}

}  // namespace counterpoint
