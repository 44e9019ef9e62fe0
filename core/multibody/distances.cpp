// Distance between two points: the constraint that mechanisms of rods are made of, so its loop is the shortest.
#include <algorithm>

#include "linear/unroll.hpp"
#include "multibody/constraint.hpp"
#include "multibody/neighbours.hpp"

namespace counterpoint::multibody {

namespace {

/// Rods one by one.
class ListedRods {
 public:
  explicit ListedRods(const std::vector<DistanceRow>& rows) {
    for (const DistanceRow& row : rows) rods_.push_back({row.first, row.second, 1.0 / row.length, 0.5 * row.length});
  }

  /// action(rod, first, second) for each: where the coordinates of its ends begin.
  template <typename Action>
  COUNTERPOINT_INLINE void for_each(Action action) const {
    for (const Rod& rod : rods_) action(rod, rod.first, rod.second);
  }

 private:
  struct Rod {
    int first, second;
    double inverse_length, half_length;
  };

  std::vector<Rod> rods_;
};

/// Rods of one length that lie regularly, from one to the next each end as many coordinates further on, are listed
/// once: a large mechanism of equal parts leaves the caches to what changes in a step.
class RegularRods {
 public:
  explicit RegularRods(const std::vector<DistanceRow>& rows) {
    for (const DistanceRow& row : rows) {
      if (runs_.empty() || !runs_.back().takes(row)) runs_.emplace_back(row);
      ++runs_.back().rods;
    }
  }

  std::size_t runs() const { return runs_.size(); }

  template <typename Action>
  COUNTERPOINT_INLINE void for_each(Action action) const {
    for (const Run& run : runs_) {
      std::ptrdiff_t first = run.first, second = run.second;
      for (int rod = run.rods; rod > 0; --rod, first += run.to_next_first, second += run.to_next_second)
        action(run, first, second);
    }
  }

 private:
  struct Run {
    explicit Run(const DistanceRow& row)
        : first(row.first), second(row.second), inverse_length(1.0 / row.length), half_length(0.5 * row.length) {}

    int first, second;  ///< of the first rod
    int to_next_first = 0, to_next_second = 0;
    int rods = 0;
    double inverse_length, half_length;

    /// Whether the next rod belongs to this run; the second one sets the way to the next.
    bool takes(const DistanceRow& row) {
      if (0.5 * row.length != half_length) return false;
      if (rods == 1) {
        to_next_first = row.first - first;
        to_next_second = row.second - second;
      }
      return row.first == first + rods * to_next_first && row.second == second + rods * to_next_second;
    }
  };

  std::vector<Run> runs_;
};

template <int dimension>
ConstraintBatchPointer distances(const std::vector<DistanceRow>& rows);

template <int dimension, typename Rods>
class Distances final : public ConstraintBatch {
 public:
  explicit Distances(Rods rods) : rods_(std::move(rods)) {}

  ConstraintBatchPointer part(int begin, int end) const override {
    std::vector<DistanceRow> rows;
    rods_.for_each([&](const auto& rod, std::ptrdiff_t first, std::ptrdiff_t second) {
      rows.push_back({static_cast<int>(first), static_cast<int>(second), 2.0 * rod.half_length});
    });
    ConstraintBatchPointer made = distances<dimension>({rows.begin() + begin, rows.begin() + end});
    made->names.assign(names.begin() + begin, names.begin() + end);
    return made;
  }

  // Both ends may move by one in every coordinate: |difference|^2 / 2 l = (2 sqrt(dimension))^2 / 2 l.
  double curvature() const override {
    double largest = 0.0;
    rods_.for_each([&](const auto& rod, std::ptrdiff_t, std::ptrdiff_t) {
      largest = std::max(largest, 2.0 * dimension * rod.inverse_length);
    });
    return largest;
  }

  void append_rows(SparsePattern& jacobian) const override {
    rods_.for_each([&](const auto&, std::ptrdiff_t first, std::ptrdiff_t second) {
      std::vector<int> columns;
      for (int d = 0; d < dimension; ++d) columns.push_back(static_cast<int>(first) + d);
      for (int d = 0; d < dimension; ++d) columns.push_back(static_cast<int>(second) + d);
      jacobian.append_row(columns);
    });
  }

  void evaluate(const Instant& now, double* phi, double* jacobian) const override {
    rods_.for_each([&](const auto& rod, std::ptrdiff_t first, std::ptrdiff_t second) COUNTERPOINT_INLINE_LAMBDA {
      const Vector along = difference(now.q, first, second), direction = rod.inverse_length * along;
      *phi++ = dot(along, along) * (0.5 * rod.inverse_length) - rod.half_length;
      (-direction).write(jacobian);
      direction.write(jacobian + dimension);
      jacobian += 2 * dimension;
    });
  }

  void acceleration_terms(const Instant& now, double* rest) const override {
    rods_.for_each([&](const auto& rod, std::ptrdiff_t first, std::ptrdiff_t second) COUNTERPOINT_INLINE_LAMBDA {
      const Vector speed = difference(now.v, first, second);
      *rest++ = dot(speed, speed) * rod.inverse_length;
    });
  }

  void projection_terms(const Instant& now, const double* acceleration, const double* multipliers, double* sides,
                        double* out) const override {
    rods_.for_each([&](const auto& rod, std::ptrdiff_t first, std::ptrdiff_t second) COUNTERPOINT_INLINE_LAMBDA {
      const Vector speed = difference(now.v, first, second), change = difference(acceleration, first, second);
      const Vector carried = (*multipliers++ * rod.inverse_length) * speed;
      sides[0] = 0.0;
      sides[1] = dot(speed, speed) * rod.inverse_length;
      sides[2] = 3.0 * dot(speed, change) * rod.inverse_length;
      sides += 3;
      (Vector::at(out + first) - carried).write(out + first);
      (Vector::at(out + second) + carried).write(out + second);
    });
  }

 private:
  using Vector = Neighbours<dimension>;

  /// x at the second end less x at the first.
  COUNTERPOINT_INLINE static Vector difference(const double* x, std::ptrdiff_t first, std::ptrdiff_t second) {
    return Vector::at(x + second) - Vector::at(x + first);
  }

  Rods rods_;
};

constexpr std::size_t fewest_regular = 32;  ///< rods of a run, in the mean, from which runs are worth their beginning

template <int dimension>
ConstraintBatchPointer distances(const std::vector<DistanceRow>& rows) {
  RegularRods regular(rows);
  if (rows.size() >= fewest_regular * regular.runs())
    return std::make_shared<Distances<dimension, RegularRods>>(std::move(regular));
  return std::make_shared<Distances<dimension, ListedRods>>(ListedRods(rows));
}

}  // namespace

ConstraintBatchPointer make_distances(int dimension, const std::vector<DistanceRow>& rows) {
  return dimension == 2 ? distances<2>(rows) : distances<3>(rows);
}

}  // namespace counterpoint::multibody
