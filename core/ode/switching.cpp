// auto: ode45 while the model is not stiff, ode23s while it is and that costs fewer evaluations.
//
// ode45 shows stiffness by itself (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.2): its last two
// stages are both at the end of the step, so that the quotient of the differences of their slopes and states is about
// the largest |lambda|, and h |lambda| at the border of stability, 3.3, says that stability and not the tolerance
// limits the step. In ode23s the largest |lambda| follows from its Jacobian by the power method.
//
// A step of ode23s costs n + 3 evaluations, one of ode45 6. It is tried only when ode45 has spent about as much at the
// border as the trial will cost, and given up where ode45 at the border would cost less; after a trial that did not pay
// the next one waits four times as long. Nothing depends on measured times.

#include <algorithm>
#include <array>
#include <cmath>

#include "ode/method.hpp"

namespace counterpoint {
namespace {

constexpr double border = 3.25;          ///< h |lambda| from which stability limits ode45
constexpr double evaluations = 6.0;      ///< of a step of ode45
constexpr double steps_of_proof = 15.0;  ///< in excess of a half of those that say the contrary
constexpr double paying_steps = 100.0;   ///< of ode23s: a trial that lasts as long was right
constexpr int most_states = 500;         ///< beyond that its factorisations cost more than evaluations

class Switching final : public Method {
 public:
  Switching(int states, const SolverOptions& options)
      : explicit_(make_runge_kutta(OdeSolver::ode45, states, options)),
        implicit_(make_rosenbrock(states, options)),
        cost_((states + 3.0) / evaluations),
        may_switch_(states > 0 && states <= most_states) {}

  void begin() override {
    if (may_switch_ && proof_ >= patience()) change();
    active().begin();
  }

  double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) override {
    double error = active().attempt(t, t_end, x, first, x_end, f);
    if (is_stiff_ && !std::isfinite(error)) {  // its Jacobian needs states that the model may refuse
      change();
      error = active().attempt(t, t_end, x, first, x_end, f);
    }
    if (may_switch_ && error <= 1.0) note();
    return error;
  }

  bool interpolates() const override { return true; }
  void interpolate(double t, double* x) const override { active().interpolate(t, x); }
  int control_order() const override { return active().control_order(); }

  MethodMemory memory() const override { return {is_stiff_ ? 1.0 : 0.0, proof_, steps_, trials_}; }
  void set_memory(const MethodMemory& memory) override {
    is_stiff_ = memory[0] != 0.0;
    proof_ = memory[1];
    steps_ = memory[2];
    trials_ = memory[3];
  }

 private:
  Method& active() const { return is_stiff_ ? *implicit_ : *explicit_; }

  /// The last attempt was good enough: does it speak for the other method?
  void note() {
    const double product = active().stiffness();
    const bool for_other = is_stiff_ ? product < border * cost_ : product > border;
    proof_ = std::max(0.0, proof_ + (for_other ? 1.0 : -0.5));
    ++steps_;
  }

  double patience() const {
    return is_stiff_ ? steps_of_proof : steps_of_proof * std::max(1.0, cost_) * std::pow(4.0, trials_);
  }

  void change() {
    if (is_stiff_) trials_ = steps_ >= paying_steps ? 0.0 : trials_ + 1.0;
    is_stiff_ = !is_stiff_;
    proof_ = steps_ = 0.0;
  }

  MethodPointer explicit_, implicit_;
  double cost_;  ///< of a step of ode23s, in steps of ode45
  bool may_switch_;
  bool is_stiff_ = false;
  double proof_ = 0.0;   ///< for the other method
  double steps_ = 0.0;   ///< since the last change
  double trials_ = 0.0;  ///< of ode23s in a row that did not pay
};

}  // namespace

MethodPointer make_switching(int states, const SolverOptions& options) {
  return std::make_unique<Switching>(states, options);
}

}  // namespace counterpoint
