#pragma once

#include <memory>
#include <vector>

#include "multibody/assembled_model.hpp"

namespace counterpoint::multibody {

/// The elements of a model by the domain of the coordinates that they connect, so that the elements of different
/// domains can be evaluated at once: none writes where one of another domain does. The last share has the elements that
/// connect several domains and those that must stay with the thread that calls; it is evaluated alone.
class Shares {
 public:
  /// `domain_of`: of each free coordinate; `domains` means none.
  Shares(const AssembledModel& model, const std::vector<int>& domain_of, int domains);

  /// As those of Model, for one share.
  void constraints(int share, const Instant& now, double* phi, double* jacobian) const;
  void projection_terms(int share, const Instant& now, const double* a, const double* multipliers, double* sides,
                        double* out) const;
  void add_forces(int share, const Instant& now, double* Q) const;
  void add_tangent(int share, const Instant& now, double stiffness, double damping, double* values);

 private:
  struct Batch {
    const ConstraintBatch* constraints;
    std::ptrdiff_t first_equation, first_entry;
  };
  struct Share {
    std::vector<Batch> batches;
    std::vector<const Force*> forces;
    std::vector<const AssembledModel::TangentBlock*> tangents;
    std::vector<double> block;  ///< scratch of `add_tangent`
  };
  class Sorting;

  std::vector<Share> shares_;
  std::vector<ConstraintBatchPointer> parts_;  ///< of batches that were divided
};

}  // namespace counterpoint::multibody
