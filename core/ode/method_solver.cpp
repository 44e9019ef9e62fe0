// A method as the solver of a right-hand side. The first slope is evaluated again at each step: the inputs known
// now may differ from those of the last step's end (no "first same as last").

#include <algorithm>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "ode/step_control.hpp"

namespace counterpoint {
namespace {

class MethodSolver : public Solver, protected Slopes {
 public:
  MethodSolver(MethodPointer method, RightHandSidePointer f)
      : method_(std::move(method)), f_(std::move(f)), first_(f_->states()), end_(f_->states()) {}

  void start(double, const std::vector<double>&) override { evaluations_ = 0; }
  long evaluations() const override { return evaluations_; }
  void step(double t, double t_end, double* x, Inputs& u) override {
    evaluate_first(t, x, u);
    method_->begin();
    method_->attempt(t, t_end, x, first_.data(), end_.data(), *this);
    std::copy(end_.begin(), end_.end(), x);
  }

 protected:
  void evaluate(double t, int, const double* x, double* dx) override {
    ++evaluations_;
    f_->evaluate(t, x, inputs_->at(t), dx);
  }
  void evaluate_first(double t, const double* x, Inputs& u) {
    inputs_ = &u;
    evaluate(t, 0, x, first_.data());
  }

  MethodPointer method_;
  RightHandSidePointer f_;
  Inputs* inputs_ = nullptr;
  std::vector<double> first_, end_;
  long evaluations_ = 0;
};

class VariableStepSolver final : public MethodSolver {
 public:
  VariableStepSolver(MethodPointer method, RightHandSidePointer f, const SolverOptions& options)
      : MethodSolver(std::move(method), std::move(f)), control_(options) {}

  void start(double t, const std::vector<double>& x) override {
    MethodSolver::start(t, x);
    control_.start(x, method_->control_order());
  }
  double preferred_step() const override { return control_.preferred_step(); }
  void keep_memory(std::vector<double>& into) const override { into.assign(1, control_.preferred_step()); }
  void set_memory(const std::vector<double>& memory) override { control_.set_preferred_step(memory[0]); }

  void step(double t, double t_end, double* x, Inputs& u) override {
    while (t < t_end) {
      Cancellation::check();
      evaluate_first(t, x, u);
      for (std::size_t i = 0; i < first_.size(); ++i) {
        if (!std::isfinite(first_[i])) right_hand_side_not_finite(t, static_cast<int>(i));
      }
      t = control_.step(*method_, {t, t_end, x, first_.data(), end_.data()}, *this, nullptr);
      std::copy(end_.begin(), end_.end(), x);
    }
  }

 private:
  StepControl control_;
};

}  // namespace

SolverPointer make_method_solver(OdeSolver solver, RightHandSidePointer f, const SolverOptions& options) {
  MethodPointer method = make_method(solver, f->states(), options);
  if (method->control_order() > 0) {
    return std::make_unique<VariableStepSolver>(std::move(method), std::move(f), options);
  }
  return std::make_unique<MethodSolver>(std::move(method), std::move(f));
}

}  // namespace counterpoint
