// Trapezoidal rule: x+ = x + h/2 (f(t, x, u) + f(t+h, x+, u+)). Order 2, A-stable, no damping of
// oscillations. The slope at the start is evaluated again with the inputs known now; in a coupled run
// this matters more than the scheme.

#include "linear/decompositions.hpp"
#include "ode/implicit.hpp"
#include "ode/linear_step.hpp"

namespace counterpoint {
namespace {

class Trapezoidal final : public Method {
 public:
  explicit Trapezoidal(int states) : base_(states), next_(states) {}

  double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) override {
    const double h = t_end - t;
    const Eigen::Index n = base_.size();
    if (n == 0) return 0.0;
    const Eigen::Map<const Vector> slope(first, n);
    base_ = Eigen::Map<const Vector>(x, n) + 0.5 * h * slope;
    next_ = base_ + 0.5 * h * slope;
    solve_newton(f, t_end, base_, 0.5 * h, next_);
    Eigen::Map<Vector>(x_end, n) = next_;
    return 0.0;
  }

 private:
  Vector base_, next_;
};

/// P = (I - h/2 A)^-1 (I + h/2 A),  Q_0 = Q_1 = (I - h/2 A)^-1 h/2 B.
void gather(const LinearRightHandSide& f, double h, std::vector<double>& columns) {
  const int n = f.states();
  const Matrix inverse = linear::inverse(Matrix::Identity(n, n) - 0.5 * h * f.a());
  const Matrix q = inverse * (0.5 * h * f.b());
  const Matrix p = inverse * (Matrix::Identity(n, n) + 0.5 * h * f.a());
  columns.clear();
  for (int j = 0; j < 2; ++j) append_columns(q, columns);
  append_columns(p, columns);
}

}  // namespace

SolverPointer make_trapezoidal(RightHandSidePointer f) {
  if (auto linear = std::dynamic_pointer_cast<const LinearRightHandSide>(f)) {
    return make_linear_step(std::move(linear), {0.0, 1.0}, gather);
  }
  return make_method_solver(OdeSolver::trapezoidal, std::move(f), {});
}

MethodPointer make_trapezoidal_method(int states) { return std::make_unique<Trapezoidal>(states); }

}  // namespace counterpoint
