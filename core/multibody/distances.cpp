// Distance between two points: the constraint that mechanisms of rods are made of, so its loop is the shortest.
#include <algorithm>

#include "linear/unroll.hpp"
#include "multibody/constraint.hpp"
#include "multibody/neighbours.hpp"

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
      const Vector along = difference(now.q, p), direction = p.inverse_length * along;
      *phi++ = dot(along, along) * (0.5 * p.inverse_length) - p.half_length;
      (-direction).write(jacobian);
      direction.write(jacobian + dimension);
      jacobian += 2 * dimension;
    }
  }

  void acceleration_terms(const Instant& now, double* rest) const override {
    for (const Place& p : places_) {
      const Vector speed = difference(now.v, p);
      *rest++ = dot(speed, speed) * p.inverse_length;
    }
  }

  void projection_terms(const Instant& now, const double* acceleration, const double* multipliers, double* sides,
                        double* out) const override {
    for (const Place& p : places_) {
      const Vector speed = difference(now.v, p), change = difference(acceleration, p);
      const Vector carried = (*multipliers++ * p.inverse_length) * speed;
      sides[0] = 0.0;
      sides[1] = dot(speed, speed) * p.inverse_length;
      sides[2] = 3.0 * dot(speed, change) * p.inverse_length;
      sides += 3;
      double *first = out + p.first, *second = out + p.second;
      (Vector::at(first) - carried).write(first);
      (Vector::at(second) + carried).write(second);
    }
  }

 private:
  struct Place {
    int first, second;
    double inverse_length, half_length;
  };

  using Vector = Neighbours<dimension>;

  /// x at the second end less x at the first.
  COUNTERPOINT_INLINE static Vector difference(const double* x, const Place& p) {
    return Vector::at(x + p.second) - Vector::at(x + p.first);
  }

  std::vector<Place> places_;
};

}  // namespace

ConstraintBatchPointer make_distances(int dimension, const std::vector<DistanceRow>& rows) {
  if (dimension == 2) return std::make_shared<Distances<2>>(rows);
  return std::make_shared<Distances<3>>(rows);
}

}  // namespace counterpoint::multibody
