#pragma once

#include <Eigen/LU>

namespace counterpoint::linear {

// Dense decompositions, compiled once for all rooms: in every file that uses them, Eigen's templates take seconds to
// compile. For a matrix of fixed pattern that is solved in every step see solver.hpp.

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// x in A x = b, by LU with exchanges of rows; not finite where A is singular.
Eigen::VectorXd solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// x in A x = b, by LU with exchanges of rows and columns; where A is singular, some x that fulfils what can be
/// fulfilled.
Eigen::VectorXd solve_singular(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// The x with the smallest |A x - b|, by Householder QR; A has full rank and no more columns than rows.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// The smallest of all x with the smallest |A x - b|, by a complete orthogonal decomposition: A of any rank, which
/// counts pivots above `tolerance` of the largest.
Eigen::MatrixXd smallest_least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double tolerance);

/// The diagonal of R in A = Q R: what is left of each column when those before it are taken away.
Eigen::VectorXd remaining_sizes(const Eigen::MatrixXd& a);

RowMatrix inverse(const RowMatrix& a);

/// LU with exchanges of rows, for several right-hand sides.
class RowLu {
 public:
  void compute(const RowMatrix& a);
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  Eigen::PartialPivLU<RowMatrix> factors_;
};

}  // namespace counterpoint::linear
