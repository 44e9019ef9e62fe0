#pragma once

#include "ode/method.hpp"
#include "ode/nominal_step.hpp"

namespace counterpoint {

/// f with the inputs of one instant, as a method asks for it.
class SlopesWithInputs final : public Slopes {
 public:
  SlopesWithInputs(const RightHandSide& f, const double* u) : f_(f), u_(u) {}
  void evaluate(double t, int, const double* x, double* dx) override { f_.evaluate(t, x, u_, dx); }

 private:
  const RightHandSide& f_;
  const double* u_;
};

/// Solves z = base + w f(t, z) by Newton's method with a Jacobian from differences at the first guess, which `z`
/// holds; z then is the solution. Throws SolverFailure.
void solve_newton(Slopes& f, double t, const Vector& base, double w, Vector& z);

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

  RightHandSidePointer f_;
  const LinearRightHandSide* linear_;
  NominalStep weight_;  ///< w for which `inverse_` holds
  Matrix inverse_;
  Vector right_;
};

/// Throw SolverFailure: Newton's method did not converge at t.
[[noreturn]] void newton_failed(double t, double residual);

/// Whether a Newton correction is small against the state.
bool newton_converged(const Vector& correction, const Vector& state);

constexpr int newton_iterations = 25;

}  // namespace counterpoint
