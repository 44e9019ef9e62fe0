// Mean (smoothing): the samples are averaged over the consumer's step when they cover it, else over its
// last step, and the mean is held for the whole step. Reference: González et al. (2010),
// section 2.2, after Oberschelp and Vöcking. A signal that oscillates faster than the consumer steps
// is averaged instead of sampled, which matters once the step exceeds about 0.9 periods.

#include <algorithm>

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

class Mean final : public Approximation {
 public:
  explicit Mean(MeanKind kind) : kind_(kind) {}
  int points_behind() const override { return 2; }
  bool depends_on_step() const override { return true; }
  bool looks_back_one_step() const override { return true; }
  bool reaches_across_jumps() const override { return true; }
  std::string name() const override { return kind_ == MeanKind::arithmetic ? "mean" : "time-weighted mean"; }

  void build(const Samples& samples, const ConsumerStep& step, double, Polynomial& out) const override {
    // A host behind the embedded interface is asked between its steps: its newest sample then lies up to
    // one of its steps before the end of ours. That is still the mean of this step, not of the last one.
    const bool covers_step = samples.time(samples.last()) >= 0.5 * (step.start + step.end);
    const double from = covers_step ? step.start : step.previous_start;
    const double to = covers_step ? step.end : step.start;
    out.degree = 0;
    out.from = -Polynomial::infinity;
    out.to = Polynomial::infinity;
    if (to - from <= samples.tolerance) return hold_behind(samples, to, out);
    if (kind_ == MeanKind::arithmetic) {
      arithmetic(samples, from, to, out);
    } else {
      time_weighted(samples, from, to, out);
    }
  }

 private:
  static void hold_behind(const Samples& s, double t, Polynomial& out) {
    std::copy_n(s.value(s.behind(t)), out.width, out.coefficient(0));
  }

  static void arithmetic(const Samples& s, double from, double to, Polynomial& out) {
    double* sum = out.coefficient(0);
    std::fill_n(sum, out.width, 0.0);
    int count = 0;
    const auto add = [&](const double* value) {
      for (int j = 0; j < out.width; ++j) sum[j] += value[j];
      ++count;
    };
    for (std::size_t k = s.behind(to); s.time(k) >= from - s.tolerance; --k) {
      if (s.time(k) <= to + s.tolerance) {  // at a jump both sides are samples, if they lie in the stretch
        const double* before = s.before_jump(k);
        if (before != nullptr && s.time(k) > from + s.tolerance) add(before);
        if (before == nullptr || s.time(k) < to - s.tolerance) add(s.value(k));
      }
      if (k == s.begin) break;
    }
    if (count == 0) return hold_behind(s, to, out);
    for (int j = 0; j < out.width; ++j) sum[j] /= count;
  }

  /// Integral of the straight lines between samples over [from, to], divided by its length.
  static void time_weighted(const Samples& s, double from, double to, Polynomial& out) {
    double* sum = out.coefficient(0);
    std::fill_n(sum, out.width, 0.0);
    std::size_t k = s.behind(from);
    for (double left = from; left < to;) {
      const double right = k < s.last() ? std::min(to, std::max(left, s.time(k + 1))) : to;
      add_line(s, k, left, right, out.width, sum);
      left = right;
      if (k < s.last()) ++k;
    }
    for (int j = 0; j < out.width; ++j) sum[j] /= to - from;
  }

  /// Add the integral over [left, right] of the line that starts in sample k; constant outside the samples.
  static void add_line(const Samples& s, std::size_t k, double left, double right, int width, double* sum) {
    const double middle = 0.5 * (left + right);
    const bool outside = k == s.last() || middle < s.time(k);
    const double* before = s.value(k);
    const double* jump = outside ? nullptr : s.before_jump(k + 1);
    const double* after = outside ? before : jump != nullptr ? jump : s.value(k + 1);
    const double weight = outside ? 0.0 : (middle - s.time(k)) / (s.time(k + 1) - s.time(k));
    for (int j = 0; j < width; ++j) sum[j] += (right - left) * (before[j] + weight * (after[j] - before[j]));
  }

  MeanKind kind_;
};

}  // namespace

ApproximationPointer make_mean(MeanKind kind) { return std::make_shared<Mean>(kind); }

}  // namespace counterpoint
