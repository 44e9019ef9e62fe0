#include "coupling/defect.hpp"

#include <algorithm>
#include <cmath>

#include "signal/newton.hpp"

namespace counterpoint {

void Defect::arrive(const Samples& samples, double gain, double offset) {
  // A cubic through the samples around the pending time; exact where a sample falls on it.
  const std::size_t newest = std::min(samples.ahead_of(time_) + 1, samples.last());
  newton_through(samples, newest, available(samples, newest, 4), truth_);
  truth_.scale_and_shift(gain, offset);
  truth_.evaluate(time_, arrived_.data());

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
  if (std::sqrt(squares) > maximum_) {
    maximum_ = std::sqrt(squares);
    time_of_maximum_ = time_;
  }
  rows_.push_back(time_);
  rows_.insert(rows_.end(), assumed_.begin(), assumed_.end());
  rows_.insert(rows_.end(), arrived_.begin(), arrived_.end());
}

double Defect::rms() const { return count_ ? std::sqrt(sum_of_squares_ / static_cast<double>(count_)) : 0.0; }

double Defect::scale() const {
  double sum = 0.0;
  for (double s : spread_) sum += s;
  return count_ ? std::sqrt(sum / static_cast<double>(count_)) : 0.0;
}

}  // namespace counterpoint
