#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "multibody/sparse.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::multibody {

class AssembledModel;

/// Everything a dynamic term may depend on. Coordinates and velocities include the fixed ones, which come last.
struct Instant {
  double t = 0.0;
  const double* q = nullptr;
  const double* v = nullptr;
  const double* u = nullptr;   ///< inputs at t
  const double* du = nullptr;  ///< their first and second time derivatives: for guided values
  const double* ddu = nullptr;
  const double* memory = nullptr;  ///< what elements remember of the last accepted step
  double step_start = 0.0;         ///< when that was, s
};

/// A mechanism: the dynamic terms M, Phi, Phi_q, Q of  M q'' + Phi_q^T lambda = Q,  Phi(q, t) = 0.
///
/// Model, formulation and integrator are three exchangeable parts; this is the first. Contract for implementers:
///  1. Coordinates 0 .. coordinates()-1 are free; those up to all_coordinates()-1 are fixed in space. Vectors q, v, Q
///     hold all of them; the fixed ones are not moved, and what is written to their rows are reactions.
///  2. Patterns and sizes never change after construction. The mass pattern is square over the free coordinates with
///  both
///     triangles; the tangent pattern contains it; the Jacobian has a column per coordinate, fixed or not.
///  3. `constraints` gives Phi and the values of Phi_q on its pattern.
///  4. `velocity_terms` gives Phi_t, so that Phi' = Phi_q v + Phi_t; it is asked only of models that are `rheonomic`.
///     `acceleration_terms` gives the rest of the second derivative, so that Phi'' = Phi_q a + rest.
///     `projection_terms` gives both and one derivative more, Phi''' = Phi_q j + terms: the three of an equation lie
///     beside each other in `sides`. It also adds (Phi_q)'^T lambda to `out`. The terms are zero where a constraint
///     does not know them: only Hermite's rule asks for them, and is of order 2 there instead of 4. A model whose
///     evaluation is expensive may answer for the last instant that `constraints` was asked about at the same t.
///  5. `forces` sets Q, all rows.
///     `force_change` gives its derivative along a direction, for linear models.
///  6. `add_tangent` adds stiffness * K + damping * C, K = -dQ/dq and C = -dQ/dv, symmetrised, on the tangent pattern;
///  an
///     approximation is allowed, it only slows the iteration. A model without such terms says `has_tangent() == false`.
///  7. `accept` is called once at the end of every accepted step, and writes what elements must remember. It cannot
///  fail.
///  8. `curvature` bounds what a constraint (1/m) changes beyond its linear part; infinite where forces depend on the
///  state or
///     no bound is known: then every iteration is checked by evaluating all terms again.
///  9. All methods are const and use no hidden state: the same instant gives the same bits.
class Model : public recipe::Describable {
 public:
  virtual ~Model() = default;

  int coordinates() const { return mass_pattern_.rows; }
  int all_coordinates() const { return jacobian_pattern_.columns; }
  int equations() const { return jacobian_pattern_.rows; }
  int inputs() const { return inputs_; }
  int memory() const { return memory_; }

  const SparsePattern& mass_pattern() const { return mass_pattern_; }
  const SparsePattern& jacobian_pattern() const { return jacobian_pattern_; }
  const SparsePattern& tangent_pattern() const { return tangent_pattern_; }

  virtual bool constant_mass() const { return true; }
  virtual bool constant_forces() const { return false; }
  virtual void mass(const Instant& now, double* values) const = 0;
  virtual void constraints(const Instant& now, double* phi, double* jacobian) const = 0;
  virtual bool rheonomic() const { return false; }
  virtual void velocity_terms(const Instant& /*now*/, double* /*phi_t*/) const {}
  virtual void acceleration_terms(const Instant& now, double* rest) const = 0;
  virtual void projection_terms(const Instant& now, const double* a, const double* multipliers, double* sides,
                                double* out) const;
  virtual void forces(const Instant& now, double* Q) const = 0;
  /// dQ = derivative of Q along (dq, dv), all rows; by differences over `step` where nothing better is known.
  virtual void force_change(const Instant& now, const double* dq, const double* dv, double step, double* dQ) const;
  virtual double curvature() const { return std::numeric_limits<double>::infinity(); }
  virtual bool has_tangent() const { return false; }
  virtual void add_tangent(const Instant& /*now*/, double /*stiffness*/, double /*damping*/, double* /*values*/) const {
  }
  virtual void start(const Instant& /*now*/, double* /*memory*/) const {}
  virtual void accept(const Instant& /*now*/, double* /*memory*/) const noexcept {}
  /// Energy stored in gravity and springs, J.
  virtual double potential_energy(const Instant& /*now*/) const { return 0.0; }

  /// The elements behind the terms, where the model is made of elements.
  virtual const AssembledModel* assembled() const { return nullptr; }

  virtual std::string equation_name(int equation) const { return "constraint " + std::to_string(equation); }
  virtual std::string coordinate_name(int coordinate) const { return "coordinate " + std::to_string(coordinate); }

 protected:
  SparsePattern mass_pattern_;
  SparsePattern jacobian_pattern_;
  SparsePattern tangent_pattern_;
  int inputs_ = 0;
  int memory_ = 0;
};

using ModelPointer = std::shared_ptr<const Model>;

/// What `projection_terms` gives where no third derivative is known.
void put_sides(const std::vector<double>& phi_t, const std::vector<double>& rest, double* sides);

/// rest = change of  Phi_q v + Phi_t  along the motion, by central differences: exact where Phi_q is linear in q. For
/// models that do not write their acceleration terms; `length` is the size of the model, m.
void difference_of_rates(const Model& model, const Instant& now, double length, double* rest);

/// dQ += derivative of what `add` adds to Q along (dq, dv), by central differences of fourth order.
void add_difference(const std::function<void(const Instant&, double*)>& add, const Instant& now, int coordinates,
                    const double* dq, const double* dv, double step, double* dQ);

}  // namespace counterpoint::multibody
