#include "linear/decompositions.hpp"

namespace counterpoint::linear {

Eigen::VectorXd solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) { return a.partialPivLu().solve(b); }

Eigen::VectorXd solve_singular(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return Eigen::FullPivLU<Eigen::MatrixXd>(a).solve(b);
}

RowMatrix inverse(const RowMatrix& a) { return a.inverse(); }

void RowLu::compute(const RowMatrix& a) { factors_.compute(a); }

Eigen::VectorXd RowLu::solve(const Eigen::VectorXd& b) const { return factors_.solve(b); }

}  // namespace counterpoint::linear
