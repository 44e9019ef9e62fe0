#pragma once

#include <utility>
#include <vector>

namespace counterpoint::multibody {

/// Where a matrix has entries, row by row; found once, never changed.
struct SparsePattern {
  int rows = 0;
  int columns = 0;
  std::vector<int> row_start{0};  ///< rows + 1 places
  std::vector<int> column;

  int entries() const { return static_cast<int>(column.size()); }
  /// Place of entry (row, col), or -1.
  int find(int row, int col) const;
  void append_row(const std::vector<int>& columns_of_row);

  /// Sorted pattern from entries in any order; repeated ones are one.
  static SparsePattern from(int rows, int columns, std::vector<std::pair<int, int>> entries);
};

/// Largest absolute value; NaN or infinity when one of them is.
double largest_absolute(const double* x, int count);

/// y = A x.
inline void multiply(const SparsePattern& pattern, const double* values, const double* x, double* y) {
  const int* start = pattern.row_start.data();
  const int* column = pattern.column.data();
  for (int row = 0; row < pattern.rows; ++row) {
    double sum = 0.0;
    for (int k = start[row]; k < start[row + 1]; ++k) sum += values[k] * x[column[k]];
    y[row] = sum;
  }
}

/// y += A^T x.
inline void add_transposed(const SparsePattern& pattern, const double* values, const double* x, double* y) {
  const int* start = pattern.row_start.data();
  const int* column = pattern.column.data();
  for (int row = 0; row < pattern.rows; ++row) {
    const double factor = x[row];
    for (int k = start[row]; k < start[row + 1]; ++k) y[column[k]] += values[k] * factor;
  }
}

}  // namespace counterpoint::multibody
