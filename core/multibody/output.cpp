#include "multibody/output.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint::multibody {

namespace {

bool lies_within(int first, int count, int available) {
  return first >= 0 && count >= 0 && count <= available && first <= available - count;
}

class PointOutput final : public Output {
 public:
  PointOutput(Combination point, Motion motion) : point_(std::move(point)), motion_(motion) {}
  int width() const override { return point_.dimension; }
  void evaluate(const Moment& moment, double* out) const override {
    if (motion_ == Motion::position) point_.at(moment.state.q.data(), out);
    if (motion_ == Motion::velocity) point_.rate(moment.state.v.data(), out);
    if (motion_ == Motion::acceleration) point_.rate(moment.state.a.data(), out);
  }
  bool offers_derivative() const override { return motion_ != Motion::acceleration; }
  void derivative(const Moment& moment, double* out) const override {
    point_.rate(motion_ == Motion::position ? moment.state.v.data() : moment.state.a.data(), out);
  }

 private:
  Combination point_;
  Motion motion_;
};

class MeasureOutput final : public Output {
 public:
  MeasureOutput(MeasurePointer measure, Motion motion) : measure_(std::move(measure)), motion_(motion) {}
  int width() const override { return 1; }
  void evaluate(const Moment& moment, double* out) const override {
    if (motion_ == Motion::position) *out = measure_->unwrapped(measure_->value(moment.state.q.data()), moment.now());
    if (motion_ == Motion::velocity) *out = measure_->rate(moment.state.q.data(), moment.state.v.data());
    if (motion_ == Motion::acceleration) *out = acceleration(moment.state);
  }
  bool offers_derivative() const override { return motion_ != Motion::acceleration; }
  void derivative(const Moment& moment, double* out) const override {
    *out = motion_ == Motion::position ? measure_->rate(moment.state.q.data(), moment.state.v.data())
                                       : acceleration(moment.state);
  }

 private:
  double acceleration(const State& state) const {
    return measure_->rate(state.q.data(), state.a.data()) + measure_->curvature(state.q.data(), state.v.data());
  }
  MeasurePointer measure_;
  Motion motion_;
};

class CoordinatesOutput final : public Output {
 public:
  CoordinatesOutput(int first, int count, Motion motion) : first_(first), count_(count), motion_(motion) {}
  int width() const override { return count_; }
  void evaluate(const Moment& moment, double* out) const override {
    const State& s = moment.state;
    copy((motion_ == Motion::position ? s.q : motion_ == Motion::velocity ? s.v : s.a).data(), out);
  }
  bool offers_derivative() const override { return motion_ != Motion::acceleration; }
  void derivative(const Moment& moment, double* out) const override {
    copy((motion_ == Motion::position ? moment.state.v : moment.state.a).data(), out);
  }
  bool fits(const Model& model) const override { return lies_within(first_, count_, model.all_coordinates()); }

 private:
  void copy(const double* x, double* out) const {
    for (int k = 0; k < count_; ++k) out[k] = x[first_ + k];
  }
  int first_, count_;
  Motion motion_;
};

class ReactionOutput final : public Output {
 public:
  ReactionOutput(int first, int count) : first_(first), count_(count) {}
  int width() const override { return count_; }
  bool shows_multipliers() const override { return true; }
  void evaluate(const Moment& moment, double* out) const override {
    for (int k = 0; k < count_; ++k) out[k] = -moment.state.multipliers[first_ + k];
  }
  bool fits(const Model& model) const override { return lies_within(first_, count_, model.equations()); }

 private:
  int first_, count_;
};

/// Force of a support = M a + J^T lambda - Q in the rows of the fixed point.
class SupportOutput final : public Output {
 public:
  SupportOutput(int offset, int dimension) : offset_(offset), dimension_(dimension) {}
  int width() const override { return dimension_; }
  bool shows_multipliers() const override { return true; }
  void evaluate(const Moment& moment, double* out) const override {
    const Model& model = moment.model;
    std::vector<double> phi(model.equations()), J(model.jacobian_pattern().entries());
    std::vector<double> Q(model.all_coordinates()), sum(model.all_coordinates(), 0.0);
    model.constraints(moment.now(), phi.data(), J.data());
    model.forces(moment.now(), Q.data());
    add_transposed(model.jacobian_pattern(), J.data(), moment.state.multipliers.data(), sum.data());
    if (const auto* assembled = dynamic_cast<const AssembledModel*>(&model)) {
      assembled->add_fixed_inertia(moment.state.a.data(), sum.data());
    }
    for (int d = 0; d < dimension_; ++d) out[d] = sum[offset_ + d] - Q[offset_ + d];
  }
  bool fits(const Model& model) const override { return lies_within(offset_, dimension_, model.all_coordinates()); }

 private:
  int offset_, dimension_;
};

class ForceOutput final : public Output {
 public:
  explicit ForceOutput(ForcePointer force) : force_(std::move(force)) {}
  int width() const override { return static_cast<int>(force_->value_names().size()); }
  void evaluate(const Moment& moment, double* out) const override { force_->values(moment.now(), out); }
  bool fits(const Model& model) const override {
    const auto* assembled = dynamic_cast<const AssembledModel*>(&model);
    if (assembled == nullptr) return false;
    const std::vector<ForcePointer>& forces = assembled->parts().forces;
    return std::find(forces.begin(), forces.end(), force_) != forces.end();
  }

 private:
  ForcePointer force_;
};

class ScalarOutput final : public Output {
 public:
  explicit ScalarOutput(Scalar scalar) : scalar_(scalar) {}
  int width() const override { return 1; }
  void evaluate(const Moment& moment, double* out) const override {
    switch (scalar_) {
      case Scalar::kinetic_energy:
        *out = kinetic(moment);
        break;
      case Scalar::potential_energy:
        *out = moment.model.potential_energy(moment.now());
        break;
      case Scalar::total_energy:
        *out = kinetic(moment) + moment.model.potential_energy(moment.now());
        break;
      case Scalar::violation:
        *out = violation(moment);
        break;
    }
  }

 private:
  static double kinetic(const Moment& moment) {
    const SparsePattern& pattern = moment.model.mass_pattern();
    mass_.resize(pattern.entries());
    moment.model.mass(moment.now(), mass_.data());
    double sum = 0.0;
    const double* v = moment.state.v.data();
    for (int row = 0; row < pattern.rows; ++row) {
      for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
        sum += v[row] * mass_[k] * v[pattern.column[k]];
    }
    return 0.5 * sum;
  }
  static double violation(const Moment& moment) {
    phi_.resize(moment.model.equations());
    jacobian_.resize(moment.model.jacobian_pattern().entries());
    moment.model.constraints(moment.now(), phi_.data(), jacobian_.data());
    double largest = 0.0;
    for (double x : phi_) largest = std::max(largest, std::abs(x));
    return largest;
  }
  Scalar scalar_;
  // Scratch that is worth keeping: these are asked at every step.
  static thread_local std::vector<double> mass_, phi_, jacobian_;
};

thread_local std::vector<double> ScalarOutput::mass_;
thread_local std::vector<double> ScalarOutput::phi_;
thread_local std::vector<double> ScalarOutput::jacobian_;

}  // namespace

OutputPointer make_point_output(Combination point, Motion motion) {
  if (point.is_plain()) return std::make_shared<CoordinatesOutput>(point.weights[0].offset, point.dimension, motion);
  return std::make_shared<PointOutput>(std::move(point), motion);
}
OutputPointer make_measure_output(MeasurePointer measure, Motion motion) {
  return std::make_shared<MeasureOutput>(std::move(measure), motion);
}
OutputPointer make_coordinates_output(int coordinates, Motion motion) {
  return std::make_shared<CoordinatesOutput>(0, coordinates, motion);
}
OutputPointer make_reaction_output(int first, int count) { return std::make_shared<ReactionOutput>(first, count); }
OutputPointer make_support_output(int offset, int dimension) {
  return std::make_shared<SupportOutput>(offset, dimension);
}
OutputPointer make_force_output(ForcePointer force) { return std::make_shared<ForceOutput>(std::move(force)); }
OutputPointer make_scalar_output(Scalar scalar) { return std::make_shared<ScalarOutput>(scalar); }

}  // namespace counterpoint::multibody
