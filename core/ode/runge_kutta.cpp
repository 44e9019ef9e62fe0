// Explicit Runge-Kutta methods, one attempt at a time: ode1 to ode5 of fixed step, orders 1 to 5; the pairs ode23
// (Bogacki-Shampine) and ode45 (Dormand-Prince) with local extrapolation. Conditionally stable: the product of
// step and largest eigenvalue must stay within about 2 to 3.5.

#include <algorithm>
#include <array>
#include <cmath>

#include "check.hpp"
#include "ode/method.hpp"
#include "ode/tableau.hpp"
#include "signal/unrolled.hpp"

namespace counterpoint {
namespace {

template <class Tableau>
class RungeKutta : public Method {
 public:
  explicit RungeKutta(int states) : stage_(states) { slopes_.fill(stage_); }

  double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) override {
    const int n = static_cast<int>(stage_.size());
    const double h = t_end - t;
    std::copy_n(first, n, slopes_[0].data());
    unrolled<Tableau::stages>([&](auto s) {
      if constexpr (s > 0) {
        for (int i = 0; i < n; ++i) stage_[i] = x[i] + h * stage_sum<s>(i);
        const double time = Tableau::c[s] == 1.0 ? t_end : t + Tableau::c[s] * h;
        f.evaluate(time, s, stage_.data(), slopes_[s].data());
      }
    });
    for (int i = 0; i < n; ++i) x_end[i] = x[i] + h * weighted_sum(i);
    return 0.0;
  }

 protected:
  /// Sums over stages with zeros left out at compile time.
  template <int s>
  double stage_sum(int i) const {
    double total = 0.0;
    unrolled<s>([&](auto k) {
      if constexpr (Tableau::a[s][k] != 0.0) total += Tableau::a[s][k] * slopes_[k][i];
    });
    return total;
  }
  double weighted_sum(int i) const {
    double total = 0.0;
    unrolled<Tableau::stages>([&](auto k) {
      if constexpr (Tableau::b[k] != 0.0) total += Tableau::b[k] * slopes_[k][i];
    });
    return total;
  }
  double sum(const double* weights, int i) const {
    double total = 0.0;
    unrolled<Tableau::stages>([&](auto k) { total += weights[k] * slopes_[k][i]; });
    return total;
  }

  std::vector<double> stage_;
  std::array<std::vector<double>, Tableau::stages> slopes_;
};

/// With an error estimate from the embedded formula. Between its ends the solution of ode23 is the cubic through
/// both ends and their slopes (the last stage of both pairs is the slope at the end); ode45 adds a quartic term
/// (`Tableau::dense`) that makes it correct to order 4.
template <class Tableau>
class Pair final : public RungeKutta<Tableau> {
 public:
  Pair(int states, const SolverOptions& options)
      : RungeKutta<Tableau>(states), options_(options), from_(states), to_(states), error_(states) {}

  double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) override {
    RungeKutta<Tableau>::attempt(t, t_end, x, first, x_end, f);
    const int n = static_cast<int>(from_.size());
    t_ = t;
    h_ = t_end - t;
    std::copy_n(x, n, from_.data());
    std::copy_n(x_end, n, to_.data());
    for (int i = 0; i < n; ++i) error_[i] = this->sum(Tableau::error, i);
    return scaled_error(options_, n, h_, x, x_end, error_.data());
  }

  bool interpolates() const override { return true; }

  void interpolate(double t, double* x) const override {
    const int n = static_cast<int>(from_.size());
    const double s = (t - t_) / h_;
    hermite(n, s, h_, from_.data(), this->slopes_.front().data(), to_.data(), this->slopes_.back().data(), x);
    if constexpr (requires { Tableau::dense; }) {
      const double weight = h_ * s * s * (1.0 - s) * (1.0 - s);
      for (int i = 0; i < n; ++i) x[i] += weight * this->sum(Tableau::dense, i);
    }
  }

  int control_order() const override { return Tableau::order; }

  /// From the last two stages where both are at the end of the step, as in ode45.
  double stiffness() const override {
    constexpr int last = Tableau::stages - 1;
    if constexpr (Tableau::c[last - 1] == 1.0) {
      double slopes = 0.0, states = 0.0;
      for (int i = 0; i < static_cast<int>(from_.size()); ++i) {
        const double dx = h_ * (this->template stage_sum<last>(i) - this->template stage_sum<last - 1>(i));
        const double df = this->slopes_[last][i] - this->slopes_[last - 1][i];
        slopes += df * df;
        states += dx * dx;
      }
      return states > 0.0 ? h_ * std::sqrt(slopes / states) : 0.0;
    }
    return 0.0;
  }

 private:
  SolverOptions options_;
  double t_ = 0.0, h_ = 1.0;
  std::vector<double> from_, to_, error_;
};

}  // namespace

MethodPointer make_runge_kutta(OdeSolver solver, int states, const SolverOptions& options) {
  switch (solver) {
    case OdeSolver::ode1:
      return std::make_unique<RungeKutta<tableau::Ode1>>(states);
    case OdeSolver::ode2:
      return std::make_unique<RungeKutta<tableau::Ode2>>(states);
    case OdeSolver::ode3:
      return std::make_unique<RungeKutta<tableau::Ode3>>(states);
    case OdeSolver::ode4:
      return std::make_unique<RungeKutta<tableau::Ode4>>(states);
    case OdeSolver::ode5:
      return std::make_unique<RungeKutta<tableau::Ode5>>(states);
    case OdeSolver::ode23:
      return std::make_unique<Pair<tableau::Ode23>>(states, options);
    case OdeSolver::ode45:
      return std::make_unique<Pair<tableau::Ode45>>(states, options);
    default:
      internal_error(std::string(name_of(solver)) + " is not a Runge-Kutta method");
  }
}

}  // namespace counterpoint
