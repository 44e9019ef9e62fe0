#include "coupling/defect.hpp"

#include <algorithm>
#include <cmath>

#include "signal/newton.hpp"

namespace counterpoint {

/// Flat for the same reason as Scheduler::run_alone.
[[gnu::flatten]] void Defect::arrive(const Samples& samples, double gain, double offset) {
  while (pending() && samples.time(samples.last()) >= pending_time() - samples.tolerance) {
    compare(pending_time(), &tally_.assumed[tally_.first + 1], samples, gain, offset);
    tally_.first += 1 + width_;
  }
  if (!pending()) {
    tally_.first = 0;
    tally_.assumed.clear();
  }
}

void Defect::compare(double t, const double* assumed, const Samples& samples, double gain, double offset) {
  interpolate(samples, t);
  ++tally_.count;
  double squares = 0.0;
  for (int j = 0; j < width_; ++j) {
    values_[j] = gain * values_[j] + offset;
    const double difference = assumed[j] - values_[j];
    squares += difference * difference;
    const double from_mean = values_[j] - tally_.mean[j];  // Welford's running variance
    tally_.mean[j] += from_mean / static_cast<double>(tally_.count);
    tally_.spread[j] += from_mean * (values_[j] - tally_.mean[j]);
    tally_.magnitude = std::max(tally_.magnitude, std::abs(values_[j]));
  }
  tally_.sum_of_squares += squares;
  if (squares > tally_.maximum_square) {
    tally_.maximum_square = squares;
    tally_.time_of_maximum = t;
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

double Defect::maximum() const { return std::sqrt(tally_.maximum_square); }

double Defect::rms() const { return tally_.count ? std::sqrt(tally_.sum_of_squares / static_cast<double>(tally_.count)) : 0.0; }

double Defect::scale() const {
  double sum = 0.0;
  for (double s : tally_.spread) sum += s;
  return tally_.count ? std::sqrt(sum / static_cast<double>(tally_.count)) : 0.0;
}

}  // namespace counterpoint
