#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "multibody/combination.hpp"
#include "multibody/measure.hpp"
#include "multibody/model.hpp"
#include "multibody/time_function.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::multibody {

/// Constraint equations of one kind, evaluated in one loop.
///
/// Contract for implementers: `append_rows` lists the Jacobian's columns, one row per equation, and `evaluate` writes
/// Phi and the Jacobian's values in that order; the other two are as in Model. Equations are scaled so that Phi is a
/// length in m (or an angle in rad) and the multiplier a force in N (or a torque in N m).
class ConstraintBatch : public recipe::Describable {
 public:
  virtual ~ConstraintBatch() = default;
  int equations() const { return static_cast<int>(names.size()); }
  virtual void append_rows(SparsePattern& jacobian) const = 0;
  virtual void evaluate(const Instant& now, double* phi, double* jacobian) const = 0;
  virtual bool rheonomic() const { return false; }
  /// Bound of what Phi changes beyond its linear part when no coordinate moves more than 1 m: 1/m; unknown: infinite.
  virtual double curvature() const { return std::numeric_limits<double>::infinity(); }
  virtual void velocity_terms(const Instant& now, double* phi_t) const;
  virtual void acceleration_terms(const Instant& now, double* rest) const = 0;
  virtual void projection_terms(const Instant& now, const double* a, const double* multipliers, double* sides,
                                double* out) const;

  /// Equations `begin` to `end` - 1 as a batch of their own; null where a batch cannot be divided.
  virtual std::shared_ptr<ConstraintBatch> part(int /*begin*/, int /*end*/) const { return nullptr; }

  std::vector<std::string> names;  ///< one per equation, for messages

 private:
  mutable std::vector<double> phi_t_, rest_;  // scratch
};

using ConstraintBatchPointer = std::shared_ptr<ConstraintBatch>;

/// (|b - a|^2 - l^2) / (2 l) = 0 between two points that are coordinates.
struct DistanceRow {
  int first = 0;
  int second = 0;
  double length = 1.0;
};
ConstraintBatchPointer make_distances(int dimension, const std::vector<DistanceRow>& rows);

/// (A . B - value) / scale = 0.
struct DotRow {
  Combination a, b;
  double value = 0.0;
  double scale = 1.0;
};
ConstraintBatchPointer make_dots(const std::vector<DotRow>& rows);

/// Combination = 0, `dimension` equations each.
ConstraintBatchPointer make_coincidences(const std::vector<Combination>& combinations);

/// sum of factor * measure - prescribed = 0: guided values, gears, racks.
struct RelationRow {
  std::vector<MeasurePointer> measures;
  std::vector<double> factors;
  TimeFunctionPointer prescribed;
};
ConstraintBatchPointer make_relations(const std::vector<RelationRow>& rows);

}  // namespace counterpoint::multibody
