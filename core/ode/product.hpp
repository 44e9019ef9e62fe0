#pragma once

#include "ode/right_hand_side.hpp"

namespace counterpoint {

/// y (+)= M x. Small matrices by plain loops: calling Eigen's general product costs more than the product.
inline void multiply(const Matrix& m, const double* x, double* y, bool add = false) {
  const Eigen::Index rows = m.rows();
  const Eigen::Index columns = m.cols();
  if (rows * columns > 64) {
    const Eigen::Map<const Vector> in(x, columns);
    Eigen::Map<Vector> out(y, rows);
    if (add) {
      out.noalias() += m * in;
    } else {
      out.noalias() = m * in;
    }
    return;
  }
  const double* row = m.data();
  for (Eigen::Index i = 0; i < rows; ++i, row += columns) {
    double sum = add ? y[i] : 0.0;
    for (Eigen::Index j = 0; j < columns; ++j) sum += row[j] * x[j];
    y[i] = sum;
  }
}

}  // namespace counterpoint
