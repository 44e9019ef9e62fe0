// Every measure is a function of one or two dot products of combinations; so one class with the first and
// second derivatives of that function serves them all.
#include "multibody/measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace counterpoint::multibody {

namespace {

constexpr int largest_block = 3;

/// x = A.B with gradients written to the columns of a measure.
class Product {
 public:
  Product(std::pair<Combination, Combination> pair) : a_(std::move(pair.first)), b_(std::move(pair.second)) {}

  void list_columns(std::vector<int>& offsets) const {
    for (const Weight& w : a_.weights) offsets.push_back(w.offset);
    for (const Weight& w : b_.weights) offsets.push_back(w.offset);
  }
  void find_places(const std::vector<int>& offsets) {
    find_places(a_, offsets, a_places_);
    find_places(b_, offsets, b_places_);
  }
  int dimension() const { return a_.dimension; }

  double value(const double* q) const {
    double a[largest_block], b[largest_block];
    a_.at(q, a);
    b_.at(q, b);
    return dot(a, b, dimension());
  }
  void add_gradient(const double* q, double factor, double* gradient) const {
    double a[largest_block], b[largest_block];
    a_.at(q, a);
    b_.at(q, b);
    add_crossed(a, b, factor, gradient);
  }
  /// The derivative of add_gradient along dq: the gradient is linear in q.
  void add_gradient_change(const double* dq, double factor, double* change) const {
    double da[largest_block], db[largest_block];
    a_.rate(dq, da);
    b_.rate(dq, db);
    add_crossed(da, db, factor, change);
  }
  double rate(const double* q, const double* v) const {
    double a[largest_block], b[largest_block], da[largest_block], db[largest_block];
    a_.at(q, a);
    b_.at(q, b);
    a_.rate(v, da);
    b_.rate(v, db);
    return dot(a, db, dimension()) + dot(da, b, dimension());
  }
  double curvature(const double* v) const {
    double da[largest_block], db[largest_block];
    a_.rate(v, da);
    b_.rate(v, db);
    return 2.0 * dot(da, db, dimension());
  }

 private:
  /// A weighted by b and B weighted by a.
  void add_crossed(const double* a, const double* b, double factor, double* row) const {
    for (std::size_t k = 0; k < a_.weights.size(); ++k) a_.add_weighted(a_.weights[k], b, factor, row + a_places_[k]);
    for (std::size_t k = 0; k < b_.weights.size(); ++k) b_.add_weighted(b_.weights[k], a, factor, row + b_places_[k]);
  }
  void find_places(const Combination& c, const std::vector<int>& offsets, std::vector<int>& places) const {
    for (const Weight& w : c.weights) {
      const auto found = std::lower_bound(offsets.begin(), offsets.end(), w.offset);
      places.push_back(static_cast<int>(found - offsets.begin()) * c.dimension);
    }
  }

  Combination a_, b_;
  std::vector<int> a_places_, b_places_;
};

/// f(x, y) with its derivatives.
struct Derivatives {
  double f = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
};

Derivatives distance(double x) {
  const double s = std::sqrt(x);
  return {.f = s, .x = 0.5 / s, .xx = -0.25 / (s * x)};
}

Derivatives angle(double x, double y) {
  const double r2 = x * x + y * y, r4 = r2 * r2;
  return {.f = std::atan2(y, x),
          .x = -y / r2,
          .y = x / r2,
          .xx = 2 * x * y / r4,
          .xy = (y * y - x * x) / r4,
          .yy = -2 * x * y / r4};
}

Derivatives rotation(double x, double y) {
  const double w = std::clamp(0.5 * (x - y), -1.0, 1.0);
  // At a right angle the sine says no more; kept finite, the convergence check will speak.
  const double root = std::sqrt(std::max(1.0 - w * w, 1e-12));
  const double first = 0.5 / root, second = 0.25 * w / (root * root * root);
  return {.f = std::asin(w), .x = first, .y = -first, .xx = second, .xy = -second, .yy = second};
}

class ProductMeasure final : public Measure {
 public:
  ProductMeasure(MeasureFunction function, std::pair<Combination, Combination> first,
                 std::pair<Combination, Combination> second)
      : function_(function), first_(std::move(first)), second_(std::move(second)) {
    std::vector<int> offsets;
    first_.list_columns(offsets);
    if (two()) second_.list_columns(offsets);
    std::sort(offsets.begin(), offsets.end());
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    first_.find_places(offsets);
    if (two()) second_.find_places(offsets);
    for (int offset : offsets) {
      // Unsigned: an offset of a damaged recipe is refused where its columns are used, and must not overflow here.
      for (int d = 0; d < first_.dimension(); ++d)
        columns_.push_back(static_cast<int>(static_cast<unsigned>(offset) + static_cast<unsigned>(d)));
    }
  }

  bool wraps() const override { return function_ == MeasureFunction::angle; }
  double value(const double* q) const override { return derivatives(q).f; }
  double gradient(const double* q, double* gradient) const override {
    std::fill_n(gradient, columns_.size(), 0.0);
    const Derivatives d = derivatives(q);
    first_.add_gradient(q, d.x, gradient);
    if (two()) second_.add_gradient(q, d.y, gradient);
    return d.f;
  }
  void gradient_change(const double* q, const double* dq, double* change) const override {
    std::fill_n(change, columns_.size(), 0.0);
    const Derivatives d = derivatives(q);
    const double dx = first_.rate(q, dq), dy = two() ? second_.rate(q, dq) : 0.0;
    first_.add_gradient(q, d.xx * dx + d.xy * dy, change);
    first_.add_gradient_change(dq, d.x, change);
    if (!two()) return;
    second_.add_gradient(q, d.xy * dx + d.yy * dy, change);
    second_.add_gradient_change(dq, d.y, change);
  }
  double curvature(const double* q, const double* v) const override {
    const Derivatives d = derivatives(q);
    const double dx = first_.rate(q, v);
    double sum = d.x * first_.curvature(v) + d.xx * dx * dx;
    if (two()) {
      const double dy = second_.rate(q, v);
      sum += d.y * second_.curvature(v) + 2.0 * d.xy * dx * dy + d.yy * dy * dy;
    }
    return sum;
  }

 private:
  bool two() const { return function_ == MeasureFunction::angle || function_ == MeasureFunction::rotation; }
  Derivatives derivatives(const double* q) const {
    const double x = first_.value(q);
    switch (function_) {
      case MeasureFunction::distance:
        return distance(x);
      case MeasureFunction::angle:
        return angle(x, second_.value(q));
      case MeasureFunction::rotation:
        return rotation(x, second_.value(q));
      case MeasureFunction::dot:
        break;
    }
    return {.f = x, .x = 1.0};
  }

  MeasureFunction function_;
  Product first_, second_;
};

}  // namespace

double Measure::rate(const double* q, const double* v) const {
  constexpr std::size_t small_size = 64;
  double small[small_size];
  std::vector<double> large(columns_.size() > small_size ? columns_.size() : 0);
  double* g = large.empty() ? small : large.data();
  gradient(q, g);
  double sum = 0.0;
  for (std::size_t k = 0; k < columns_.size(); ++k) sum += g[k] * v[columns_[k]];
  return sum;
}

double Measure::start_value(const double* q) const {
  constexpr double turn = 2.0 * std::numbers::pi;
  const double raw = value(q);
  return wraps() ? raw + turn * std::round((start_near - raw) / turn) : raw;
}

double Measure::unwrapped(double raw, const Instant& now) const {
  if (memory_slot < 0) return raw;
  constexpr double turn = 2.0 * std::numbers::pi;
  return raw + turn * std::round((now.memory[memory_slot] - raw) / turn);
}

MeasurePointer make_measure(MeasureFunction function, std::pair<Combination, Combination> first,
                            std::pair<Combination, Combination> second) {
  return std::make_shared<ProductMeasure>(function, std::move(first), std::move(second));
}

}  // namespace counterpoint::multibody
