#include "coupling/comparison.hpp"

#include <algorithm>

#include "coupling/fast/newest_comparison.hpp"
#include "signal/newton.hpp"
#include "signal/smooth_stretch.hpp"

namespace counterpoint {

namespace {

/// Field by field: a copy of what the connection uses would wait for the numbers that were written a moment ago.
Samples all_published(const Connection& c) {
  Samples all;
  all.history = c.present;
  all.begin = c.present->begin();
  all.end = c.present->end();
  all.column = c.samples.column;
  all.width = c.samples.width;
  all.tolerance = c.samples.tolerance;
  return all;
}

}  // namespace

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] void Comparison::arrive(const Connection& c) {
  if (!pending() || holds_ || fast::NewestComparison::make(*this, c)) return;
  const Samples samples = all_published(c);
  while (pending() && samples.time(samples.last()) >= pending_time() - samples.tolerance) {
    compare(pending_time(), &assumed_[first_ + 1], samples, c);
    first_ += 1 + width_;
  }
  if (!pending()) first_ = last_ = 0;
}

void Comparison::compare(double t, const double* assumed, const Samples& samples, const Connection& c) {
  const double* values = published(samples, t);
  for (int j = 0; j < width_; ++j) arrived_[j] = c.scaled(values[j]);
  Arrival arrival{t, t, assumed, arrived_.data(), connection_, width_};
  if (!leaves_defect_) defect.arrived(arrival);
  if (!indicators_.empty()) tell(arrival, samples);
}

[[gnu::noinline]] void Comparison::tell(Arrival& arrival, const Samples& samples) {
  const bool between = samples.time(place_) < arrival.t - samples.tolerance;
  arrival.sample = samples.time(between ? std::min(place_ + 1, samples.last()) : place_);
  for (Indicator* indicator : indicators_) indicator->arrived(arrival);
}

const double* Comparison::published(const Samples& samples, double t) {
  const std::size_t found = behind(samples, t);
  // Rounded as in `arrive` and `behind`: whether a sample is at t must not depend on how many came after it.
  const double time = samples.time(found);
  if (time < t - samples.tolerance || time > t + samples.tolerance) return interpolated(samples, found, t);
  // What was assumed for the end of a step was assumed for the time before a jump.
  const double* before = samples.before_jump(found);
  return before != nullptr ? before : samples.value(found);
}

std::size_t Comparison::behind(const Samples& samples, double t) {
  // Most often the sample that was waited for is the newest one: many small steps need not be walked over.
  if (samples.time(samples.last()) <= t + samples.tolerance) return place_ = samples.last();
  std::size_t k = std::clamp(place_, samples.begin, samples.last());
  while (k < samples.last() && samples.time(k + 1) <= t + samples.tolerance) ++k;
  while (k > samples.begin && samples.time(k) > t + samples.tolerance) --k;
  return place_ = k;
}

[[gnu::noinline]] const double* Comparison::interpolated(const Samples& samples, std::size_t found, double t) {
  // A cubic that ends with the first sample after t: later ones may or may not be there yet.
  const std::size_t newest = std::min(found + 1, samples.last());
  const ConsumerStep before{-Polynomial::infinity, t, -Polynomial::infinity, nullptr};
  const Samples smooth = smooth_stretch(samples, before, t, 4).samples;
  newton_through(smooth, newest, available(smooth, newest, 4), truth_);
  truth_.evaluate(t, arrived_.data());
  return arrived_.data();
}

/// Where what was assumed is kept, nothing is pending or compared.
void Comparison::save_compared(Saved& into) const {
  if (pending())
    into.pending.assign(assumed_.begin() + static_cast<long>(first_), assumed_.begin() + static_cast<long>(last_));
  into.tally = defect.tally_;
  const std::size_t width = defect.spreads_.size();
  if (into.spreads.size() != width) into.spreads.resize(width);
  for (std::size_t j = 0; j < width; ++j) into.spreads[j] = defect.spreads_[j];
  into.rows = defect.rows_.total();
}

void Comparison::leave_defect() {
  save(when_left_);
  leaves_defect_ = true;
}

void Comparison::save_for_defect(Saved& into) const {
  if (leaves_defect_) {
    into = when_left_;
  } else {
    save(into);
  }
}

void Comparison::restore(const Saved& saved, double t) {
  compared_for_ = saved.compared_for;
  first_ = 0;
  last_ = saved.pending.size();
  if (last_ > assumed_.size()) assumed_.resize(last_);
  std::copy(saved.pending.begin(), saved.pending.end(), assumed_.begin());
  kept_.shrink(saved.kept);
  defect.tally_ = saved.tally;
  std::copy(saved.spreads.begin(), saved.spreads.end(), defect.spreads_.begin());
  place_ = saved.place;
  defect.rows_.shrink(saved.rows);
  for (Indicator* indicator : indicators_) indicator->returned_to(t);
}

}  // namespace counterpoint
