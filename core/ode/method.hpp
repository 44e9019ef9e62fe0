#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ode/solver.hpp"

namespace counterpoint {

/// dx/dt as an integration method asks for it.
class Slopes {
 public:
  virtual ~Slopes() = default;
  virtual void evaluate(double t, int stage, const double* x, double* dx) = 0;
};

/// One attempt of a step, which the caller may accept, shorten or give up.
///
/// Contract for implementers:
///  1. `attempt` goes from (t, x) with slope f(t, x) in `first` to t_end and writes x_end. It returns the estimated
///     error divided by the tolerance (accept when <= 1), 0 for methods that do not estimate it.
///  2. `interpolate(t, x)` gives the solution at t inside the last attempt, where `interpolates()`.
///  3. Nothing that changes results is kept from one attempt to the next.
class Method {
 public:
  virtual ~Method() = default;
  virtual double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) = 0;
  virtual bool interpolates() const { return false; }
  virtual void interpolate(double /*t*/, double* /*x*/) const {}
  /// Order of the error estimate plus one; 0 for methods of fixed step.
  virtual int control_order() const { return 0; }
};

/// ode1 ode2 ode3 ode4 ode5 (fixed step), ode23 ode45 (variable step). Throws std::invalid_argument for others.
std::unique_ptr<Method> make_method(const std::string& name, int states, const SolverOptions& options);

}  // namespace counterpoint
