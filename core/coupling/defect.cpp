#include "coupling/defect.hpp"

#include <algorithm>
#include <cmath>

#include "signal/newton.hpp"

namespace counterpoint {

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] void Defect::arrive(const Samples& samples, double gain, double offset) {
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
  ++tally_.count;
  double squares = 0.0;
  for (int j = 0; j < width_; ++j) {
    const double value = gain * arrived[j] + offset;
    row[1 + j] = assumed[j];
    row[1 + width_ + j] = value;
    squares += weigh(assumed[j], value, tally_, means_[j], spreads_[j]);
  }
  tally_.add(squares, t);
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
  into.tally = tally_;
  into.means = means_;
  into.spreads = spreads_;
  into.place = place_;
  into.rows = rows_.total();
}

void Defect::restore(const Saved& saved) {
  compared_for_ = saved.compared_for;
  first_ = 0;
  last_ = saved.pending.size();
  if (last_ > assumed_.size()) assumed_.resize(last_);
  std::copy(saved.pending.begin(), saved.pending.end(), assumed_.begin());
  tally_ = saved.tally;
  means_ = saved.means;
  spreads_ = saved.spreads;
  place_ = saved.place;
  rows_.shrink(saved.rows);
}

double Defect::maximum() const { return std::sqrt(tally_.maximum_square); }

double Defect::rms() const {
  return tally_.count ? std::sqrt(tally_.sum_of_squares / static_cast<double>(tally_.count)) : 0.0;
}

double Defect::scale() const {
  double sum = 0.0;
  for (double spread : spreads_) sum += spread;
  return tally_.count ? std::sqrt(sum / static_cast<double>(tally_.count)) : 0.0;
}

}  // namespace counterpoint
