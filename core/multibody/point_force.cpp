// Prescribed forces on points and torques on bodies, of time or of an input.
#include "multibody/force.hpp"

namespace counterpoint::multibody {

namespace {

constexpr int kLargestBlock = 3;

void prescribed(const std::vector<TimeFunctionPointer>& components, const Instant& now, double* out) {
  for (std::size_t d = 0; d < components.size(); ++d) out[d] = components[d] ? components[d]->at(now).value : 0.0;
}

/// Sum of component * axis: from body axes to space.
void turn_to_space(const std::vector<Combination>& axes, const Instant& now, const double* local, double* out) {
  double axis[kLargestBlock];
  const int dimension = axes.front().dimension;
  for (int d = 0; d < dimension; ++d) out[d] = 0.0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    axes[k].at(now.q, axis);
    for (int d = 0; d < dimension; ++d) out[d] += local[k] * axis[d];
  }
}

class PointForce final : public Force {
 public:
  PointForce(Combination point, std::vector<TimeFunctionPointer> components, std::vector<Combination> axes)
      : point_(std::move(point)), components_(std::move(components)), axes_(std::move(axes)) {}

  void add(const Instant& now, double* Q) const override {
    double force[kLargestBlock] = {}, local[kLargestBlock] = {};
    if (axes_.empty()) {
      prescribed(components_, now, force);
    } else {
      prescribed(components_, now, local);
      turn_to_space(axes_, now, local, force);
    }
    point_.add_force(force, 1.0, Q);
  }

 private:
  Combination point_;
  std::vector<TimeFunctionPointer> components_;
  std::vector<Combination> axes_;
};

/// On each axis e of an orthonormal frame acts T x e / 2: the virtual work of the three is T . (turn).
class SpaceTorque final : public Force {
 public:
  SpaceTorque(std::vector<Combination> axes, std::vector<TimeFunctionPointer> components, bool in_body_axes)
      : axes_(std::move(axes)), components_(std::move(components)), in_body_axes_(in_body_axes) {}

  void add(const Instant& now, double* Q) const override {
    double torque[3] = {}, local[3] = {}, e[3];
    prescribed(components_, now, local);
    if (in_body_axes_) {
      turn_to_space(axes_, now, local, torque);
    } else {
      for (int d = 0; d < 3; ++d) torque[d] = local[d];
    }
    for (const Combination& axis : axes_) {
      axis.at(now.q, e);
      const double force[3] = {torque[1] * e[2] - torque[2] * e[1], torque[2] * e[0] - torque[0] * e[2],
                               torque[0] * e[1] - torque[1] * e[0]};
      axis.add_force(force, 0.5, Q);
    }
  }

 private:
  std::vector<Combination> axes_;
  std::vector<TimeFunctionPointer> components_;
  bool in_body_axes_;
};

class PlaneTorque final : public Force {
 public:
  PlaneTorque(Combination axis, TimeFunctionPointer torque) : axis_(std::move(axis)), torque_(std::move(torque)) {}

  void add(const Instant& now, double* Q) const override {
    if (!torque_) return;
    double e[kLargestBlock];
    axis_.at(now.q, e);
    const double across[2] = {-e[1], e[0]};
    axis_.add_force(across, torque_->at(now).value, Q);
  }

 private:
  Combination axis_;
  TimeFunctionPointer torque_;
};

}  // namespace

ForcePointer make_point_force(Combination point, std::vector<TimeFunctionPointer> components, std::vector<Combination> axes) {
  const auto dimension = static_cast<std::size_t>(point.dimension);
  if (components.size() != dimension || (!axes.empty() && axes.size() != dimension)) {
    throw std::invalid_argument("point force: the number of components or axes is not that of the dimensions");
  }
  return std::make_shared<PointForce>(std::move(point), std::move(components), std::move(axes));
}

ForcePointer make_torque(std::vector<Combination> axes, std::vector<TimeFunctionPointer> components, bool in_body_axes) {
  const std::size_t needed = !axes.empty() && axes.front().dimension == 2 ? 1 : 3;
  if (axes.size() < needed || components.size() < needed) throw std::invalid_argument("torque: too few axes or components");
  if (axes.front().dimension == 2) return std::make_shared<PlaneTorque>(std::move(axes.front()), std::move(components.front()));
  return std::make_shared<SpaceTorque>(std::move(axes), std::move(components), in_body_axes);
}

}  // namespace counterpoint::multibody
