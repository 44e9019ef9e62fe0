#include "ode/right_hand_side.hpp"

#include "ode/product.hpp"

namespace counterpoint {

LinearRightHandSide::LinearRightHandSide(Matrix a, Matrix b)
    : RightHandSide(static_cast<int>(a.rows()), static_cast<int>(b.cols())), a_(std::move(a)), b_(std::move(b)) {}

void LinearRightHandSide::evaluate(double, const double* x, const double* u, double* dx) const {
  multiply(a_, x, dx);
  if (inputs() > 0) multiply(b_, u, dx, true);
}

}  // namespace counterpoint
