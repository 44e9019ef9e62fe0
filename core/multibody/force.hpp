#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "multibody/combination.hpp"
#include "multibody/measure.hpp"
#include "multibody/model.hpp"
#include "multibody/time_function.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::multibody {

/// Something that acts on the coordinates.
///
/// Contract for implementers:
///  1. `add` adds to Q, which has a row per coordinate; action and reaction are both its duty.
///  2. `columns` are the coordinates that the tangent block spans; `tangent` writes the block
///     stiffness * K + damping * C (row by row, symmetric), K = -dQ/dq, C = -dQ/dv. What is left out only costs
///     iterations. An element of many parts has a block for each (`blocks`), written one after the other, so that the
///     tangent stays sparse. `add_change` adds the exact derivative of Q along (dq, dv) and says true; an element that
///     does not know it says false.
///  3. What an element must remember from step to step (slip of a tyre, turns of an angle) lies in `memory()` places of
///     the model's memory from `memory_start` on. `start` fills them, `accept` renews them at the end of a step; during
///     a step they are read only, and the element works out its present state from them and the time since
///     `step_start`.
///  4. `is_local`: it writes to the rows of `columns` only, and any thread may call it.
///  5. `values` are what the element shows besides (a spring's force, a tyre's slip), `value_names` says which.
class Force : public recipe::Describable {
 public:
  virtual ~Force() = default;
  virtual void add(const Instant& now, double* Q) const = 0;
  const std::vector<int>& columns() const { return columns_; }
  virtual bool is_local() const { return false; }
  virtual std::vector<std::vector<int>> blocks() const { return {columns_}; }
  virtual bool has_tangent() const { return false; }
  virtual void tangent(const Instant& /*now*/, double /*stiffness*/, double /*damping*/, double* /*block*/) const {}
  virtual bool add_change(const Instant& /*now*/, const double* /*dq*/, const double* /*dv*/, double* /*dQ*/) const {
    return false;
  }
  /// Energy stored, J.
  virtual double energy(const Instant& /*now*/) const { return 0.0; }
  virtual int memory() const { return 0; }
  virtual void start(const Instant& /*now*/, double* /*memory*/) const {}
  virtual void accept(const Instant& /*now*/, double* /*memory*/) const noexcept {}
  virtual std::vector<std::string> value_names() const { return {}; }
  virtual void values(const Instant& /*now*/, double* /*out*/) const {}

  int memory_start = 0;
  std::string name;

 protected:
  std::vector<int> columns_;
};

using ForcePointer = std::shared_ptr<Force>;

/// A piecewise linear curve, continued beyond its ends with the last slope; empty means zero.
struct Curve {
  std::vector<double> x, y;
  struct Value {
    double y = 0.0, slope = 0.0, integral = 0.0;  ///< integral from x = 0
  };
  Value at(double position) const;
};

/// How a force depends on a measure s and its rate: positive force makes s larger.
struct ScalarLaw {
  double stiffness = 0.0;        ///< N/m or N m/rad
  double natural = 0.0;          ///< s without spring force
  double damping = 0.0;          ///< N s/m or N m s/rad
  Curve spring;                  ///< restoring force over s - natural, added to the linear one
  Curve damper;                  ///< resisting force over ds/dt, added to the linear one
  double friction = 0.0;         ///< sliding friction
  double breakaway = 0.0;        ///< friction at rest; 0 means as sliding
  double friction_rate = 1e-3;   ///< ds/dt at which friction is nearly full
  double stribeck_rate = 1e-2;   ///< ds/dt over which breakaway falls to sliding friction
  double constant = 0.0;         ///< constant force
  TimeFunctionPointer actuator;  ///< prescribed force, of time or an input
};

ForcePointer make_scalar_force(MeasurePointer measure, ScalarLaw law);

/// A force on a point, components in space or along the axes of a body; each of `components` may be null.
ForcePointer make_point_force(Combination point, std::vector<TimeFunctionPointer> components,
                              std::vector<Combination> axes);

/// A torque on a body given by its three orthonormal axes (space), or by one axis and its turned one (plane).
ForcePointer make_torque(std::vector<Combination> axes, std::vector<TimeFunctionPointer> components, bool in_body_axes);

}  // namespace counterpoint::multibody
