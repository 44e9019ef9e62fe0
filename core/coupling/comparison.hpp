#pragma once

#include <vector>

#include "coupling/connection.hpp"
#include "coupling/defect.hpp"
#include "coupling/indicator.hpp"

namespace counterpoint {

/// Values that a consumer assumed for one source, kept until the samples arrive; then the indicators are told.
///
/// A consumer that extrapolates stores the value that it assumed for the end of a step: once per sample of the source,
/// at the last step end not beyond that sample (or at the end of the step that spans it). When the source has published
/// up to that time, the two values are compared in units of the input (after gain and offset). All of this depends on
/// times alone, not on the order in which participants step.
class Comparison {
 public:
  Comparison(int connection, int width)
      : defect(width), connection_(connection), width_(width), kept_(1 + width), arrived_(width), truth_(width) {}

  /// Whether to store an assumed value at the end of the consumer's step, if the next step will end at `following` and
  /// the next sample of the source is (or will be) at `source_next`.
  bool wants(double following, double source_next, double tolerance) const {
    return following > source_next + tolerance && source_next > compared_for_ + tolerance;
  }
  void assume(const Polynomial& polynomial, double t, double source_next) {
    compared_for_ = source_next;
    double* row = keeps_ ? kept_.extend() : next_pending();
    row[0] = t;
    polynomial.evaluate(t, row + 1);
  }

  bool pending() const { return first_ < last_; }
  std::size_t pending_rows() const { return (last_ - first_) / (1 + static_cast<std::size_t>(width_)); }
  double pending_time() const { return assumed_[first_]; }

  /// To be called before anything is compared: keep the assumed values instead of comparing them; the arrived values
  /// are in the record (fast/deferred_comparison.hpp).
  void keep_assumed() { keeps_ = true; }
  bool keeps_assumed() const { return keeps_; }
  /// The same at the end of every step, where source and consumer step together: the sample gives the time.
  void keep_assumed_of_samples() {
    keeps_ = true;
    keeps_times_ = false;
    kept_ = RowBuffer(width_);
  }
  /// Rows (t, assumed) that were kept; `keep_assumed_of_samples`: rows (assumed), one per sample after the initial one.
  std::vector<Rows> take_kept() { return kept_.take(); }
  bool keeps_times() const { return keeps_times_; }
  /// From now on tell only the other indicators: the defect is computed from the record.
  void leave_defect();

  /// From now on values stay pending (true), because their samples are not final, or are compared again (false). Other
  /// indicators than the defect are told at once in any case.
  void hold(bool holds) { holds_ = holds && indicators_.empty(); }

  /// Compare pending values with what the source of the connection has published so far.
  void arrive(const Connection& c);

  Defect defect;
  /// Also tell this indicator.
  void add(Indicator& indicator) { indicators_.push_back(&indicator); }
  bool has_more_indicators() const { return !indicators_.empty(); }

  /// The complete state, except the rows themselves.
  struct Saved {
    double compared_for = 0.0;
    std::vector<double> pending;  ///< rows (t, assumed)
    std::size_t kept = 0;         ///< numbers of such rows that are kept
    Defect::Tally tally;
    std::vector<Defect::Spread> spreads;
    std::size_t place = 0;
    std::size_t rows = 0;
  };
  void save(Saved& into) const {
    into.compared_for = compared_for_;
    into.kept = kept_.total();
    into.place = place_;
    into.pending.clear();
    if (!keeps_) save_compared(into);
  }
  void restore(const Saved& saved, double t);
  /// The state that counts for the defect: the present one, or the one when `leave_defect` was called.
  void save_for_defect(Saved& into) const;

 private:
  friend struct fast::DerivedComparison;
  friend struct fast::NewestComparison;

  double* next_pending() {
    const std::size_t row = last_;
    last_ += 1 + width_;
    if (last_ > assumed_.size()) assumed_.resize(2 * last_);
    return &assumed_[row];
  }
  void save_compared(Saved& into) const;
  void compare(double t, const double* assumed, const Samples& samples, const Connection& c);
  /// Tell the indicators other than the defect; the sample is the one that was compared.
  void tell(Arrival& arrival, const Samples& samples);
  /// The published value at time t: a sample, or a cubic between samples.
  const double* published(const Samples& samples, double t);
  /// The last sample not later than t, or the first one if all are later; the search begins at the last place.
  std::size_t behind(const Samples& samples, double t);
  const double* interpolated(const Samples& samples, std::size_t found, double t);

  int connection_;
  int width_;
  bool holds_ = false;
  bool keeps_ = false;
  bool keeps_times_ = true;
  bool leaves_defect_ = false;
  Saved when_left_;
  RowBuffer kept_;                               ///< rows (t, assumed), or (assumed)
  std::size_t place_ = 0;                        ///< the sample that was compared last
  double compared_for_ = -Polynomial::infinity;  ///< the source's sample of the last assumption
  std::size_t first_ = 0;                        ///< where the oldest assumption that is pending begins
  std::size_t last_ = 0;                         ///< behind the newest
  std::vector<double> assumed_;                  ///< rows (t, assumed) that are pending, and room for more
  std::vector<double> arrived_;                  ///< scratch
  Polynomial truth_;
  std::vector<Indicator*> indicators_;
};

}  // namespace counterpoint
