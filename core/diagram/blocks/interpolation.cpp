#include "diagram/blocks/interpolation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {

Axis::Axis(const std::string& name, std::vector<double> points) : points_(std::move(points)) {
  if (points_.size() < 2) throw std::invalid_argument("\"" + name + "\": expected at least two points");
  for (std::size_t k = 1; k < points_.size(); ++k) {
    if (points_[k] > points_[k - 1]) continue;
    throw std::invalid_argument("\"" + name + "\": " + shown(points_[k]) + " (place " + std::to_string(k) +
                                ") follows " + shown(points_[k - 1]) + "; points must increase");
  }
}

int Axis::find(double u) const {
  const int last = points() - 2;
  int k = recent_;
  const bool is_here = (k == 0 || points_[k] <= u) && (k == last || u < points_[k + 1]);
  if (is_here) return k;
  const auto after = std::upper_bound(points_.begin() + 1, points_.end() - 1, u);
  k = static_cast<int>(after - points_.begin()) - 1;
  recent_ = k;
  return k;
}

namespace {

/// At an end: parabola through three points, no steeper than three times the first secant and never against it.
double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0.0) return 0.0;
  if (d0 * d1 <= 0.0 && std::abs(slope) > 3.0 * std::abs(d0)) return 3.0 * d0;
  return slope;
}

}  // namespace

void pchip_slopes(const double* x, const double* y, double* slopes, int count, int stride) {
  const auto width = [&](int k) { return x[k + 1] - x[k]; };
  const auto secant = [&](int k) { return (y[(k + 1) * stride] - y[k * stride]) / width(k); };
  if (count == 1) {
    slopes[0] = 0.0;
    return;
  }
  if (count == 2) {
    slopes[0] = slopes[stride] = secant(0);
    return;
  }
  for (int k = 1; k + 1 < count; ++k) {
    const double before = secant(k - 1), after = secant(k);
    const double w1 = 2.0 * width(k) + width(k - 1), w2 = width(k) + 2.0 * width(k - 1);
    slopes[k * stride] = before * after > 0.0 ? (w1 + w2) / (w1 / before + w2 / after) : 0.0;
  }
  slopes[0] = end_slope(width(0), width(1), secant(0), secant(1));
  const int n = count - 1;
  slopes[n * stride] = end_slope(width(n - 1), width(n - 2), secant(n - 1), secant(n - 2));
}

}  // namespace counterpoint::diagram
