#include "coupling/defect.hpp"

#include <algorithm>
#include <cmath>

#include "signal/newton.hpp"

namespace counterpoint {

/// Flat for the same reason as Scheduler::run_alone.
[[gnu::flatten]] void Defect::arrive(const Samples& samples, double gain, double offset) {
  while (pending() && samples.time(samples.last()) >= pending_time() - samples.tolerance) {
    compare(pending_time(), &assumed_[first_ + 1], samples, gain, offset);
    first_ += 1 + width_;
  }
  if (!pending()) first_ = last_ = 0;
}

void Defect::compare(double t, const double* assumed, const Samples& samples, double gain, double offset) {
  interpolate(samples, t);
  ++count_;
  double squares = 0.0;
  for (int j = 0; j < width_; ++j) {
    values_[j] = gain * values_[j] + offset;
    const double difference = assumed[j] - values_[j];
    squares += difference * difference;
    const double from_mean = values_[j] - mean_[j];  // Welford's running variance
    mean_[j] += from_mean / static_cast<double>(count_);
    spread_[j] += from_mean * (values_[j] - mean_[j]);
    magnitude_ = std::max(magnitude_, std::abs(values_[j]));
  }
  sum_of_squares_ += squares;
  if (squares > maximum_square_) {
    maximum_square_ = squares;
    time_of_maximum_ = t;
  }
  double* row = rows_.extend();
  row[0] = t;
  for (int j = 0; j < width_; ++j) {
    row[1 + j] = assumed[j];
    row[1 + width_ + j] = values_[j];
  }
}

void Defect::interpolate(const Samples& samples, double t) {
  const std::size_t behind = samples.behind(t);
  if (std::abs(samples.time(behind) - t) <= samples.tolerance) {
    std::copy_n(samples.value(behind), width_, values_.data());
    return;
  }
  // A cubic that ends with the first sample after t: later ones may or may not be there yet.
  const std::size_t newest = std::min(behind + 1, samples.last());
  newton_through(samples, newest, available(samples, newest, 4), truth_);
  truth_.evaluate(t, values_.data());
}

double Defect::maximum() const { return std::sqrt(maximum_square_); }

double Defect::rms() const { return count_ ? std::sqrt(sum_of_squares_ / static_cast<double>(count_)) : 0.0; }

double Defect::scale() const {
  double sum = 0.0;
  for (double s : spread_) sum += s;
  return count_ ? std::sqrt(sum / static_cast<double>(count_)) : 0.0;
}

}  // namespace counterpoint
