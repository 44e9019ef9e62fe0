#pragma once

#include <Eigen/Core>
#include <vector>

#include "multibody/combination.hpp"

namespace counterpoint::multibody {

using Vector = Eigen::Vector3d;

/// The points and vectors of bodies that a force element takes hold of.
///
/// A plane model is seen as the plane z = 0 of space, and a combination of dimension 1 as the line y = z = 0: values
/// get components 0, and those of a force go nowhere. Elements think in rows: a row holds dr/dq of some scalar rate r =
/// row . v, so that f * row is what a force f that works on r does on the coordinates, and f = -c r has the tangent c
/// row row^T.
class Attachment {
 public:
  explicit Attachment(std::vector<Combination> combinations);

  /// All coordinates it touches, sorted; a row has one place for each.
  const std::vector<int>& columns() const { return columns_; }
  int dimension() const { return combinations_.front().dimension; }

  Vector at(int which, const double* q) const;
  Vector rate(int which, const double* v) const;
  /// Q += C^T force.
  void add_force(int which, const Vector& force, double* Q) const;
  /// row += C^T force, on the columns only.
  void add_to_row(int which, const Vector& force, double* row) const;

 private:
  std::vector<Combination> combinations_;
  std::vector<std::vector<int>> places_;  ///< of each weight of each combination, in a row
  std::vector<int> columns_;
};

/// block += factor * row row^T.
void add_square(const std::vector<double>& row, double factor, double* block);

}  // namespace counterpoint::multibody
