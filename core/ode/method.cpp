// Runge-Kutta methods one attempt at a time: for callers who split steps at events.

#include "ode/method.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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
        for (int i = 0; i < n; ++i) stage_[i] = x[i] + h * sum<s>(Tableau::a[s], i);
        const double time = Tableau::c[s] == 1.0 ? t_end : t + Tableau::c[s] * h;
        f.evaluate(time, s, stage_.data(), slopes_[s].data());
      }
    });
    for (int i = 0; i < n; ++i) x_end[i] = x[i] + h * sum<Tableau::stages>(Tableau::b, i);
    return 0.0;
  }

 protected:
  template <int count>
  double sum(const double* weights, int i) const {
    double total = 0.0;
    unrolled<count>([&](auto k) { total += weights[k] * slopes_[k][i]; });
    return total;
  }

  std::vector<double> stage_;
  std::array<std::vector<double>, Tableau::stages> slopes_;
};

/// With an error estimate from the embedded formula. Between the ends the solution is the cubic through
/// both ends and their slopes: the last stage of both pairs is the slope at the end.
template <class Tableau>
class Pair final : public RungeKutta<Tableau> {
 public:
  Pair(int states, const SolverOptions& options)
      : RungeKutta<Tableau>(states), options_(options), from_(states), to_(states) {}

  double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) override {
    RungeKutta<Tableau>::attempt(t, t_end, x, first, x_end, f);
    const int n = static_cast<int>(from_.size());
    t_ = t;
    h_ = t_end - t;
    std::copy_n(x, n, from_.data());
    std::copy_n(x_end, n, to_.data());
    double squares = 0.0;
    for (int i = 0; i < n; ++i) {
      const double size = std::max(std::abs(x[i]), std::abs(x_end[i]));
      const double e = h_ * this->template sum<Tableau::stages>(Tableau::error, i) /
                       (options_.absolute_tolerance + options_.relative_tolerance * size);
      squares += e * e;
    }
    return n == 0 ? 0.0 : std::sqrt(squares / n);
  }

  bool interpolates() const override { return true; }

  void interpolate(double t, double* x) const override {
    const double s = (t - t_) / h_;
    const double r = 1.0 - s;
    const auto& first = this->slopes_.front();
    const auto& last = this->slopes_.back();
    for (std::size_t i = 0; i < from_.size(); ++i) {
      x[i] = r * r * ((1.0 + 2.0 * s) * from_[i] + s * h_ * first[i]) +
             s * s * ((3.0 - 2.0 * s) * to_[i] - r * h_ * last[i]);
    }
  }

  int control_order() const override { return Tableau::order; }

 private:
  SolverOptions options_;
  double t_ = 0.0, h_ = 1.0;
  std::vector<double> from_, to_;
};

}  // namespace

std::unique_ptr<Method> make_method(const std::string& name, int states, const SolverOptions& options) {
  if (name == "ode1") return std::make_unique<RungeKutta<tableau::Ode1>>(states);
  if (name == "ode2") return std::make_unique<RungeKutta<tableau::Ode2>>(states);
  if (name == "ode3") return std::make_unique<RungeKutta<tableau::Ode3>>(states);
  if (name == "ode4") return std::make_unique<RungeKutta<tableau::Ode4>>(states);
  if (name == "ode5") return std::make_unique<RungeKutta<tableau::Ode5>>(states);
  if (name == "ode23") return std::make_unique<Pair<tableau::Ode23>>(states, options);
  if (name == "ode45") return std::make_unique<Pair<tableau::Ode45>>(states, options);
  throw std::invalid_argument("no solver \"" + name + "\"");
}

}  // namespace counterpoint
