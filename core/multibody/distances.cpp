// Distance between two points: the constraint that mechanisms of rods are made of, so its loop is the shortest.
#include <algorithm>

#include "multibody/constraint.hpp"
#include "linear/unroll.hpp"

namespace counterpoint::multibody {

namespace {

template <int dimension>
class Distances final : public ConstraintBatch {
 public:
  explicit Distances(const std::vector<DistanceRow>& rows) {
    for (const DistanceRow& row : rows) places_.push_back({row.first, row.second, 1.0 / row.length, 0.5 * row.length});
  }

  // Both ends may move by one in every coordinate: |difference|^2 / 2 l = (2 sqrt(dimension))^2 / 2 l.
  double curvature() const override {
    double largest = 0.0;
    for (const Place& p : places_) largest = std::max(largest, 2.0 * dimension * p.inverse_length);
    return largest;
  }

  void append_rows(SparsePattern& jacobian) const override {
    for (const Place& p : places_) {
      std::vector<int> columns;
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) columns.push_back(p.first + d);
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) columns.push_back(p.second + d);
      jacobian.append_row(columns);
    }
  }

  void evaluate(const Instant& now, double* phi, double* jacobian) const override {
    for (const Place& p : places_) {
      const double* a = now.q + p.first;
      const double* b = now.q + p.second;
      double square = 0.0;
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) {
        const double difference = b[d] - a[d];
        square += difference * difference;
        jacobian[d] = -difference * p.inverse_length;
        jacobian[dimension + d] = difference * p.inverse_length;
      }
      *phi++ = 0.5 * square * p.inverse_length - p.half_length;
      jacobian += 2 * dimension;
    }
  }

  void acceleration_terms(const Instant& now, double* rest) const override {
    for (const Place& p : places_) {
      const double* a = now.v + p.first;
      const double* b = now.v + p.second;
      double square = 0.0;
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) square += (b[d] - a[d]) * (b[d] - a[d]);
      *rest++ = square * p.inverse_length;
    }
  }

  void projection_terms(const Instant& now, const double* acceleration, const double* multipliers, double* sides,
                        double* out) const override {
    for (const Place& p : places_) {
      const double *va = now.v + p.first, *vb = now.v + p.second;
      const double *aa = acceleration + p.first, *ab = acceleration + p.second;
      const double factor = *multipliers++ * p.inverse_length;
      double square = 0.0, product = 0.0;
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) {
        const double speed = vb[d] - va[d];
        square += speed * speed;
        product += speed * (ab[d] - aa[d]);
        out[p.first + d] -= factor * speed;
        out[p.second + d] += factor * speed;
      }
      sides[0] = 0.0;
      sides[1] = square * p.inverse_length;
      sides[2] = 3.0 * product * p.inverse_length;
      sides += 3;
    }
  }

 private:
  struct Place {
    int first, second;
    double inverse_length, half_length;
  };
  std::vector<Place> places_;
};

}  // namespace

ConstraintBatchPointer make_distances(int dimension, const std::vector<DistanceRow>& rows) {
  if (dimension == 2) return std::make_shared<Distances<2>>(rows);
  return std::make_shared<Distances<3>>(rows);
}

}  // namespace counterpoint::multibody
