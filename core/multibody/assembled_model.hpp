#pragma once

#include <string>
#include <utility>
#include <vector>

#include "multibody/constraint.hpp"
#include "multibody/force.hpp"
#include "multibody/model.hpp"

namespace counterpoint::multibody {

/// One entry of a matrix in coordinate form; entries at the same place add up.
struct MatrixEntry {
  int row = 0;
  int column = 0;
  double value = 0.0;
};

/// A body or a point mass by name, and what each kilogram of it adds, so that the mass can be changed later.
struct Load {
  std::string name;
  double mass = 0.0;                 ///< kg
  std::vector<MatrixEntry> inertia;  ///< of the mass matrix, 1/kg
  std::vector<MatrixEntry> weight;   ///< of the constant force, N/kg; columns are 0
};

/// What a mechanism is made of, before patterns are found.
struct Parts {
  int free = 0;                          ///< coordinates that move
  std::vector<std::string> coordinates;  ///< names of all, the fixed ones last
  std::vector<MatrixEntry> mass;         ///< over all coordinates, both triangles
  std::vector<double> constant_force;    ///< gravity, all coordinates
  std::vector<Load> loads;               ///< what mass and constant_force are the sums of, as far as it has names
  double constant_energy = 0.0;          ///< added to the potential energy
  std::vector<ConstraintBatchPointer> constraints;
  std::vector<MeasurePointer> measures;
  std::vector<ForcePointer> forces;
  int inputs = 0;
};

/// A model assembled from bodies, joints and forces; all patterns are found here, once.
class AssembledModel final : public Model {
 public:
  explicit AssembledModel(Parts parts);

  void mass(const Instant& now, double* values) const override;
  void constraints(const Instant& now, double* phi, double* jacobian) const override;
  bool rheonomic() const override { return rheonomic_; }
  void velocity_terms(const Instant& now, double* phi_t) const override;
  void acceleration_terms(const Instant& now, double* rest) const override;
  void projection_terms(const Instant& now, const double* a, const double* multipliers, double* sides,
                        double* out) const override;
  bool constant_forces() const override { return parts_.forces.empty(); }
  void forces(const Instant& now, double* Q) const override;
  void force_change(const Instant& now, const double* dq, const double* dv, double step, double* dQ) const override;
  double curvature() const override { return curvature_; }
  bool has_tangent() const override { return !tangent_blocks_.empty(); }
  void add_tangent(const Instant& now, double stiffness, double damping, double* values) const override;
  void start(const Instant& now, double* memory) const override;
  void accept(const Instant& now, double* memory) const noexcept override;
  double potential_energy(const Instant& now) const override;
  std::string equation_name(int equation) const override;
  std::string coordinate_name(int coordinate) const override { return parts_.coordinates[coordinate]; }

  /// Rows of the fixed coordinates of M a: what the supports feel of the bodies' inertia.
  void add_fixed_inertia(const double* a, double* out) const;
  const Parts& parts() const { return parts_; }

  struct TangentBlock {
    const Force* force;
    std::vector<int> places;  ///< in the tangent's values, row by row; -1 where a coordinate is fixed
    /// `block`: room for as many values as there are places.
    void add(const Instant& now, double stiffness, double damping, double* block, double* values) const;
  };
  const std::vector<TangentBlock>& tangent_blocks() const { return tangent_blocks_; }
  const AssembledModel* assembled() const override { return this; }

 private:
  void find_mass_pattern();
  void find_jacobian_pattern();
  void find_tangent_pattern();
  void give_memory();

  Parts parts_;
  std::vector<double> mass_values_;
  std::vector<MatrixEntry> fixed_mass_;  ///< entries in rows of fixed coordinates
  std::vector<TangentBlock> tangent_blocks_;
  bool rheonomic_ = false;
  double curvature_ = 0.0;
  struct Placed {
    const ConstraintBatch* batch;
    std::ptrdiff_t equations;
    std::ptrdiff_t first_entry;  ///< in the Jacobian's values
  };
  std::vector<Placed> placed_;         ///< the constraints
  mutable std::vector<double> block_;  // scratch
};

}  // namespace counterpoint::multibody
