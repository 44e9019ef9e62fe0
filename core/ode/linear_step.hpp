#pragma once

#include <functional>

#include "ode/solver.hpp"

namespace counterpoint {

/// A one-step method on a linear system is a matrix: with the inputs u_j = u(t + c_j h) that it asks for,
///     x+ = P x + Q_0 u_0 + Q_1 u_1 + ...
/// P and Q_j depend on the step size only and are gathered once for it.
struct LinearMap {
  Matrix p;
  std::vector<Matrix> q;  ///< one for each c_j
};

using GatherLinearMap = std::function<LinearMap(const LinearRightHandSide& f, double h)>;

/// The solver that steps with such a map; `fractions` are the c_j.
SolverPointer make_linear_step(std::shared_ptr<const LinearRightHandSide> f, std::vector<double> fractions,
                               GatherLinearMap gather);

}  // namespace counterpoint
