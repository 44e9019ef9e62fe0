// Backward differentiation formula of order 2 on any grid: with r = h / h_before
//     x+ = ((1 + r)^2 x - r^2 x_before + h (1 + r) f(t+h, x+, u+)) / (1 + 2 r).
// A- and L-stable for constant steps. The first step is made with the trapezoidal rule.

#include "ode/implicit.hpp"

namespace counterpoint {
namespace {

class Bdf2 final : public Solver {
 public:
  explicit Bdf2(RightHandSidePointer f) : equation_(f), starter_(make_trapezoidal(f)), before_(f->states()) {}

  void start(double t, const std::vector<double>& x) override {
    starter_->start(t, x);
    equation_.set_memory(0.0);
    step_before_ = 0.0;
  }

  void step(double t, double t_end, double* x, Inputs& u) override {
    const double h = t_end - t;
    Eigen::Map<Vector> state(x, before_.size());
    const Vector current = state;
    if (step_before_ == 0.0) {
      starter_->step(t, t_end, x, u);
    } else {
      const double r = h / step_before_;
      const Vector base = ((1.0 + r) * (1.0 + r) * current - r * r * before_) / (1.0 + 2.0 * r);
      Vector next = current + r * (current - before_);
      equation_.solve(t_end, base, h * (1.0 + r) / (1.0 + 2.0 * r), u.at(t_end), next);
      state = next;
    }
    before_ = current;
    step_before_ = h;
  }

  void keep_memory(std::vector<double>& into) const override {
    into.assign(before_.begin(), before_.end());
    into.push_back(step_before_);
    into.push_back(equation_.memory());
  }

  void set_memory(const std::vector<double>& memory) override {
    before_ = Eigen::Map<const Vector>(memory.data(), before_.size());
    step_before_ = memory[before_.size()];
    equation_.set_memory(memory.back());
  }

  std::vector<double> earlier_states() const override { return {before_.begin(), before_.end()}; }
  void set_earlier_states(const std::vector<double>& states, double step) override {
    before_ = Eigen::Map<const Vector>(states.data(), before_.size());
    step_before_ = step;
  }

 private:
  ImplicitEquation equation_;
  SolverPointer starter_;
  Vector before_;
  double step_before_ = 0.0;
};

}  // namespace

SolverPointer make_bdf2(RightHandSidePointer f) { return std::make_unique<Bdf2>(std::move(f)); }

}  // namespace counterpoint
