#pragma once

#include "ode/solver.hpp"

namespace counterpoint {

/// Solves z = base + w f(t, z, u) for z: the equation at the heart of implicit methods.
///
/// For linear systems the inverse of I - w A is formed once per w and a solution is one product;
/// otherwise Newton's method with a Jacobian from differences, made anew at every solution so that
/// nothing but the state has to be saved.
class ImplicitEquation {
 public:
  explicit ImplicitEquation(RightHandSidePointer f);

  /// `z` holds the first guess and then the solution. Throws SolverFailure.
  void solve(double t, const Vector& base, double w, const double* u, Vector& z);

  const RightHandSide& f() const { return *f_; }

 private:
  void solve_linear(const Vector& base, double w, const double* u, Vector& z);
  void solve_newton(double t, const Vector& base, double w, const double* u, Vector& z);

  RightHandSidePointer f_;
  const LinearRightHandSide* linear_;
  double weight_ = 0.0;  ///< w for which `inverse_` holds
  Matrix inverse_;
  Vector slope_;
  Vector right_;
};

/// df/dx by forward differences at (t, x, u); `slope` must hold f there.
Matrix difference_jacobian(const RightHandSide& f, double t, const Vector& x, const double* u, const Vector& slope);

/// Throw SolverFailure: Newton's method did not converge at t.
[[noreturn]] void newton_failed(double t, double residual);

/// Whether a Newton correction is small against the state.
bool newton_converged(const Vector& correction, const Vector& state);

constexpr int newton_iterations = 25;

}  // namespace counterpoint
