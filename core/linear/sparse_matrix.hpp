#pragma once

#include <Eigen/SparseCore>
#include <algorithm>

#include "linear/pattern.hpp"

namespace counterpoint::linear {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// Eigen's matrix of a pattern, all zero, with one place behind the last value: the spare slot.
inline SparseMatrix sparse_matrix(const Lists& columns) {
  const int size = static_cast<int>(columns.start.size()) - 1;
  SparseMatrix matrix(size, size);
  matrix.resizeNonZeros(static_cast<Eigen::Index>(columns.items.size()) + 1);
  std::ranges::copy(columns.start, matrix.outerIndexPtr());
  std::ranges::copy(columns.items, matrix.innerIndexPtr());
  std::fill_n(matrix.valuePtr(), columns.items.size() + 1, 0.0);
  return matrix;
}

inline std::span<double> values_with_spare(SparseMatrix& matrix) {
  return {matrix.valuePtr(), static_cast<std::size_t>(matrix.nonZeros()) + 1};
}

}  // namespace counterpoint::linear
