#include "coupling/fast/derived_comparison.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint::fast {

void DerivedComparison::compare(Comparison& comparison, const Connection& c, std::size_t consumer_samples) {
  if (comparison.keeps_) return keep(comparison, c, consumer_samples);
  if (c.reads_earlier) return compare_repeated(comparison, c, consumer_samples);
  const LineInput input(c);
  const std::size_t last = std::min(input.history->end(), consumer_samples) - 1;
  return input.sloped ? compare_sloped(comparison, input, last) : compare_held(comparison, input, last);
}

/// All numbers are at hand meanwhile: in many runs this is done for every step.
void DerivedComparison::compare_sloped(Comparison& comparison, const LineInput& input, std::size_t last) {
  if (last <= comparison.place_) return;
  const History& source = *input.history;
  Defect& defect = comparison.defect;
  double* row = defect.rows_.extend(last - comparison.place_);
  Defect::Tally tally = defect.tally_;
  Defect::Spread spread = defect.spreads_[0];
  for (std::size_t sample = comparison.place_ + 1; sample <= last; ++sample, row += 3) {
    row[0] = source.time(sample);
    row[1] = input.from_sample(sample - 1).at(row[0]);
    row[2] = input.scaled(source.value(sample)[input.column]);
    if (++tally.count == 1) spread.about = row[2];
    tally.add(Defect::weigh(row[1], row[2], tally, spread), row[0]);
  }
  comparison.place_ = last;
  comparison.compared_for_ = source.time(last);
  defect.tally_ = tally;
  defect.spreads_[0] = spread;
}

/// What was assumed for a sample is that sample of the pass before.
void DerivedComparison::compare_repeated(Comparison& comparison, const Connection& c, std::size_t consumer_samples) {
  const LineInput assumed(c);
  const History& source = *c.present;
  const std::size_t last = std::min(source.end(), consumer_samples) - 1;
  if (last <= comparison.place_) return;
  Defect& defect = comparison.defect;
  const bool keeps = defect.derived.keeps_assumed();
  double* row = defect.rows_.extend(last - comparison.place_);
  Defect::Tally tally = defect.tally_;
  Defect::Spread spread = defect.spreads_[0];
  for (std::size_t sample = comparison.place_ + 1; sample <= last; ++sample) {
    const double t = source.time(sample);
    const double expected = assumed.from_sample(sample).at(t);
    const double arrived = assumed.scaled(source.value(sample)[assumed.column]);
    if (!keeps) *row++ = t;
    *row++ = expected;
    if (!keeps) *row++ = arrived;
    if (++tally.count == 1) spread.about = arrived;
    tally.add(Defect::weigh(expected, arrived, tally, spread), t);
  }
  comparison.place_ = last;
  comparison.compared_for_ = source.time(last);
  defect.tally_ = tally;
  defect.spreads_[0] = spread;
}

/// See above for what was assumed.
void DerivedComparison::keep(Comparison& comparison, const Connection& c, std::size_t consumer_samples) {
  const History& source = *c.present;
  const std::size_t last = std::min(source.end(), consumer_samples) - 1;
  if (last <= comparison.place_) return;
  const LineInput assumed(c);
  const std::size_t before = c.reads_earlier ? 0 : 1;
  double* kept = comparison.kept_.extend(last - comparison.place_);
  if (assumed.sloped) {
    for (std::size_t sample = comparison.place_ + 1; sample <= last; ++sample)
      *kept++ = assumed.from_sample(sample - before).at(source.time(sample));
  } else {
    keep_held(assumed, comparison.place_ + 1 - before, last + 1 - before, kept);
  }
  comparison.place_ = last;
  comparison.compared_for_ = source.time(last);
}

/// The same, short: samples [first, end).
void DerivedComparison::keep_held(const LineInput& assumed, std::size_t first, std::size_t end, double* kept) {
  const std::size_t width = static_cast<std::size_t>(assumed.history->width());
  double* const begin = kept;
  while (first < end) {
    const std::size_t count = std::min(end - first, assumed.history->in_a_row(first));
    const double* value = assumed.history->value(first) + assumed.column;
    for (double* const last = kept + count; kept != last; value += width) *kept++ = *value;
    first += count;
  }
  if (!assumed.scales) return;
  for (double* value = begin; value != kept; ++value) *value = assumed.scaled(*value);
}

void DerivedComparison::compare_held(Comparison& comparison, const LineInput& input, std::size_t last) {
  std::size_t& place = comparison.place_;
  if (last <= place) return;
  const History& source = *input.history;
  Defect& defect = comparison.defect;
  if (!defect.derived.is_used()) write_held(comparison, input, last);
  if (defect.tally_.count == 0) defect.spreads_[0].about = input.scaled(source.value(place + 1)[input.column]);
  double before = input.scaled(source.value(place)[input.column]);
  while (place < last) {  // up to the end of the ring, and from its beginning
    const std::size_t first = place + 1;
    const std::size_t count = std::min(last - place, source.mask() + 1 - (first & source.mask()));
    before = add_held(defect, source.value(first) + input.column, source.times() + (first & source.mask()), count,
                      input, before);
    place += count;
  }
  comparison.compared_for_ = source.time(last);
}

/// Count in samples that lie one after another; returns what arrived last.
double DerivedComparison::add_held(Defect& defect, const double* values, const double* times, std::size_t count,
                                   const LineInput& input, double first_before) {
  const std::size_t width = static_cast<std::size_t>(input.history->width());
  Defect::Tally& tally = defect.tally_;
  double sum = tally.sum_of_squares, maximum = tally.maximum_square, magnitude = tally.magnitude;
  Defect::Spread spread = defect.spreads_[0];
  double before = first_before;
  const double* const end = values + count * width;
  for (const double* value = values; value != end; value += width) {
    const double arrived = input.scaled(*value);
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
  if (maximum > tally.maximum_square) {
    double last = first_before;
    for (const double* value = values;; value += width, ++times) {
      const double arrived = input.scaled(*value);
      const double difference = last - arrived;
      if (difference * difference == maximum) break;
      last = arrived;
    }
    tally.time_of_maximum = *times;
  }
  tally.count += static_cast<long>(count);
  tally.sum_of_squares = sum;
  tally.maximum_square = maximum;
  tally.magnitude = magnitude;
  defect.spreads_[0] = spread;
  return before;
}

void DerivedComparison::write_held(Comparison& comparison, const LineInput& input, std::size_t last) {
  const History& source = *input.history;
  double* row = comparison.defect.rows_.extend(last - comparison.place_);
  for (std::size_t sample = comparison.place_ + 1; sample <= last; ++sample, row += 3) {
    row[0] = source.time(sample);
    row[1] = input.scaled(source.value(sample - 1)[input.column]);
    row[2] = input.scaled(source.value(sample)[input.column]);
  }
}

}  // namespace counterpoint::fast
