// Cubic spline with given end slopes: C. de Boor, "A Practical Guide to Splines", 1978, chapter IV. Its unknowns are
// the slopes at the breakpoints; continuous second derivatives make them the solution of a tridiagonal system.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "check.hpp"
#include "multibody/text.hpp"
#include "multibody/time_function.hpp"

namespace counterpoint::multibody {

namespace {

/// Slopes of the spline, zero at both ends: elimination downwards, then substitution upwards.
std::vector<double> spline_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> slope(n, 0.0), upper(n, 0.0);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double before = x[k] - x[k - 1], after = x[k + 1] - x[k];
    const double right = 3.0 * (after * (y[k] - y[k - 1]) / before + before * (y[k + 1] - y[k]) / after);
    const double pivot = 2.0 * (before + after) - after * upper[k - 1];
    upper[k] = before / pivot;
    slope[k] = (right - after * slope[k - 1]) / pivot;
  }
  for (std::size_t k = n - 1; k-- > 1;) slope[k] -= upper[k] * slope[k + 1];
  return slope;
}

class TableOfTime final : public TimeFunction {
 public:
  TableOfTime(std::vector<double> times, std::vector<double> values)
      : times_(std::move(times)), values_(std::move(values)), slopes_(spline_slopes(times_, values_)) {}

  Prescribed at(const Instant& now) const override {
    if (now.t <= times_.front()) return {values_.front(), 0.0, 0.0};
    if (now.t >= times_.back()) return {values_.back(), 0.0, 0.0};
    const auto upper = std::upper_bound(times_.begin(), times_.end(), now.t);
    return between(static_cast<std::size_t>(upper - times_.begin()) - 1, now.t);
  }

 private:
  // Hermite's cubic with x counted from the piece's begin: y = y0 + x (m0 + x (c + x d)).
  Prescribed between(std::size_t k, double t) const {
    const double width = times_[k + 1] - times_[k], x = t - times_[k];
    const double chord = (values_[k + 1] - values_[k]) / width;
    const double m0 = slopes_[k], m1 = slopes_[k + 1];
    const double d = (m0 + m1 - 2.0 * chord) / (width * width), c = (3.0 * chord - 2.0 * m0 - m1) / width;
    return {values_[k] + x * (m0 + x * (c + x * d)), m0 + x * (2.0 * c + 3.0 * x * d), 2.0 * c + 6.0 * x * d};
  }

  std::vector<double> times_, values_, slopes_;
};

class LinearTable final : public TimeFunction {
 public:
  LinearTable(std::vector<double> times, std::vector<double> values)
      : times_(std::move(times)), values_(std::move(values)) {}

  Prescribed at(const Instant& now) const override {
    if (now.t <= times_.front()) return {values_.front(), 0.0, 0.0};
    if (now.t >= times_.back()) return {values_.back(), 0.0, 0.0};
    const std::size_t k =
        static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), now.t) - times_.begin());
    const double rate = (values_[k] - values_[k - 1]) / (times_[k] - times_[k - 1]);
    return {values_[k - 1] + rate * (now.t - times_[k - 1]), rate, 0.0};
  }

 private:
  std::vector<double> times_, values_;
};

void check(const std::vector<double>& times, const std::vector<double>& values) {
  if (times.empty() || times.size() != values.size()) {
    throw UserError(
        text("table: %zu times and %zu values; there must be one value for each time", times.size(), values.size()));
  }
  for (std::size_t k = 1; k < times.size(); ++k) {
    if (times[k] > times[k - 1]) continue;
    throw UserError(text("table: time %zu is %g s after %g s; times must rise", k, times[k], times[k - 1]));
  }
}

}  // namespace

TimeFunctionPointer make_table(std::vector<double> times, std::vector<double> values) {
  check(times, values);
  return std::make_shared<TableOfTime>(std::move(times), std::move(values));
}

TimeFunctionPointer make_linear(std::vector<double> times, std::vector<double> values) {
  check(times, values);
  return std::make_shared<LinearTable>(std::move(times), std::move(values));
}

}  // namespace counterpoint::multibody
