#pragma once

#include "ode/right_hand_side.hpp"

namespace counterpoint {

/// y (+)= M x, row by row.
inline void multiply_rows(const double* row, int rows, int columns, const double* x, double* y, bool add = false) {
  for (int i = 0; i < rows; ++i, row += columns) {
    double sum = add ? y[i] : 0.0;
    for (int j = 0; j < columns; ++j) sum += row[j] * x[j];
    y[i] = sum;
  }
}

constexpr Eigen::Index most_by_rows = 64;  ///< numbers in a matrix

/// y (+)= M x. Small matrices by plain loops: calling Eigen's general product costs more than the product.
inline void multiply(const Matrix& m, const double* x, double* y, bool add = false) {
  const Eigen::Index rows = m.rows();
  const Eigen::Index columns = m.cols();
  if (rows * columns > most_by_rows) {
    const Eigen::Map<const Vector> in(x, columns);
    Eigen::Map<Vector> out(y, rows);
    if (add) {
      out.noalias() += m * in;
    } else {
      out.noalias() = m * in;
    }
    return;
  }
  multiply_rows(m.data(), static_cast<int>(rows), static_cast<int>(columns), x, y, add);
}

}  // namespace counterpoint
