#include "ode/right_hand_side.hpp"

namespace counterpoint {

LinearRightHandSide::LinearRightHandSide(Matrix a, Matrix b)
    : RightHandSide(static_cast<int>(a.rows()), static_cast<int>(b.cols())), a_(std::move(a)), b_(std::move(b)) {}

void LinearRightHandSide::evaluate(double, const double* x, const double* u, double* dx) const {
  const Eigen::Map<const Vector> state(x, states());
  const Eigen::Map<const Vector> input(u, inputs());
  Eigen::Map<Vector> result(dx, states());
  result.noalias() = a_ * state;
  if (inputs() > 0) result.noalias() += b_ * input;
}

}  // namespace counterpoint
