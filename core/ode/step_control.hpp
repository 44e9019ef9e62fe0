#pragma once

#include <functional>

#include "ode/method.hpp"

namespace counterpoint {

/// Chooses the steps of a variable-step method: the usual law on the error of the last attempt.
///
/// All that it keeps is the step it would like to make next, `preferred_step`.
class StepControl {
 public:
  explicit StepControl(const SolverOptions& options) : options_(options) {}

  double preferred_step() const { return preferred_step_; }
  void set_preferred_step(double step) { preferred_step_ = step; }

  /// First step without a look at the derivatives: a cautious share of the tolerance.
  void start(const std::vector<double>& x, int order);
  /// First step from state and slope.
  void start(const double* x, const double* slope, int states);

  struct Attempt {
    double t, limit;  ///< from t, no further than the limit
    const double* x;
    const double* first;
    double* x_end;
  };
  /// Told of every attempt that is about to be made: its end, and how many were given up before it.
  using Notice = std::function<void(double end, int attempt)>;

  /// One accepted step; returns the time reached. Throws SolverFailure when the step becomes too small.
  double step(Method& method, const Attempt& from, Slopes& f, const Notice& notice);

 private:
  void set_limited(double step);
  [[noreturn]] static void too_small(double t, double h);

  SolverOptions options_;
  double preferred_step_ = 0.0;
};

}  // namespace counterpoint
