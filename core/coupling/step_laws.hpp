#pragma once

#include "coupling/step_law.hpp"
#include "signal/history.hpp"

namespace counterpoint {

/// Steps over time: held or straight lines between the given times.
class TableLaw final : public StepLaw {
 public:
  /// `times` increase; one step for each. Held steps are not carried over the next time.
  TableLaw(std::vector<double> times, std::vector<double> steps, bool is_held);
  StepChoice propose(double t, double last, double known) override;

 private:
  std::vector<double> times_;
  std::vector<double> steps_;
  bool is_held_;
};

/// A scalar output that leads steps.
struct LeadingSignal {
  int participant;
  int column;
  int derivative;  ///< which one matters, 1 to 5: one more than the order of the approximation in use
};

/// Long steps while signals change little: Günther et al. (2012), eqs. 7 and 8.
///
///     H = Hmin + (1 - min(1, r))^p0 (Hmax - Hmin),   r = |y'| / (p1 mean|y'|), the largest of all leading signals
///
/// The mean is taken over the time since the start. At a standstill, where it is zero, r is zero. The printed law has
/// the first derivative, which is right for held values; with an approximation of order P the derivative P + 1 sets
/// the error of extrapolation.
class GradientLaw final : public StepLaw {
 public:
  struct Parameters {
    double smallest, largest;  ///< s
    double p0, p1;
  };
  GradientLaw(std::vector<LeadingSignal> signals, const Parameters& parameters);
  void join(const Network& network, int participant) override;
  StepChoice propose(double t, double last, double known) override;

 private:
  std::vector<LeadingSignal> signals_;
  Parameters parameters_;
  const Network* network_ = nullptr;
  int participant_ = -1;
  std::vector<double> sums_;  ///< integrals of |derivative| over time
  double time_ = 0.0;         ///< over which they reach, s
};

/// The same question without parameters to tune: steps for which extrapolation is off by the tolerance. An
/// extrapolation of order P = n - 1 through equal steps is off by |y^(n)| H^n.
class ExtrapolationLaw final : public StepLaw {
 public:
  /// `ahead`: see SignalSize, s.
  ExtrapolationLaw(std::vector<LeadingSignal> signals, double tolerance, std::vector<double> absolute, double ahead);
  void join(const Network& network, int participant) override;
  StepChoice propose(double t, double last, double known) override;
  StepError error_of_step(double t_end, double length) override;

 private:
  std::vector<LeadingSignal> signals_;
  double tolerance_;
  double length_for(double product, int order) const;
  double allowed(std::size_t signal) const { return absolute_[signal] + tolerance_ * sizes_[signal].value(ahead_); }

  std::vector<double> absolute_;
  const Network* network_ = nullptr;
  int participant_ = -1;
  double ahead_;
  std::vector<SignalSize> sizes_;
  MeanStep mean_;
};

}  // namespace counterpoint
