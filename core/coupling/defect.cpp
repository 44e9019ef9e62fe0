#include "coupling/defect.hpp"

#include <algorithm>
#include <cmath>

#include "signal/newton.hpp"

namespace counterpoint {

[[gnu::noinline]] void Defect::enlarge() { assumed_.resize(2 * last_); }

void Defect::arrive(const Samples& samples, double gain, double offset) {
  if (width_ == 1) compare_scalars(samples, gain, offset);
  while (pending() && samples.time(samples.last()) >= pending_time() - samples.tolerance) {
    compare(pending_time(), &assumed_[first_ + 1], samples, gain, offset);
    first_ += 1 + width_;
  }
  if (!pending()) first_ = last_ = 0;
}

void Defect::compare(double t, const double* assumed, const Samples& samples, double gain, double offset) {
  const double* arrived = published(samples, t);
  double* row = rows_.extend();
  row[0] = t;
  ++count_;
  double squares = 0.0;
  for (int j = 0; j < width_; ++j) {
    const double value = gain * arrived[j] + offset;
    row[1 + j] = assumed[j];
    row[1 + width_ + j] = value;
    const double difference = assumed[j] - value;
    squares += difference * difference;
    Moments& moments = moments_[j];
    const double from_mean = value - moments.mean;  // Welford's running variance
    moments.mean += from_mean / static_cast<double>(count_);
    moments.spread += from_mean * (value - moments.mean);
    magnitude_ = std::max(magnitude_, std::abs(value));
  }
  sum_of_squares_ += squares;
  if (squares > maximum_square_) {
    maximum_square_ = squares;
    time_of_maximum_ = t;
  }
}

/// The same for one component, as far as what was assumed meets samples. Everything is at hand here, since in most runs
/// this is done for every step of everybody.
void Defect::compare_scalars(const Samples& samples, double gain, double offset) {
  const History& history = *samples.history;
  const double tolerance = samples.tolerance;
  const std::size_t last = samples.last();
  const double* pending = assumed_.data() + first_;
  std::size_t left = (last_ - first_) / 2;
  while (left > 0 && !(pending[2 * left - 2] <= history.time(last) + tolerance)) --left;
  if (left == 0) return;
  double* row = rows_.extend(left);
  std::size_t k = std::clamp(place_, samples.begin, last);
  long count = count_;
  Moments moments = moments_[0];
  double sum = sum_of_squares_, maximum = maximum_square_, when = time_of_maximum_, magnitude = magnitude_;
  for (; left > 0; --left, pending += 2, row += 3) {
    const double t = pending[0];
    const double assumed = pending[1];
    while (k < last && history.time(k + 1) <= t + tolerance) ++k;
    if (!(std::abs(history.time(k) - t) <= tolerance)) break;
    const double value = gain * history.value(k)[samples.column] + offset;
    row[0] = t;
    row[1] = assumed;
    row[2] = value;
    const double difference = assumed - value;
    const double square = difference * difference;
    const double from_mean = value - moments.mean;  // Welford's running variance
    moments.mean += from_mean / static_cast<double>(++count);
    moments.spread += from_mean * (value - moments.mean);
    magnitude = std::max(magnitude, std::abs(value));
    sum += square;
    when = square > maximum ? t : when;
    maximum = square > maximum ? square : maximum;
  }
  rows_.retract(left);
  place_ = k;
  first_ = static_cast<std::size_t>(pending - assumed_.data());
  count_ = count;
  sum_of_squares_ = sum;
  maximum_square_ = maximum;
  time_of_maximum_ = when;
  magnitude_ = magnitude;
  moments_[0] = moments;
}

const double* Defect::published(const Samples& samples, double t) {
  const std::size_t found = behind(samples, t);
  if (std::abs(samples.time(found) - t) <= samples.tolerance) return samples.value(found);
  return interpolated(samples, found, t);
}

std::size_t Defect::behind(const Samples& samples, double t) {
  std::size_t k = std::clamp(place_, samples.begin, samples.last());
  while (k < samples.last() && samples.time(k + 1) <= t + samples.tolerance) ++k;
  while (k > samples.begin && samples.time(k) > t + samples.tolerance) --k;
  return place_ = k;
}

[[gnu::noinline]] const double* Defect::interpolated(const Samples& samples, std::size_t found, double t) {
  // A cubic that ends with the first sample after t: later ones may or may not be there yet.
  const std::size_t newest = std::min(found + 1, samples.last());
  newton_through(samples, newest, available(samples, newest, 4), truth_);
  truth_.evaluate(t, values_.data());
  return values_.data();
}

void Defect::save(Saved& into) const {
  into.compared_for = compared_for_;
  into.pending.assign(assumed_.begin() + static_cast<long>(first_), assumed_.begin() + static_cast<long>(last_));
  into.count = count_;
  into.sum_of_squares = sum_of_squares_;
  into.maximum_square = maximum_square_;
  into.time_of_maximum = time_of_maximum_;
  into.magnitude = magnitude_;
  into.moments = moments_;
  into.rows = rows_.total();
}

void Defect::restore(const Saved& saved) {
  compared_for_ = saved.compared_for;
  first_ = 0;
  last_ = saved.pending.size();
  if (last_ > assumed_.size()) assumed_.resize(last_);
  std::copy(saved.pending.begin(), saved.pending.end(), assumed_.begin());
  count_ = saved.count;
  sum_of_squares_ = saved.sum_of_squares;
  maximum_square_ = saved.maximum_square;
  time_of_maximum_ = saved.time_of_maximum;
  magnitude_ = saved.magnitude;
  moments_ = saved.moments;
  rows_.shrink(saved.rows);
}

double Defect::maximum() const { return std::sqrt(maximum_square_); }

double Defect::rms() const { return count_ ? std::sqrt(sum_of_squares_ / static_cast<double>(count_)) : 0.0; }

double Defect::scale() const {
  double sum = 0.0;
  for (const Moments& moments : moments_) sum += moments.spread;
  return count_ ? std::sqrt(sum / static_cast<double>(count_)) : 0.0;
}

}  // namespace counterpoint
