#pragma once

#include <array>
#include <vector>

namespace counterpoint::multibody {

/// One place in a combination: weight * X + turned * (X turned by +90 degrees, plane only).
struct Weight {
  int offset = 0;  ///< first coordinate of X
  double weight = 0.0;
  double turned = 0.0;
};

/// A point or vector of a body as a linear function of coordinates: constant + sum of weighted points and vectors.
/// Of dimension 1 it is a number: a coordinate on its own, such as the angle of a shaft.
///
/// That is what natural coordinates are about: every point fixed to a body is such a combination with constant
/// weights, so its velocity and acceleration are the same combination, and mass matrices are constant.
struct Combination {
  int dimension = 3;
  std::vector<Weight> weights;
  std::array<double, 3> constant{0.0, 0.0, 0.0};

  /// Whether it is coordinates unchanged.
  bool is_plain() const {
    return weights.size() == 1 && weights[0].weight == 1.0 && weights[0].turned == 0.0 &&
           constant == std::array<double, 3>{};
  }
  /// Value at the coordinates q.
  void at(const double* q, double* out) const { sum(constant, q, out); }
  /// Rate of change with the velocities v.
  void rate(const double* v, double* out) const { sum({0.0, 0.0, 0.0}, v, out); }
  /// out += C^T force: what a force on this point does on the coordinates.
  void add_force(const double* force, double factor, double* out) const {
    for (const Weight& w : weights) add_weighted(w, force, factor, out + w.offset);
  }
  /// out[0..dimension) += factor * (d(this)/dX)^T force for one place.
  void add_weighted(const Weight& w, const double* force, double factor, double* out) const {
    for (int d = 0; d < dimension; ++d) out[d] += factor * w.weight * force[d];
    if (w.turned != 0.0) {
      out[0] += factor * w.turned * force[1];
      out[1] -= factor * w.turned * force[0];
    }
  }

 private:
  void sum(std::array<double, 3> value, const double* x, double* out) const {
    if (dimension == 1) {
      for (const Weight& w : weights) value[0] += w.weight * x[w.offset];
      out[0] = value[0];
      return;
    }
    const bool in_space = dimension == 3;
    for (const Weight& w : weights) {
      const double* place = x + w.offset;
      value[0] += w.weight * place[0];
      value[1] += w.weight * place[1];
      if (in_space) value[2] += w.weight * place[2];
      if (w.turned != 0.0) {
        value[0] -= w.turned * place[1];
        value[1] += w.turned * place[0];
      }
    }
    out[0] = value[0];
    out[1] = value[1];
    if (in_space) out[2] = value[2];
  }
};

inline double dot(const double* a, const double* b, int dimension) {
  double sum = 0.0;
  for (int d = 0; d < dimension; ++d) sum += a[d] * b[d];
  return sum;
}

}  // namespace counterpoint::multibody
