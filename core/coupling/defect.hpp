#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "coupling/inputs.hpp"
#include "coupling/rows.hpp"

namespace counterpoint {

/// The interface defect of one connection: what the consumer assumed against what arrived.
///
/// A consumer that extrapolates leaves here what it assumed for the end of a step: once for every sample
/// that the source publishes, at the last step end not beyond that sample (or, where a step spans it, at
/// the end of that step). When the source has published so far the two are compared, in units of the
/// input (after gain and offset). All of this follows from times, so it does not depend on the order in
/// which subsystems happened to step.
class Defect {
 public:
  explicit Defect(int width) : width_(width), spreads_(width), values_(width), truth_(width), rows_(1 + 2 * width) {}

  /// Whether to assume at the end of the consumer's step: the step after it will end at `following`, and
  /// the source publishes (or has published) its next sample at `source_next`.
  bool wants(double following, double source_next, double tolerance) const {
    return following > source_next + tolerance && source_next > compared_for_ + tolerance;
  }
  void assume(const Polynomial& polynomial, double t, double source_next) {
    compared_for_ = source_next;
    const std::size_t row = last_;
    last_ += 1 + width_;
    if (last_ > assumed_.size()) assumed_.resize(2 * last_);
    assumed_[row] = t;
    polynomial.evaluate(t, &assumed_[row + 1]);
  }

  bool pending() const { return first_ < last_; }
  /// Whether so much is pending that it should be compared, should the samples be there.
  bool full() const { return last_ - first_ >= most_pending * static_cast<std::size_t>(1 + width_); }
  double pending_time() const { return assumed_[first_]; }

  /// Compare what is pending with the samples that have been published, as far as they reach.
  void arrive(const Samples& samples, double gain, double offset);

  struct Comparison {
    double t, assumed, arrived;
  };
  /// The same for a scalar whose consumer and source step together: compare up to the sample numbered `last`;
  /// `at(sample)` says what was assumed for it and what arrived. All numbers are at hand meanwhile: in many runs this
  /// is done for every step of everybody.
  template <class At>
  void arrive_in_step(std::size_t last, const At& at) {
    if (last <= place_) return;
    double* row = keeps_rows_ ? rows_.extend(last - place_) : nullptr;
    Tally tally = tally_;
    Spread spread = spreads_[0];
    double t = compared_for_;
    for (std::size_t sample = place_ + 1; sample <= last; ++sample) {
      const Comparison found = at(sample);
      t = found.t;
      if (row != nullptr) {
        row[0] = t;
        row[1] = found.assumed;
        row[2] = found.arrived;
        row += 3;
      }
      if (++tally.count == 1) spread.about = found.arrived;
      tally.add(weigh(found.assumed, found.arrived, tally, spread), t);
    }
    place_ = last;
    compared_for_ = t;
    tally_ = tally;
    spreads_[0] = spread;
  }

  /// The same where the input is held, which is most often: what arrived at one sample was assumed for the next.
  void arrive_held(std::size_t last, const Wire& wire);

  /// Rows are not kept: they follow from what the source records.
  void leave_rows_out() { keeps_rows_ = false; }
  bool keeps_rows() const { return keeps_rows_; }

  long count() const { return tally_.count; }
  double maximum() const;
  double time_of_maximum() const { return tally_.time_of_maximum; }
  /// Root mean square of the defect.
  double rms() const;
  /// Root mean square of the arrived signal about its mean: what the defect is to be measured against.
  double scale() const;
  /// Largest absolute value that arrived.
  double magnitude() const { return tally_.magnitude; }

  /// Rows (t, assumed, arrived) since the last call, 1 + 2 width columns.
  std::size_t row_count() const { return rows_.rows(); }
  std::vector<Rows> take_rows() { return rows_.take(); }

  /// Sums of one component of what arrived, about the first value. That is one of them, so that the variance is never
  /// so much smaller than the square of the mean that digits are lost: by a factor of their number at most.
  struct Spread {
    double about = 0.0;
    double sum = 0.0;
    double squares = 0.0;
  };

  /// All that lasts, apart from the rows themselves.
  struct Saved;
  void save(Saved& into) const;
  void restore(const Saved& saved);

 private:
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
  /// Count one component in and return the square of its defect.
  static double weigh(double assumed, double arrived, Tally& tally, Spread& spread) {
    const double from_first = arrived - spread.about;
    spread.sum += from_first;
    spread.squares += from_first * from_first;
    tally.magnitude = std::max(tally.magnitude, std::abs(arrived));
    const double difference = assumed - arrived;
    return difference * difference;
  }

  /// Count in samples that lie one after another; returns what arrived last.
  double add_held(const double* values, const double* times, std::size_t count, const Wire& wire, double first_before);
  void write_held(std::size_t last, const Wire& wire);
  void compare(double t, const double* assumed, const Samples& samples, double gain, double offset);
  /// What the source has published for time t: a sample, or between samples a cubic.
  const double* published(const Samples& samples, double t);
  /// The last sample not later than t, or the first one when all are later; looked for from the last place on.
  std::size_t behind(const Samples& samples, double t);
  const double* interpolated(const Samples& samples, std::size_t found, double t);

  static constexpr std::size_t most_pending = 256;

  int width_;
  std::size_t place_ = 0;                        ///< the sample that was compared last
  double compared_for_ = -Polynomial::infinity;  ///< the source's sample of the last assumption
  std::size_t first_ = 0;                        ///< where the oldest assumption that is pending begins
  std::size_t last_ = 0;                         ///< behind the newest
  std::vector<double> assumed_;                  ///< rows (t, assumed) that are pending, and room for more
  Tally tally_;
  std::vector<Spread> spreads_;
  std::vector<double> values_;  ///< scratch
  Polynomial truth_;
  bool keeps_rows_ = true;
  RowBuffer rows_;
};

struct Defect::Saved {
  double compared_for = 0.0;
  std::vector<double> pending;  ///< rows (t, assumed)
  Tally tally;
  std::vector<Spread> spreads;
  std::size_t place = 0;
  std::size_t rows = 0;
};

}  // namespace counterpoint
