// Variable-step embedded pairs ode23 (Bogacki-Shampine) and ode45 (Dormand-Prince) with local
// extrapolation and the usual step control. The first slope is evaluated anew at each step: the
// inputs known now may differ from those of the last step's end (no "first same as last").

#include <algorithm>
#include <cmath>
#include <sstream>

#include "coupling/subsystem.hpp"
#include "ode/solver.hpp"
#include "ode/tableau.hpp"

namespace counterpoint {
namespace {

template <class Tableau>
class EmbeddedPair final : public Solver {
 public:
  EmbeddedPair(RightHandSidePointer f, const SolverOptions& options)
      : f_(std::move(f)), options_(options), slopes_(Tableau::stages, std::vector<double>(f_->states())),
        stage_(f_->states()) {}

  void start(double, const std::vector<double>& x) override {
    wish_ = options_.first_step > 0.0 ? options_.first_step : first_guess(x);
    limit_wish();
  }

  double next_step() const override { return wish_; }
  std::vector<double> memory() const override { return {wish_}; }
  void set_memory(const std::vector<double>& memory) override { wish_ = memory[0]; }

  void step(double t, double t_end, double* x, Inputs& u) override {
    while (t < t_end) {
      // A remainder that is nearly nothing is taken along.
      const bool last = t + wish_ * (1.0 + 1e-9) >= t_end;
      t = accepted_step(t, last ? t_end : t + wish_, x, u);
    }
  }

 private:
  double first_guess(const std::vector<double>& x) const {
    // Without a look at the derivatives (inputs are not known yet): a cautious share of the scale.
    double size = 0.0;
    for (double value : x) size = std::max(size, std::abs(value));
    return std::pow(options_.relative_tolerance, 1.0 / Tableau::order) * 1e-1 * (size > 0.0 ? 1.0 : 0.1);
  }

  void limit_wish() {
    if (options_.max_step > 0.0) wish_ = std::min(wish_, options_.max_step);
  }

  /// One step from t to `end`, or to where the error allows; returns the time reached.
  double accepted_step(double t, double end, double* x, Inputs& u) {
    const double asked = end - t;
    double growth = 5.0;
    while (true) {
      const double h = end - t;
      if (h < 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300)) too_small(t, h);
      const double error = attempt(t, h, x, u);
      const double factor = std::isfinite(error)
                                ? std::clamp(0.9 * std::pow(std::max(error, 1e-10), -1.0 / Tableau::order), 0.2, growth)
                                : 0.1;
      if (error <= 1.0) {
        std::copy(stage_.begin(), stage_.end(), x);
        // A step cut short from outside says nothing against the step that was wished.
        wish_ = h < asked || asked >= wish_ ? h * factor : std::max(wish_, h * factor);
        limit_wish();
        return end;
      }
      growth = 1.0;
      end = t + h * std::min(factor, 0.9);
    }
  }

  /// Leaves the new state in stage_ (the last stage of both pairs is the solution) and returns the scaled error.
  double attempt(double t, double h, const double* x, Inputs& u) {
    const int n = f_->states();
    for (int s = 0; s < Tableau::stages; ++s) {
      for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < s; ++k) sum += Tableau::a[s][k] * slopes_[k][i];
        stage_[i] = x[i] + h * sum;
      }
      const double time = t + Tableau::c[s] * h;
      f_->evaluate(time, stage_.data(), u.at(time), slopes_[s].data());
      if (s == 0) check_finite(slopes_[0], t);
    }
    double squares = 0.0;
    for (int i = 0; i < n; ++i) {
      double e = 0.0;
      for (int s = 0; s < Tableau::stages; ++s) e += Tableau::error[s] * slopes_[s][i];
      const double size = std::max(std::abs(x[i]), std::abs(stage_[i]));
      e *= h / (options_.absolute_tolerance + options_.relative_tolerance * size);
      squares += e * e;
    }
    return std::sqrt(squares / n);
  }

  static void check_finite(const std::vector<double>& slope, double t) {
    for (std::size_t i = 0; i < slope.size(); ++i) {
      if (!std::isfinite(slope[i])) right_hand_side_not_finite(t, static_cast<int>(i));
    }
  }

  [[noreturn]] static void too_small(double t, double h) {
    std::ostringstream text;
    text.precision(9);
    text << "the step became " << h << " s at t = " << t
         << " s; the model may be discontinuous, stiff (try trapezoidal or bdf2) or growing without bound";
    throw SolverFailure(text.str());
  }

  RightHandSidePointer f_;
  SolverOptions options_;
  double wish_ = 0.0;
  std::vector<std::vector<double>> slopes_;
  std::vector<double> stage_;
};

}  // namespace

SolverPointer make_embedded_pair(int order, RightHandSidePointer f, const SolverOptions& options) {
  if (order == 3) return std::make_unique<EmbeddedPair<tableau::Ode23>>(std::move(f), options);
  return std::make_unique<EmbeddedPair<tableau::Ode45>>(std::move(f), options);
}

}  // namespace counterpoint
