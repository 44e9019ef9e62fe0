// Forces that users write: over all coordinates, or on chosen points of bodies.
#include "multibody/user_force.hpp"

#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "multibody/attachment.hpp"

namespace counterpoint::multibody {

namespace {

class UserForce final : public Force {
 public:
  UserForce(CoordinateForce function, int all_coordinates) : function_(std::move(function)), Q_(all_coordinates) {}

  void add(const Instant& now, double* Q) const override {
    std::fill(Q_.begin(), Q_.end(), 0.0);
    function_(now.t, now.q, now.v, now.u, Q_.data());
    for (std::size_t c = 0; c < Q_.size(); ++c) Q[c] += Q_[c];
  }

 private:
  CoordinateForce function_;
  mutable std::vector<double> Q_;  // scratch
};

class UserForceOnPoints final : public Force {
 public:
  UserForceOnPoints(PointsForce function, std::vector<Combination> points, Differences differences)
      : function_(std::move(function)),
        dimension_(points.front().dimension),
        points_(static_cast<int>(points.size())),
        attachment_(std::move(points)),
        differences_(differences),
        positions_(points_ * dimension_),
        velocities_(points_ * dimension_),
        forces_(points_ * dimension_),
        before_(points_ * dimension_),
        derivative_(points_ * dimension_ * points_ * dimension_) {
    columns_ = attachment_.columns();
  }

  void add(const Instant& now, double* Q) const override {
    look(now);
    call(now);
    for (int p = 0; p < points_; ++p) attachment_.add_force(p, vector(forces_, p), Q);
  }

  bool has_tangent() const override { return differences_.position > 0.0 || differences_.velocity > 0.0; }
  void tangent(const Instant& now, double stiffness, double damping, double* block) const override {
    std::fill(derivative_.begin(), derivative_.end(), 0.0);
    look(now);
    call(now);
    before_ = forces_;
    add_derivative(now, positions_, differences_.position, stiffness);
    add_derivative(now, velocities_, differences_.velocity, damping);
    spread(block);
  }

  std::vector<std::string> value_names() const override {
    static constexpr const char* axes[] = {"x", "y", "z"};
    std::vector<std::string> names;
    for (int p = 0; p < points_; ++p) {
      for (int d = 0; d < dimension_; ++d) names.push_back("force_" + std::to_string(p) + "_" + axes[d]);
    }
    return names;
  }
  void values(const Instant& now, double* out) const override {
    look(now);
    call(now);
    std::copy(forces_.begin(), forces_.end(), out);
  }

 private:
  void look(const Instant& now) const {
    for (int p = 0; p < points_; ++p) {
      std::copy_n(attachment_.at(p, now.q).data(), dimension_, positions_.data() + p * dimension_);
      std::copy_n(attachment_.rate(p, now.v).data(), dimension_, velocities_.data() + p * dimension_);
    }
  }
  void call(const Instant& now) const {
    std::fill(forces_.begin(), forces_.end(), 0.0);
    function_(now.t, positions_.data(), velocities_.data(), now.u, forces_.data());
  }
  Vector vector(const std::vector<double>& values, int point) const {
    Vector made = Vector::Zero();
    std::copy_n(values.data() + point * dimension_, dimension_, made.data());
    return made;
  }

  // derivative -= factor * d forces / d x, one column after the other.
  void add_derivative(const Instant& now, std::vector<double>& x, double difference, double factor) const {
    if (difference <= 0.0 || factor == 0.0) return;
    const std::size_t n = x.size();
    for (std::size_t column = 0; column < n; ++column) {
      const double kept = x[column];
      x[column] = kept + difference;
      call(now);
      x[column] = kept;
      for (std::size_t row = 0; row < n; ++row) {
        derivative_[row * n + column] -= factor * (forces_[row] - before_[row]) / difference;
      }
    }
  }

  // block = C^T (derivative, symmetrised) C.
  void spread(double* block) const {
    const std::size_t n = forces_.size(), width = columns_.size();
    std::fill_n(block, width * width, 0.0);
    std::vector<double> rows(n * width, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const int point = static_cast<int>(k) / dimension_, axis = static_cast<int>(k) % dimension_;
      attachment_.add_to_row(point, Vector::Unit(axis), rows.data() + k * width);
    }
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < n; ++l) {
        const double factor = 0.5 * (derivative_[k * n + l] + derivative_[l * n + k]);
        if (factor != 0.0) add_product(rows.data() + k * width, rows.data() + l * width, factor, block);
      }
    }
  }
  void add_product(const double* a, const double* b, double factor, double* block) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      for (std::size_t j = 0; j < columns_.size(); ++j) *block++ += factor * a[i] * b[j];
    }
  }

  PointsForce function_;
  int dimension_, points_;
  Attachment attachment_;
  Differences differences_;
  mutable std::vector<double> positions_, velocities_, forces_, before_, derivative_;  // scratch
};

}  // namespace

ForcePointer make_user_force(CoordinateForce function, int all_coordinates) {
  if (!function) throw UserError("user force: no function");
  return std::make_shared<UserForce>(std::move(function), all_coordinates);
}

ForcePointer make_user_force_on_points(PointsForce function, std::vector<Combination> points, Differences differences) {
  if (!function) throw UserError("user force: no function");
  if (points.empty()) throw UserError("user force: no points; expected at least one");
  return std::make_shared<UserForceOnPoints>(std::move(function), std::move(points), differences);
}

}  // namespace counterpoint::multibody
