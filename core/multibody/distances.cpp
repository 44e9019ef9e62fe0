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
      const Difference along(now.q, p);
      *phi++ = 0.5 * along.dot(along) * p.inverse_length - p.half_length;
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) {
        jacobian[dimension + d] = along[d] * p.inverse_length;
        jacobian[d] = -jacobian[dimension + d];
      }
      jacobian += 2 * dimension;
    }
  }

  void acceleration_terms(const Instant& now, double* rest) const override {
    for (const Place& p : places_) {
      const Difference speed(now.v, p);
      *rest++ = speed.dot(speed) * p.inverse_length;
    }
  }

  void projection_terms(const Instant& now, const double* acceleration, const double* multipliers, double* sides,
                        double* out) const override {
    for (const Place& p : places_) {
      const Difference speed(now.v, p), change(acceleration, p);
      const double factor = *multipliers++ * p.inverse_length;
      sides[0] = 0.0;
      sides[1] = speed.dot(speed) * p.inverse_length;
      sides[2] = 3.0 * speed.dot(change) * p.inverse_length;
      sides += 3;
      double *first = out + p.first, *second = out + p.second;
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) first[d] -= factor * speed[d];
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) second[d] += factor * speed[d];
    }
  }

 private:
  struct Place {
    int first, second;
    double inverse_length, half_length;
  };

  /// x at the second end less x at the first, read once: what is written meanwhile could be a part of x for all that the
  /// compiler knows.
  class Difference {
   public:
    Difference(const double* x, const Place& p) {
      COUNTERPOINT_UNROLL
      for (int d = 0; d < dimension; ++d) value_[d] = x[p.second + d] - x[p.first + d];
    }
    double operator[](int d) const { return value_[d]; }
    double dot(const Difference& other) const {
      double sum = value_[0] * other[0];
      COUNTERPOINT_UNROLL
      for (int d = 1; d < dimension; ++d) sum += value_[d] * other[d];
      return sum;
    }

   private:
    double value_[dimension];
  };

  std::vector<Place> places_;
};

}  // namespace

ConstraintBatchPointer make_distances(int dimension, const std::vector<DistanceRow>& rows) {
  if (dimension == 2) return std::make_shared<Distances<2>>(rows);
  return std::make_shared<Distances<3>>(rows);
}

}  // namespace counterpoint::multibody
