#pragma once

#include <array>
#include <memory>
#include <vector>

#include "ode/solver.hpp"

namespace counterpoint {

/// dx/dt as an integration method asks for it.
class Slopes {
 public:
  virtual ~Slopes() = default;
  virtual void evaluate(double t, int stage, const double* x, double* dx) = 0;
};

/// What a method keeps from step to step; zeros for those that keep nothing.
using MethodMemory = std::array<double, 4>;

/// One attempt of a step, which the caller may accept, shorten or give up.
///
/// Contract for implementers:
///  1. `begin` opens a step. All attempts until the next `begin` start from the same t, x and first slope, with the
///     same f; what follows from these alone (a Jacobian) may be kept from one attempt to the next. Whatever else is
///     kept is in its memory, so that a copy of it restores the method.
///  2. `attempt` goes from (t, x) with slope f(t, x) in `first` to t_end and writes x_end. It returns the estimated
///     error divided by the tolerance (accept when <= 1), 0 for methods that do not estimate it. x_end is not x.
///  3. `interpolate(t, x)` gives the solution at t inside the last attempt, where `interpolates()`.
///  4. `stiffness` is h |lambda| of the fastest part of the solution, as the last attempt shows it; 0: not known.
class Method {
 public:
  virtual ~Method() = default;
  virtual void begin() {}
  virtual double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) = 0;
  virtual bool interpolates() const { return false; }
  virtual void interpolate(double /*t*/, double* /*x*/) const {}
  /// Order of the error estimate plus one; 0 for methods of fixed step.
  virtual int control_order() const { return 0; }
  virtual double stiffness() const { return 0.0; }
  virtual MethodMemory memory() const { return {}; }
  virtual void set_memory(const MethodMemory&) {}
};

using MethodPointer = std::unique_ptr<Method>;

/// All but bdf2 and newmark, which are not made of attempts: UserError.
MethodPointer make_method(OdeSolver solver, int states, const SolverOptions& options);

/// ode1 to ode5, ode23 and ode45.
MethodPointer make_runge_kutta(OdeSolver solver, int states, const SolverOptions& options);
MethodPointer make_trapezoidal_method(int states);
MethodPointer make_rosenbrock(int states, const SolverOptions& options);
MethodPointer make_switching(int states, const SolverOptions& options);

/// Root mean square of the error h * rate in units of the tolerance, n components.
double scaled_error(const SolverOptions& options, int n, double h, const double* x, const double* x_end,
                    const double* rate);

/// The cubic through both ends and their slopes, at t = t_begin + s h. Its error is of order h^4.
void hermite(int n, double s, double h, const double* x, const double* slope, const double* x_end,
             const double* slope_end, double* out);

/// df/dx at (t, x) by forward differences; `slope` holds f there. Shifts are taken as if components were no smaller
/// than `typical`.
Matrix difference_jacobian(Slopes& f, double t, const double* x, const Vector& slope, double typical);

}  // namespace counterpoint
