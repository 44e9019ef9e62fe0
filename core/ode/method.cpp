#include "ode/method.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "check.hpp"

namespace counterpoint {

MethodPointer make_method(OdeSolver solver, int states, const SolverOptions& options) {
  switch (solver) {
    case OdeSolver::trapezoidal:
      return make_trapezoidal_method(states);
    case OdeSolver::ode23s:
      return make_rosenbrock(states, options);
    case OdeSolver::automatic:
      return make_switching(states, options);
    case OdeSolver::bdf2:
    case OdeSolver::newmark:
      throw UserError(std::string("no solver \"") + name_of(solver) +
                      "\" for models with events; expected ode1, ode2, ode3, ode4, ode5, ode23, ode45, ode23s or "
                      "trapezoidal");
    default:
      return make_runge_kutta(solver, states, options);
  }
}

double scaled_error(const SolverOptions& options, int n, double h, const double* x, const double* x_end,
                    const double* rate) {
  double squares = 0.0;
  for (int i = 0; i < n; ++i) {
    const double size = std::max(std::abs(x[i]), std::abs(x_end[i]));
    const double e = rate[i] * (h / (options.absolute_tolerance + options.relative_tolerance * size));
    squares += e * e;
  }
  return n == 0 ? 0.0 : std::sqrt(squares / n);
}

void hermite(int n, double s, double h, const double* x, const double* slope, const double* x_end,
             const double* slope_end, double* out) {
  const double r = 1.0 - s;
  for (int i = 0; i < n; ++i) {
    out[i] = r * r * ((1.0 + 2.0 * s) * x[i] + s * h * slope[i]) +
             s * s * ((3.0 - 2.0 * s) * x_end[i] - r * h * slope_end[i]);
  }
}

Matrix difference_jacobian(Slopes& f, double t, const double* x, const Vector& slope, double typical) {
  const Eigen::Index n = slope.size();
  Matrix jacobian(n, n);
  Vector shifted = Eigen::Map<const Vector>(x, n);
  Vector other(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    // About the square root of the rounding unit: cancellation and curvature then weigh the same.
    shifted[j] = x[j] + 1.5e-8 * std::max(typical, std::abs(x[j]));
    f.evaluate(t, 0, shifted.data(), other.data());
    jacobian.col(j) = (other - slope) / (shifted[j] - x[j]);
    shifted[j] = x[j];
  }
  return jacobian;
}

}  // namespace counterpoint
