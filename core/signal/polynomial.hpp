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
/// Every built-in approximation, from hold to Hermite, is such a polynomial on a time span. It is built when its
/// samples change, and evaluated by Horner's rule at every stage of a solver.
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

  /// Call `use` with a function that gives the value of the only component at any time. It is made for the degree
  /// the polynomial has and holds its own copy of the numbers: loops over steps are straight code.
  template <class Use>
  [[gnu::always_inline]] auto as_function(const Use& use) const {
    switch (degree) {
      case 0:
        return use(Horner<0>(*this));
      case 1:
        return use(Horner<1>(*this));
      case 2:
        return use(Horner<2>(*this));
      case 3:
        return use(Horner<3>(*this));
      default:
        break;
    }
    return use([this](double t) {
      double value = 0.0;
      evaluate(t, &value);
      return value;
    });
  }

  /// Value of the only component.
  double scalar(double t) const {
    if (degree == 0) return coefficients[0];  // values that are held and lines are what most inputs are
    if (degree == 1) return coefficients[1] * (t - nodes[0]) + coefficients[0];
    return scalar_of_any_degree(t);
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

  /// Derivatives of all components at time t.
  void slope(double t, double* out) const {
    for (int j = 0; j < width; ++j) {
      double value = coefficients[degree * width + j];
      out[j] = 0.0;
      for (int d = degree - 1; d >= 0; --d) {
        out[j] = out[j] * (t - nodes[d]) + value;
        value = value * (t - nodes[d]) + coefficients[d * width + j];
      }
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
  [[gnu::noinline]] double scalar_of_any_degree(double t) const {
    return as_function([t](const auto& u) { return u(t); });
  }

  template <int Degree>
  class Horner {
   public:
    [[gnu::always_inline]] explicit Horner(const Polynomial& p) {
      unrolled<Degree + 1>([&](auto d) { c_[d] = p.coefficients[d]; });
      unrolled<Degree>([&](auto d) { n_[d] = p.nodes[d]; });
    }
    [[gnu::always_inline]] double operator()(double t) const {
      double value = c_[Degree];
      unrolled<Degree>([&](auto k) {
        constexpr int d = Degree - 1 - k;
        value = value * (t - n_[d]) + c_[d];
      });
      return value;
    }

   private:
    std::array<double, Degree + 1> c_;
    std::array<double, Degree> n_;
  };
};

}  // namespace counterpoint
