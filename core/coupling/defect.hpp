#pragma once

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
  /// All that lasts, apart from the rows themselves.
  struct Tally {
    explicit Tally(int width = 0) : mean(width), spread(width) {}
    double compared_for = -Polynomial::infinity;  ///< the source's sample of the last assumption
    std::size_t first = 0;                        ///< where the oldest assumption that is pending begins
    std::vector<double> assumed;                  ///< rows (t, assumed), rarely more than two
    long count = 0;
    double sum_of_squares = 0.0;
    double maximum_square = 0.0;
    double time_of_maximum = 0.0;
    double magnitude = 0.0;
    std::vector<double> mean;
    std::vector<double> spread;
    std::size_t rows = 0;  ///< written so far; set by `save`
  };

  explicit Defect(int width)
      : width_(width), tally_(width), values_(width), truth_(width), rows_(1 + 2 * width) {}

  /// Whether to assume at the end of the consumer's step: the step after it will end at `following`, and
  /// the source publishes (or has published) its next sample at `source_next`.
  bool wants(double following, double source_next, double tolerance) const {
    return following > source_next + tolerance && source_next > tally_.compared_for + tolerance;
  }
  void assume(const Polynomial& polynomial, double t, double source_next) {
    tally_.compared_for = source_next;
    polynomial.evaluate(t, values_.data());
    tally_.assumed.push_back(t);
    for (double value : values_) tally_.assumed.push_back(value);
  }

  bool pending() const { return tally_.first < tally_.assumed.size(); }
  double pending_time() const { return tally_.assumed[tally_.first]; }

  /// Compare what is pending with the samples that have been published, as far as they reach.
  void arrive(const Samples& samples, double gain, double offset);

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

  void save(Tally& into) const {
    into = tally_;
    into.rows = rows_.total();
  }
  void restore(const Tally& saved) {
    tally_ = saved;
    rows_.shrink(saved.rows);
  }

 private:
  void compare(double t, const double* assumed, const Samples& samples, double gain, double offset);
  void interpolate(const Samples& samples, double t);

  int width_;
  Tally tally_;
  std::vector<double> values_;  ///< scratch
  Polynomial truth_;
  RowBuffer rows_;
};

}  // namespace counterpoint
