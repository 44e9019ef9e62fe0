#pragma once

#include <array>
#include <limits>
#include <vector>

namespace counterpoint {

/// A vector polynomial in Newton form, valid for from <= t < to:
///
///     p(t) = c_0 + (t - n_0) (c_1 + (t - n_1) (c_2 + ...))
///
/// Every built-in approximation, from hold to Hermite, is such a polynomial on a stretch of time. It
/// is built when its samples change and evaluated by Horner's rule at every stage of a solver.
struct Polynomial {
  static constexpr int max_degree = 6;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  explicit Polynomial(int component_count = 1)
      : width(component_count), coefficients((max_degree + 1) * component_count) {}

  bool covers(double t) const { return t >= from && t < to; }
  void invalidate() { from = infinity; }

  double* coefficient(int degree_index) { return &coefficients[degree_index * width]; }
  const double* coefficient(int degree_index) const { return &coefficients[degree_index * width]; }

  /// Value of the only component.
  double scalar(double t) const {
    const double* c = coefficients.data();
    switch (degree) {  // straight code for the usual orders: this is asked at every stage
      case 0: return c[0];
      case 1: return c[1] * (t - nodes[0]) + c[0];
      case 2: return (c[2] * (t - nodes[1]) + c[1]) * (t - nodes[0]) + c[0];
      case 3: return ((c[3] * (t - nodes[2]) + c[2]) * (t - nodes[1]) + c[1]) * (t - nodes[0]) + c[0];
      default: break;
    }
    double sum = c[degree];
    for (int d = degree - 1; d >= 0; --d) sum = sum * (t - nodes[d]) + c[d];
    return sum;
  }

  void evaluate(double t, double* out) const {
    for (int j = 0; j < width; ++j) out[j] = coefficients[degree * width + j];
    for (int d = degree - 1; d >= 0; --d) {
      const double distance = t - nodes[d];
      const double* c = &coefficients[d * width];
      for (int j = 0; j < width; ++j) out[j] = out[j] * distance + c[j];
    }
  }

  void scale_and_shift(double gain, double offset) {
    for (int k = 0; k < (degree + 1) * width; ++k) coefficients[k] *= gain;
    for (int j = 0; j < width; ++j) coefficients[j] += offset;
  }

  int width;
  double from = infinity;  ///< covers nothing until built
  double to = infinity;
  int degree = 0;
  std::array<double, max_degree> nodes{};
  std::vector<double> coefficients;
};

}  // namespace counterpoint
