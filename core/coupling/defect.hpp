#pragma once

#include <vector>

#include "coupling/inputs.hpp"
#include "coupling/rows.hpp"

namespace counterpoint {

/// The interface defect of one connection: what the consumer assumed against what arrived.
///
/// A consumer that extrapolates leaves its assumption about the end of its step here; when the source
/// has published so far, the two are compared, in units of the input (after gain and offset). One
/// assumption is kept at a time, so a connection costs constant time and memory per step.
class Defect {
 public:
  explicit Defect(int width)
      : width_(width), assumed_(width), mean_(width), spread_(width), arrived_(width), truth_(width) {}

  bool pending() const { return pending_; }
  double pending_time() const { return time_; }

  void assume(const Polynomial& polynomial, double t) {
    polynomial.evaluate(t, assumed_.data());
    time_ = t;
    pending_ = true;
  }

  /// Compare with the samples published since; `samples` must reach the pending time.
  void arrive(const Samples& samples, double gain, double offset);

  long count() const { return count_; }
  double maximum() const;
  double time_of_maximum() const { return time_of_maximum_; }
  /// Root mean square of the defect.
  double rms() const;
  /// Root mean square of the arrived signal about its mean: what the defect is to be measured against.
  double scale() const;

  /// Rows (t, assumed, arrived) since the last call, 1 + 2 width columns.
  Rows take_rows() { return rows_.take(); }

 private:
  void interpolate(const Samples& samples);

  int width_;
  bool pending_ = false;
  double time_ = 0.0;
  long count_ = 0;
  double sum_of_squares_ = 0.0;
  double maximum_square_ = 0.0;
  double time_of_maximum_ = 0.0;
  std::vector<double> assumed_;
  std::vector<double> mean_;
  std::vector<double> spread_;
  std::vector<double> arrived_;
  Polynomial truth_;
  RowBuffer rows_;
};

}  // namespace counterpoint
