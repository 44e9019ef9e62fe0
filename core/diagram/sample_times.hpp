#pragma once

#include <vector>

#include "diagram/block.hpp"

namespace counterpoint::diagram {

/// The sample times of a diagram and when each is due next. Samples are counted, never summed up, so that periods
/// without a common multiple stay exact over any number of samples.
class SampleTimes {
 public:
  /// Number of the rate; equal ones share it.
  int add(const SampleTime& rate);
  int rates() const { return static_cast<int>(rates_.size()); }

  /// The shortest period, s; 0 when there is none.
  double finest() const { return finest_; }

  void start(double t);
  /// First sample of any rate not yet taken; infinity when there is none.
  double next() const { return next_; }
  bool is_due(int rate, double t) const { return time_of(rate) <= t + tolerance_of(rate); }
  /// Take all samples that are due at t.
  void advance(double t);

  const std::vector<double>& counts() const { return counts_; }
  void set_counts(const std::vector<double>& counts);

 private:
  double time_of(int rate) const { return start_ + rates_[rate].offset + counts_[rate] * rates_[rate].period; }
  double tolerance_of(int rate) const { return 1e-9 * rates_[rate].period; }
  void find_next();

  std::vector<SampleTime> rates_;
  std::vector<double> counts_;  ///< samples taken, per rate; whole numbers
  double start_ = 0.0;
  double next_ = infinity;
  double finest_ = 0.0;
};

}  // namespace counterpoint::diagram
