#include <Eigen/QR>

#include "linear/decompositions.hpp"

namespace counterpoint::linear {

Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) { return a.householderQr().solve(b); }

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return a.householderQr().solve(b); }

Eigen::MatrixXd smallest_least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double tolerance) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(tolerance);
  return solver.compute(a).solve(b);
}

Eigen::VectorXd remaining_sizes(const Eigen::MatrixXd& a) { return a.householderQr().matrixQR().diagonal(); }

}  // namespace counterpoint::linear
