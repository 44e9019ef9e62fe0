#include "coupling/defect.hpp"

#include <algorithm>
#include <cmath>

#include "signal/newton.hpp"
#include "signal/smooth_stretch.hpp"

namespace counterpoint {

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] void Defect::arrive(const Samples& samples, double gain, double offset) {
  while (pending() && samples.time(samples.last()) >= pending_time() - samples.tolerance) {
    compare(pending_time(), &assumed_[first_ + 1], samples, gain, offset);
    first_ += 1 + width_;
  }
  if (!pending()) first_ = last_ = 0;
}

void Defect::arrive_held(std::size_t last, const Wire& wire) {
  if (last <= place_) return;
  const History& source = *wire.history;
  if (keeps_rows_) write_held(last, wire);
  if (tally_.count == 0) spreads_[0].about = wire.scaled(source.value(place_ + 1)[wire.column]);
  double before = wire.scaled(source.value(place_)[wire.column]);
  while (place_ < last) {  // up to the end of the ring, and from its beginning
    const std::size_t first = place_ + 1;
    const std::size_t count = std::min(last - place_, source.mask() + 1 - (first & source.mask()));
    before = add_held(source.value(first) + wire.column, source.times() + (first & source.mask()), count, wire, before);
    place_ += count;
  }
  compared_for_ = source.time(last);
}

/// All numbers are at hand meanwhile: in many runs this is done for every step of everybody.
double Defect::add_held(const double* values, const double* times, std::size_t count, const Wire& wire,
                        double first_before) {
  const std::size_t width = static_cast<std::size_t>(wire.history->width());
  double sum = tally_.sum_of_squares, maximum = tally_.maximum_square, magnitude = tally_.magnitude;
  Spread spread = spreads_[0];
  double before = first_before;
  const double* const end = values + count * width;
  for (const double* value = values; value != end; value += width) {
    const double arrived = wire.scaled(*value);
    const double difference = before - arrived;
    const double from_first = arrived - spread.about;
    const double square = difference * difference;
    sum += square;
    maximum = std::max(maximum, square);
    magnitude = std::max(magnitude, std::abs(arrived));
    spread.sum += from_first;
    spread.squares += from_first * from_first;
    before = arrived;
  }
  if (maximum > tally_.maximum_square) {
    double last = first_before;
    for (const double* value = values;; value += width, ++times) {
      const double arrived = wire.scaled(*value);
      const double difference = last - arrived;
      if (difference * difference == maximum) break;
      last = arrived;
    }
    tally_.time_of_maximum = *times;
  }
  tally_.count += static_cast<long>(count);
  tally_.sum_of_squares = sum;
  tally_.maximum_square = maximum;
  tally_.magnitude = magnitude;
  spreads_[0] = spread;
  return before;
}

void Defect::write_held(std::size_t last, const Wire& wire) {
  const History& source = *wire.history;
  double* row = rows_.extend(last - place_);
  for (std::size_t sample = place_ + 1; sample <= last; ++sample, row += 3) {
    row[0] = source.time(sample);
    row[1] = wire.scaled(source.value(sample - 1)[wire.column]);
    row[2] = wire.scaled(source.value(sample)[wire.column]);
  }
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
    if (tally_.count == 1) spreads_[j].about = value;
    squares += weigh(assumed[j], value, tally_, spreads_[j]);
  }
  tally_.add(squares, t);
}

const double* Defect::published(const Samples& samples, double t) {
  const std::size_t found = behind(samples, t);
  if (std::abs(samples.time(found) - t) > samples.tolerance) return interpolated(samples, found, t);
  // Who assumed something for the end of a step did so for the time before a jump.
  const double* before = samples.before_jump(found);
  return before != nullptr ? before : samples.value(found);
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
  const ConsumerStep before{-Polynomial::infinity, t, -Polynomial::infinity, nullptr};
  const Samples smooth = smooth_stretch(samples, before, t, 4).samples;
  newton_through(smooth, newest, available(smooth, newest, 4), truth_);
  truth_.evaluate(t, values_.data());
  return values_.data();
}

void Defect::save(Saved& into) const {
  into.compared_for = compared_for_;
  into.pending.assign(assumed_.begin() + static_cast<long>(first_), assumed_.begin() + static_cast<long>(last_));
  into.tally = tally_;
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
  spreads_ = saved.spreads;
  place_ = saved.place;
  rows_.shrink(saved.rows);
}

double Defect::maximum() const { return std::sqrt(tally_.maximum_square); }

double Defect::rms() const {
  return tally_.count ? std::sqrt(tally_.sum_of_squares / static_cast<double>(tally_.count)) : 0.0;
}

double Defect::scale() const {
  if (tally_.count == 0) return 0.0;
  const double count = static_cast<double>(tally_.count);
  double sum = 0.0;
  for (const Spread& spread : spreads_) sum += spread.squares - spread.sum * spread.sum / count;
  return std::sqrt(std::max(sum, 0.0) / count);
}

}  // namespace counterpoint
