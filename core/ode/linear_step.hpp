#pragma once

#include <vector>

#include "ode/solver.hpp"

namespace counterpoint {

/// A one-step method on a linear system is a matrix: with the inputs u_j = u(t + c_j h) that it asks for,
///     x+ = P x + Q_0 u_0 + Q_1 u_1 + ...
/// P and Q_j depend on the step size only and are computed once for it: [Q_0 Q_1 ... P], column by column, overwrites
/// `columns`.
using GatherLinearMap = void (*)(const LinearRightHandSide& f, double h, std::vector<double>& columns);

/// Append the columns of a matrix.
template <class Columns>
void append_columns(const Columns& matrix, std::vector<double>& to) {
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) to.push_back(matrix(i, j));
  }
}

/// The solver that steps with such a map; `fractions` are the c_j.
SolverPointer make_linear_step(std::shared_ptr<const LinearRightHandSide> f, std::vector<double> fractions,
                               GatherLinearMap gather);

}  // namespace counterpoint
