// Trapezoidal rule: x+ = x + h/2 (f(t, x, u) + f(t+h, x+, u+)). Order 2, A-stable, no damping of
// oscillations. The slope at the start is evaluated anew with the inputs known now; in a coupled run
// this matters more than the scheme.

#include "ode/implicit.hpp"

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

}  // namespace

SolverPointer make_trapezoidal(RightHandSidePointer f) { return std::make_unique<Trapezoidal>(std::move(f)); }

}  // namespace counterpoint
