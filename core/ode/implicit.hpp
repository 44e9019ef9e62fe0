#pragma once

#include <cmath>

#include "ode/solver.hpp"

namespace counterpoint {

/// A step size up to rounding. The ends of equal steps are rounded, so their differences differ in the
/// last digits; matrices made for one step serve all of them. It is part of a solver's memory.
class NominalStep {
 public:
  /// Whether h differs from the value so far by more than rounding; it then becomes the value.
  bool changed(double h) {
    if (std::abs(h - value_) <= 1e-8 * value_) return false;
    value_ = h;
    return true;
  }
  double value() const { return value_; }
  void set(double value) { value_ = value; }

 private:
  double value_ = 0.0;
};

/// Solves z = base + w f(t, z, u) for z: the equation at the heart of implicit methods.
///
/// For linear systems the inverse of I - w A is formed once per w (up to rounding) and a solution is
/// one product; otherwise Newton's method with a Jacobian from differences, made anew at every solution.
class ImplicitEquation {
 public:
  explicit ImplicitEquation(RightHandSidePointer f);

  /// `z` holds the first guess and then the solution. Throws SolverFailure.
  void solve(double t, const Vector& base, double w, const double* u, Vector& z);

  const RightHandSide& f() const { return *f_; }

  /// What must be saved: the w of the inverse.
  double memory() const { return weight_.value(); }
  void set_memory(double w);

 private:
  void form_inverse();
  void solve_linear(const Vector& base, double w, const double* u, Vector& z);
  void solve_newton(double t, const Vector& base, double w, const double* u, Vector& z);

  RightHandSidePointer f_;
  const LinearRightHandSide* linear_;
  NominalStep weight_;  ///< w for which `inverse_` holds
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
