#pragma once

#include <array>
#include <limits>
#include <vector>

#include "signal/unrolled.hpp"

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
  /// Whether it covers the whole of a step.
  bool covers(double t, double t_end) const { return t >= from && t_end < to; }
  void invalidate() { from = infinity; }

  double* coefficient(int degree_index) { return &coefficients[degree_index * width]; }
  const double* coefficient(int degree_index) const { return &coefficients[degree_index * width]; }

  /// Value of the only component.
  double scalar(double t) const { return scalars<1>({t})[0]; }

  /// Values of the only component at several times, say the stages of a step.
  template <std::size_t Count>
  [[gnu::always_inline]] std::array<double, Count> scalars(const std::array<double, Count>& times) const {
    switch (degree) {  // straight code for the usual orders: this is asked at every step
      case 0: return horner<0>(times);
      case 1: return horner<1>(times);
      case 2: return horner<2>(times);
      case 3: return horner<3>(times);
      default: break;
    }
    std::array<double, Count> values;
    for (std::size_t k = 0; k < Count; ++k) evaluate(times[k], &values[k]);
    return values;
  }

  void evaluate(double t, double* out) const {
    if (width == 1 && degree <= 3) {
      out[0] = scalar(t);
      return;
    }
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

 private:
  template <int Degree, std::size_t Count>
  [[gnu::always_inline]] std::array<double, Count> horner(const std::array<double, Count>& times) const {
    std::array<double, Count> values;
    unrolled<Count>([&](auto k) { values[k] = from_degree<0, Degree>(times[k]); });
    return values;
  }

  /// c_D + (t - n_D) (c_(D+1) + ... c_Degree)
  template <int D, int Degree>
  [[gnu::always_inline]] double from_degree(double t) const {
    if constexpr (D == Degree) {
      return coefficients[D];
    } else {
      return from_degree<D + 1, Degree>(t) * (t - nodes[D]) + coefficients[D];
    }
  }
};

}  // namespace counterpoint
