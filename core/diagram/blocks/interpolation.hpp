#pragma once

#include <string>
#include <vector>

namespace counterpoint::diagram {

/// Points of an axis, strictly increasing, and where a number falls between them.
class Axis {
 public:
  /// Throws std::invalid_argument naming the parameter.
  Axis(const std::string& name, std::vector<double> points);

  int points() const { return static_cast<int>(points_.size()); }
  double operator[](int k) const { return points_[k]; }
  double first() const { return points_.front(); }
  double last() const { return points_.back(); }

  /// Interval k with point k <= u < point k + 1; the outermost ones reach to infinity.
  /// The one found last is looked at first: scratch, it changes no result.
  int find(double u) const;

 private:
  std::vector<double> points_;
  mutable int recent_ = 0;
};

/// Slopes at the points of a shape-preserving cubic (pchip): where the data rise, the curve rises; no overshoot.
/// After Fritsch and Butland (1984): the weighted harmonic mean of the slopes on both sides, zero at an extremum;
/// at the ends a parabola through three points, limited to keep the shape. One point has slope 0, two their straight
/// line.
void pchip_slopes(const double* x, const double* y, double* slopes, int count, int stride);

/// Cubic on [x0, x1] with values and slopes at its ends.
inline double hermite(double x0, double x1, double y0, double y1, double m0, double m1, double x) {
  const double h = x1 - x0;
  const double s = (x - x0) / h;
  const double r = 1.0 - s;
  return r * r * ((1.0 + 2.0 * s) * y0 + s * h * m0) + s * s * ((1.0 + 2.0 * r) * y1 - r * h * m1);
}

inline double line(double x0, double x1, double y0, double y1, double x) {
  return y0 + (x - x0) / (x1 - x0) * (y1 - y0);
}

}  // namespace counterpoint::diagram
