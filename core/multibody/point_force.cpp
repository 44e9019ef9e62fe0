// Prescribed forces on points and torques on bodies, of time or of an input.
#include "check.hpp"
#include "multibody/force.hpp"

namespace counterpoint::multibody {

namespace {

constexpr int largest_block = 3;

constexpr const char* axis_count[] = {"_x", "_y", "_z"};

std::vector<std::string> component_names(const std::string& what, int dimension) {
  std::vector<std::string> names;
  for (int d = 0; d < dimension; ++d) names.push_back(what + axis_count[d]);
  return names;
}

void prescribed(const std::vector<TimeFunctionPointer>& components, const Instant& now, double* out) {
  for (std::size_t d = 0; d < components.size(); ++d) out[d] = components[d] ? components[d]->at(now).value : 0.0;
}

/// Sum of component * axis: from body axes to space.
void turn_to_space(const std::vector<Combination>& axes, const Instant& now, const double* local, double* out) {
  double axis[largest_block];
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
    double force[largest_block] = {};
    values(now, force);
    point_.add_force(force, 1.0, Q);
  }

  std::vector<std::string> value_names() const override { return component_names("force", point_.dimension); }
  void values(const Instant& now, double* out) const override {
    if (axes_.empty()) return prescribed(components_, now, out);
    double local[largest_block] = {};
    prescribed(components_, now, local);
    turn_to_space(axes_, now, local, out);
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
    double torque[3] = {}, e[3] = {};
    values(now, torque);
    for (const Combination& axis : axes_) {
      axis.at(now.q, e);
      const double force[3] = {torque[1] * e[2] - torque[2] * e[1], torque[2] * e[0] - torque[0] * e[2],
                               torque[0] * e[1] - torque[1] * e[0]};
      axis.add_force(force, 0.5, Q);
    }
  }

  std::vector<std::string> value_names() const override { return component_names("torque", 3); }
  void values(const Instant& now, double* out) const override {
    if (!in_body_axes_) return prescribed(components_, now, out);
    double local[largest_block] = {};
    prescribed(components_, now, local);
    turn_to_space(axes_, now, local, out);
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
    double e[largest_block];
    axis_.at(now.q, e);
    const double across[2] = {-e[1], e[0]};
    axis_.add_force(across, torque_->at(now).value, Q);
  }

  std::vector<std::string> value_names() const override { return {"torque"}; }
  void values(const Instant& now, double* out) const override { *out = torque_ ? torque_->at(now).value : 0.0; }

 private:
  Combination axis_;
  TimeFunctionPointer torque_;
};

}  // namespace

ForcePointer make_point_force(Combination point, std::vector<TimeFunctionPointer> components,
                              std::vector<Combination> axes) {
  const auto dimension = static_cast<std::size_t>(point.dimension);
  if (components.size() != dimension || (!axes.empty() && axes.size() != dimension)) {
    throw UserError("point force: the number of components or axes is not that of the dimensions");
  }
  return std::make_shared<PointForce>(std::move(point), std::move(components), std::move(axes));
}

ForcePointer make_torque(std::vector<Combination> axes, std::vector<TimeFunctionPointer> components,
                         bool in_body_axes) {
  const std::size_t needed = !axes.empty() && axes.front().dimension == 2 ? 1 : 3;
  if (axes.size() < needed || components.size() < needed) throw UserError("torque: too few axes or components");
  if (axes.front().dimension == 2)
    return std::make_shared<PlaneTorque>(std::move(axes.front()), std::move(components.front()));
  return std::make_shared<SpaceTorque>(std::move(axes), std::move(components), in_body_axes);
}

}  // namespace counterpoint::multibody
