// Trapezoidal rule: x+ = x + h/2 (f(t, x, u) + f(t+h, x+, u+)). Order 2, A-stable, no damping of
// oscillations. The slope at the start is evaluated anew with the inputs known now; in a coupled run
// this matters more than the scheme.

#include <algorithm>

#include "ode/implicit.hpp"
#include "ode/product.hpp"

namespace counterpoint {
namespace {

class Trapezoidal final : public Solver {
 public:
  explicit Trapezoidal(RightHandSidePointer f)
      : equation_(f), slope_(f->states()), base_(f->states()), next_(f->states()) {}

  void step(double t, double t_end, double* x, Inputs& u) override {
    const double h = t_end - t;
    Eigen::Map<Vector> state(x, slope_.size());
    equation_.f().evaluate(t, x, u.at(t), slope_.data());
    base_ = state + 0.5 * h * slope_;
    next_ = base_ + 0.5 * h * slope_;
    equation_.solve(t_end, base_, 0.5 * h, u.at(t_end), next_);
    state = next_;
  }

 private:
  ImplicitEquation equation_;
  Vector slope_;
  Vector base_;
  Vector next_;
};

/// For a linear system both sides are gathered once per step size:
///     x+ = P x + Q (u + u+),  P = (I - h/2 A)^-1 (I + h/2 A),  Q = (I - h/2 A)^-1 h/2 B.
class LinearTrapezoidal final : public Solver {
 public:
  explicit LinearTrapezoidal(std::shared_ptr<const LinearRightHandSide> f)
      : f_(std::move(f)), next_(f_->states()), both_(f_->inputs()) {}

  void step(double t, double t_end, double* x, Inputs& inputs) override {
    if (step_.changed(t_end - t)) gather();
    const int m = f_->inputs();
    std::copy_n(inputs.at(t), m, both_.data());
    const double* after = inputs.at(t_end);
    for (int j = 0; j < m; ++j) both_[j] += after[j];
    multiply(p_, x, next_.data());
    multiply(q_, both_.data(), next_.data(), true);
    std::copy(next_.begin(), next_.end(), x);
  }

  std::vector<double> memory() const override { return {step_.value()}; }
  void set_memory(const std::vector<double>& memory) override {
    step_.set(memory[0]);
    if (memory[0] != 0.0) gather();
  }

 private:
  void gather() {
    const int n = f_->states();
    const double half = 0.5 * step_.value();
    const Matrix inverse = (Matrix::Identity(n, n) - half * f_->a()).inverse();
    p_ = inverse * (Matrix::Identity(n, n) + half * f_->a());
    q_ = inverse * (half * f_->b());
  }

  std::shared_ptr<const LinearRightHandSide> f_;
  NominalStep step_;
  Matrix p_;
  Matrix q_;
  std::vector<double> next_;
  std::vector<double> both_;
};

}  // namespace

SolverPointer make_trapezoidal(RightHandSidePointer f) {
  if (auto linear = std::dynamic_pointer_cast<const LinearRightHandSide>(f)) {
    return std::make_unique<LinearTrapezoidal>(std::move(linear));
  }
  return std::make_unique<Trapezoidal>(std::move(f));
}

}  // namespace counterpoint
