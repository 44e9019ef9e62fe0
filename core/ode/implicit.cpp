#include "ode/implicit.hpp"

#include <cmath>

#include "coupling/subsystem.hpp"
#include "linear/decompositions.hpp"
#include "numbers.hpp"
#include "ode/product.hpp"

namespace counterpoint {

ImplicitEquation::ImplicitEquation(RightHandSidePointer f)
    : f_(std::move(f)), linear_(dynamic_cast<const LinearRightHandSide*>(f_.get())) {}

void ImplicitEquation::solve(double t, const Vector& base, double w, const double* u, Vector& z) {
  if (linear_ != nullptr) {
    solve_linear(base, w, u, z);
  } else {
    SlopesWithInputs slopes(*f_, u);
    solve_newton(slopes, t, base, w, z);
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
  inverse_ = linear::inverse(Matrix::Identity(n, n) - weight_.value() * linear_->a());
}

void ImplicitEquation::set_memory(double w) {
  if (w == weight_.value()) return;
  weight_.set(w);
  if (linear_ != nullptr && w != 0.0) form_inverse();
}

void solve_newton(Slopes& f, double t, const Vector& base, double w, Vector& z) {
  const Eigen::Index n = z.size();
  Vector slope(n);
  Vector right;
  f.evaluate(t, 0, z.data(), slope.data());
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::isfinite(slope[i])) right_hand_side_not_finite(t, static_cast<int>(i));
  }
  const Matrix jacobian = Matrix::Identity(n, n) - w * difference_jacobian(f, t, z.data(), slope, 1.0);
  linear::RowLu factors;
  factors.compute(jacobian);
  for (int iteration = 0; iteration < newton_iterations; ++iteration) {
    right = base + w * slope - z;
    const Vector correction = factors.solve(right);
    z += correction;
    if (!correction.allFinite()) break;
    if (newton_converged(correction, z)) return;
    f.evaluate(t, 0, z.data(), slope.data());
  }
  newton_failed(t, right.norm());
}

bool newton_converged(const Vector& correction, const Vector& state) {
  return correction.lpNorm<Eigen::Infinity>() <= 1e-12 + 1e-11 * state.lpNorm<Eigen::Infinity>();
}

void newton_failed(double t, double residual) {
  Text text(9);
  text << "Newton's method did not converge at t = " << t << " s (residual " << residual << "); try a smaller step";
  throw SolverFailure(text.str());
}

}  // namespace counterpoint
