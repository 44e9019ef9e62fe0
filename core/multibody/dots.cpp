// Dot products of combinations: unit vectors, right angles, rigid bodies, points on lines and planes.
#include "multibody/constraint.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint::multibody {

namespace {

constexpr int largest_block = 3;

double total_weight(const Combination& combination) {
  double sum = 0.0;
  for (const Weight& w : combination.weights) sum += std::abs(w.weight) + std::abs(w.turned);
  return sum;
}

class Dots final : public ConstraintBatch {
 public:
  explicit Dots(const std::vector<DotRow>& rows) {
    for (const DotRow& row : rows) rows_.emplace_back(row);
  }

  double curvature() const override {
    double largest = 0.0;
    for (const Row& row : rows_) {
      const double most = row.dot.a.dimension * total_weight(row.dot.a) * total_weight(row.dot.b);
      largest = std::max(largest, most / row.dot.scale);
    }
    return largest;
  }

  void append_rows(SparsePattern& jacobian) const override {
    for (const Row& row : rows_) {
      std::vector<int> columns;
      for (int offset : row.offsets) {
        for (int d = 0; d < row.dot.a.dimension; ++d) columns.push_back(offset + d);
      }
      jacobian.append_row(columns);
    }
  }

  void evaluate(const Instant& now, double* phi, double* jacobian) const override {
    double a[largest_block], b[largest_block];
    for (const Row& row : rows_) {
      const Combination &first = row.dot.a, &second = row.dot.b;
      first.at(now.q, a);
      second.at(now.q, b);
      const double factor = 1.0 / row.dot.scale;
      *phi++ = (dot(a, b, first.dimension) - row.dot.value) * factor;
      const std::size_t entries = row.offsets.size() * first.dimension;
      std::fill_n(jacobian, entries, 0.0);
      for (std::size_t k = 0; k < first.weights.size(); ++k) {
        first.add_weighted(first.weights[k], b, factor, jacobian + row.a_places[k]);
      }
      for (std::size_t k = 0; k < second.weights.size(); ++k) {
        second.add_weighted(second.weights[k], a, factor, jacobian + row.b_places[k]);
      }
      jacobian += entries;
    }
  }

  void acceleration_terms(const Instant& now, double* rest) const override {
    double a[largest_block], b[largest_block];
    for (const Row& row : rows_) {
      row.dot.a.rate(now.v, a);
      row.dot.b.rate(now.v, b);
      *rest++ = 2.0 * dot(a, b, row.dot.a.dimension) / row.dot.scale;
    }
  }

  void projection_terms(const Instant& now, const double* acceleration, const double* multipliers, double* sides,
                        double* out) const override {
    double va[largest_block], vb[largest_block], aa[largest_block], ab[largest_block];
    for (const Row& row : rows_) {
      const Combination &a = row.dot.a, &b = row.dot.b;
      const double factor = 1.0 / row.dot.scale, force = *multipliers++ * factor;
      a.rate(now.v, va);
      b.rate(now.v, vb);
      a.rate(acceleration, aa);
      b.rate(acceleration, ab);
      *sides++ = 0.0;
      *sides++ = 2.0 * dot(va, vb, a.dimension) * factor;
      *sides++ = 3.0 * (dot(va, ab, a.dimension) + dot(aa, vb, a.dimension)) * factor;
      a.add_force(vb, force, out);
      b.add_force(va, force, out);
    }
  }

 private:
  struct Row {
    explicit Row(const DotRow& given) : dot(given) {
      for (const Weight& w : dot.a.weights) offsets.push_back(w.offset);
      for (const Weight& w : dot.b.weights) offsets.push_back(w.offset);
      std::sort(offsets.begin(), offsets.end());
      offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      a_places = places(dot.a);
      b_places = places(dot.b);
    }
    std::vector<int> places(const Combination& combination) const {
      std::vector<int> found;
      for (const Weight& w : combination.weights) {
        const auto at = std::lower_bound(offsets.begin(), offsets.end(), w.offset);
        found.push_back(static_cast<int>(at - offsets.begin()) * combination.dimension);
      }
      return found;
    }
    DotRow dot;
    std::vector<int> offsets;  ///< first coordinates of all points and vectors in it
    std::vector<int> a_places, b_places;
  };
  std::vector<Row> rows_;
};

class Coincidences final : public ConstraintBatch {
 public:
  explicit Coincidences(const std::vector<Combination>& combinations) : combinations_(combinations) {}

  double curvature() const override { return 0.0; }

  void append_rows(SparsePattern& jacobian) const override {
    for (const Combination& c : combinations_) {
      for (int d = 0; d < c.dimension; ++d) {
        std::vector<int> columns;
        for (const Weight& w : c.weights) {
          columns.push_back(w.offset + d);
          if (w.turned != 0.0) columns.push_back(w.offset + 1 - d);
        }
        jacobian.append_row(columns);
      }
    }
  }

  void evaluate(const Instant& now, double* phi, double* jacobian) const override {
    for (const Combination& c : combinations_) {
      c.at(now.q, phi);
      phi += c.dimension;
      for (int d = 0; d < c.dimension; ++d) {
        for (const Weight& w : c.weights) {
          *jacobian++ = w.weight;
          if (w.turned != 0.0) *jacobian++ = d == 0 ? -w.turned : w.turned;
        }
      }
    }
  }

  void acceleration_terms(const Instant&, double* rest) const override { std::fill_n(rest, equations(), 0.0); }

 private:
  std::vector<Combination> combinations_;
};

}  // namespace

void ConstraintBatch::velocity_terms(const Instant&, double* phi_t) const { std::fill_n(phi_t, equations(), 0.0); }

void ConstraintBatch::projection_terms(const Instant& now, const double*, const double*, double* sides, double*) const {
  phi_t_.resize(names.size());
  rest_.resize(names.size());
  velocity_terms(now, phi_t_.data());
  acceleration_terms(now, rest_.data());
  put_sides(phi_t_, rest_, sides);
}

ConstraintBatchPointer make_dots(const std::vector<DotRow>& rows) { return std::make_shared<Dots>(rows); }

ConstraintBatchPointer make_coincidences(const std::vector<Combination>& combinations) {
  return std::make_shared<Coincidences>(combinations);
}

}  // namespace counterpoint::multibody
