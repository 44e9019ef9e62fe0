#include "coupling/defect.hpp"

#include <algorithm>
#include <cmath>

#include "signal/newton.hpp"

namespace counterpoint {

void Defect::arrive(const Samples& samples, double gain, double offset) {
  interpolate(samples);
  for (double& value : arrived_) value = gain * value + offset;

  ++count_;
  pending_ = false;
  double squares = 0.0;
  for (int j = 0; j < width_; ++j) {
    const double difference = assumed_[j] - arrived_[j];
    squares += difference * difference;
    const double from_mean = arrived_[j] - mean_[j];  // Welford's running variance
    mean_[j] += from_mean / static_cast<double>(count_);
    spread_[j] += from_mean * (arrived_[j] - mean_[j]);
  }
  sum_of_squares_ += squares;
  if (squares > maximum_square_) {
    maximum_square_ = squares;
    time_of_maximum_ = time_;
  }
  double* row = rows_.extend(1 + 2 * width_);
  row[0] = time_;
  std::copy_n(assumed_.data(), width_, row + 1);
  std::copy_n(arrived_.data(), width_, row + 1 + width_);
}

void Defect::interpolate(const Samples& samples) {
  const std::size_t behind = samples.behind(time_);
  if (std::abs(samples.time(behind) - time_) <= samples.tolerance) {
    std::copy_n(samples.value(behind), width_, arrived_.data());
    return;
  }
  // No sample falls on the pending time: a cubic through those around it.
  const std::size_t newest = std::min(behind + 2, samples.last());
  newton_through(samples, newest, available(samples, newest, 4), truth_);
  truth_.evaluate(time_, arrived_.data());
}

double Defect::maximum() const { return std::sqrt(maximum_square_); }

double Defect::rms() const { return count_ ? std::sqrt(sum_of_squares_ / static_cast<double>(count_)) : 0.0; }

double Defect::scale() const {
  double sum = 0.0;
  for (double s : spread_) sum += s;
  return count_ ? std::sqrt(sum / static_cast<double>(count_)) : 0.0;
}

}  // namespace counterpoint
