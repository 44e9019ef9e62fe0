#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "coupling/fast/derived_rows.hpp"
#include "coupling/indicator.hpp"
#include "coupling/rows.hpp"

namespace counterpoint {

namespace fast {
struct DerivedComparison;
struct NewestComparison;
}  // namespace fast

/// The interface defect of one connection: what the consumer assumed against what arrived, in numbers and as rows.
class Defect final : public Indicator {
 public:
  explicit Defect(int width) : spreads_(width), rows_(1 + 2 * width) {}

  void arrived(const Arrival& arrival) override {
    const int width = arrival.width;
    double* row = rows_.extend();
    row[0] = arrival.t;
    ++tally_.count;
    double squares = 0.0;
    for (int j = 0; j < width; ++j) {
      row[1 + j] = arrival.assumed[j];
      row[1 + width + j] = arrival.arrived[j];
      if (tally_.count == 1) spreads_[j].about = arrival.arrived[j];
      squares += weigh(arrival.assumed[j], arrival.arrived[j], tally_, spreads_[j]);
    }
    tally_.add(squares, arrival.t);
  }

  long count() const { return tally_.count; }
  double maximum() const { return std::sqrt(tally_.maximum_square); }
  double time_of_maximum() const { return tally_.time_of_maximum; }
  /// Root mean square of the defect.
  double rms() const;
  /// Root mean square of the arrived signal about its mean: what the defect is to be measured against.
  double scale() const;
  /// Largest absolute value that arrived.
  double magnitude() const { return tally_.magnitude; }

  /// Rows (t, assumed, arrived) since the last call, 1 + 2 width columns.
  std::size_t row_count() const { return derived.keeps_assumed() ? derived.count() : rows_.rows() + derived.count(); }
  std::vector<Rows> take_rows() {
    if (!derived.is_used()) return rows_.take();
    give_assumed();
    return derived.take_made(compared());
  }
  std::vector<fast::DerivedRows> take_derived() {
    give_assumed();
    return derived.take(compared());
  }
  /// Rows derived from those of the source instead of stored.
  fast::DerivedDefectRows derived;
  /// Derive them from now on, before there are any.
  void derive(const fast::LineInput& input, fast::DerivedDefectRows::Assumed assumed) {
    derived.use(input, assumed);
    if (derived.keeps_assumed()) rows_ = RowBuffer(1);
  }

  /// Sums of one component of what arrived, about the first value. That is one of them, so that the variance is never
  /// so much smaller than the square of the mean that digits are lost: by a factor of their number at most.
  struct Spread {
    double about = 0.0;
    double sum = 0.0;
    double squares = 0.0;
  };
  struct Tally {
    long count = 0;
    double sum_of_squares = 0.0;
    double maximum_square = 0.0;
    double time_of_maximum = 0.0;
    double magnitude = 0.0;
    void add(double square, double t) {
      sum_of_squares += square;
      if (square > maximum_square) {
        maximum_square = square;
        time_of_maximum = t;
      }
    }
  };

 private:
  friend class Comparison;  // which saves and restores both
  friend struct fast::DerivedComparison;

  std::size_t compared() const { return static_cast<std::size_t>(tally_.count); }
  void give_assumed() {
    if (derived.keeps_assumed()) derived.keep_assumed(rows_.take());
  }
  /// Count one component in and return the square of its defect.
  static double weigh(double assumed, double arrived, Tally& tally, Spread& spread) {
    const double from_first = arrived - spread.about;
    spread.sum += from_first;
    spread.squares += from_first * from_first;
    tally.magnitude = std::max(tally.magnitude, std::abs(arrived));
    const double difference = assumed - arrived;
    return difference * difference;
  }

  Tally tally_;
  std::vector<Spread> spreads_;
  RowBuffer rows_;  ///< (t, assumed, arrived); what was assumed alone where `derived` keeps it
};

}  // namespace counterpoint
