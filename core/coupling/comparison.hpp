#pragma once

#include <vector>

#include "coupling/connection.hpp"
#include "coupling/defect.hpp"
#include "coupling/indicator.hpp"

namespace counterpoint {

/// What a consumer assumed of one source until the sample arrives, and which indicators are told then.
///
/// A consumer that extrapolates leaves here what it assumed for the end of a step: once per sample
/// that the source publishes, at the last step end not beyond that sample (or, where a step spans it, at
/// the end of that step). When the source has published so far the two are compared, in units of the
/// input (after gain and offset). All of this follows from times, so it does not depend on the order in
/// which participants happened to step.
class Comparison {
 public:
  Comparison(int connection, int width)
      : defect(width), connection_(connection), width_(width), kept_(1 + width), arrived_(width), truth_(width) {}

  /// Whether to assume at the end of the consumer's step: the step after it will end at `following`, and
  /// the source publishes (or has published) its next sample at `source_next`.
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

  /// Before anything is compared: do not, but keep what was assumed: what arrived is recorded
  /// (fast/deferred_comparison.hpp).
  void keep_assumed() { keeps_ = true; }
  bool keeps_assumed() const { return keeps_; }
  /// The same for the end of every step, where source and consumer step together: its sample tells the time.
  void keep_assumed_of_samples() {
    keeps_ = true;
    keeps_times_ = false;
    kept_ = RowBuffer(width_);
  }
  /// Rows (t, assumed) that were kept; of samples (assumed), of all but the initial one in their order.
  std::vector<Rows> take_kept() { return kept_.take(); }
  bool keeps_times() const { return keeps_times_; }
  /// Tell the other indicators alone from now on: the defect follows from what is recorded.
  void leave_defect();

  /// Compare what is pending with what the source of the connection has published, as far as that reaches.
  void arrive(const Connection& c);

  Defect defect;
  /// Tell this one, too.
  void add(Indicator& indicator) { indicators_.push_back(&indicator); }
  bool has_more_indicators() const { return !indicators_.empty(); }

  /// All that lasts, apart from the rows themselves.
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
  /// What counts for the defect: as of now, or as of when that was left.
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
  /// Tell the indicators beside the defect, and which sample has told it.
  void tell(Arrival& arrival, const Samples& samples);
  /// What the source has published for time t: a sample, or between samples a cubic.
  const double* published(const Samples& samples, double t);
  /// The last sample not later than t, or the first one when all are later; looked for from the last place on.
  std::size_t behind(const Samples& samples, double t);
  const double* interpolated(const Samples& samples, std::size_t found, double t);

  int connection_;
  int width_;
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
