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
  explicit Defect(int width)
      : width_(width), moments_(width), values_(width), truth_(width), rows_(1 + 2 * width) {}

  /// Whether to assume at the end of the consumer's step: the step after it will end at `following`, and
  /// the source publishes (or has published) its next sample at `source_next`.
  bool wants(double following, double source_next, double tolerance) const {
    return following > source_next + tolerance && source_next > compared_for_ + tolerance;
  }
  void assume(const Polynomial& polynomial, double t, double source_next) {
    compared_for_ = source_next;
    const std::size_t row = last_;
    last_ += 1 + width_;
    if (last_ > assumed_.size()) enlarge();
    double* place = assumed_.data() + row;
    place[0] = t;
    polynomial.evaluate(t, place + 1);
  }

  bool pending() const { return first_ < last_; }
  /// Whether so much is pending that it should be compared, should the samples be there.
  bool full() const { return last_ - first_ >= most_pending * static_cast<std::size_t>(1 + width_); }
  double pending_time() const { return assumed_[first_]; }

  /// Compare what is pending with the samples that have been published, as far as they reach.
  void arrive(const Samples& samples, double gain, double offset);

  long count() const { return count_; }
  double maximum() const;
  double time_of_maximum() const { return time_of_maximum_; }
  /// Root mean square of the defect.
  double rms() const;
  /// Root mean square of the arrived signal about its mean: what the defect is to be measured against.
  double scale() const;
  /// Largest absolute value that arrived.
  double magnitude() const { return magnitude_; }

  /// Rows (t, assumed, arrived) since the last call, 1 + 2 width columns.
  std::size_t row_count() const { return rows_.rows(); }
  std::vector<Rows> take_rows() { return rows_.take(); }

  /// All that lasts, apart from the rows themselves.
  struct Saved;
  void save(Saved& into) const;
  void restore(const Saved& saved);

 private:
  void enlarge();
  void compare(double t, const double* assumed, const Samples& samples, double gain, double offset);
  void compare_scalars(const Samples& samples, double gain, double offset);
  /// What the source has published for time t: a sample, or between samples a cubic.
  const double* published(const Samples& samples, double t);
  /// The last sample not later than t, or the first one when all are later; looked for from the last place on.
  std::size_t behind(const Samples& samples, double t);
  const double* interpolated(const Samples& samples, std::size_t found, double t);

  struct Moments {
    double mean = 0.0;
    double spread = 0.0;  ///< sum of squares about the mean
  };

  static constexpr std::size_t most_pending = 256;

  int width_;
  std::size_t place_ = 0;  ///< the sample that was found last
  double compared_for_ = -Polynomial::infinity;  ///< the source's sample of the last assumption
  std::size_t first_ = 0;                        ///< where the oldest assumption that is pending begins
  std::size_t last_ = 0;                         ///< behind the newest
  std::vector<double> assumed_;                  ///< rows (t, assumed), rarely more than two, and room for more
  long count_ = 0;
  double sum_of_squares_ = 0.0;
  double maximum_square_ = 0.0;
  double time_of_maximum_ = 0.0;
  double magnitude_ = 0.0;
  std::vector<Moments> moments_;  ///< of what arrived
  std::vector<double> values_;  ///< scratch
  Polynomial truth_;
  RowBuffer rows_;
};

struct Defect::Saved {
  double compared_for = 0.0;
  std::vector<double> pending;  ///< rows (t, assumed)
  long count = 0;
  double sum_of_squares = 0.0, maximum_square = 0.0, time_of_maximum = 0.0, magnitude = 0.0;
  std::vector<Moments> moments;
  std::size_t rows = 0;
};

}  // namespace counterpoint
