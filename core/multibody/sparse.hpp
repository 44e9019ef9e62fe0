#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace counterpoint::multibody {

/// Where a matrix has entries, row by row; found once, never changed.
struct SparsePattern {
  int rows = 0;
  int columns = 0;
  std::vector<int> row_start{0};  ///< rows + 1 places
  std::vector<int> column;

  /// Rows that follow each other and have the same number of entries.
  struct Run {
    int rows = 0;
    int entries = 0;        ///< a row
    bool in_pairs = false;  ///< each second row has the columns of the row before it plus one
  };
  std::vector<Run> runs;

  int entries() const { return static_cast<int>(column.size()); }
  /// Place of entry (row, col), or -1.
  int find(int row, int col) const;
  void append_row(const std::vector<int>& columns_of_row);
  void add_to_runs(int row);
  void find_pairs();

  /// Sorted pattern from entries in any order; repeated ones are one.
  static SparsePattern from(int rows, int columns, std::vector<std::pair<int, int>> entries);
};

/// Largest absolute value of what it takes; NaN or infinity when one of them is. Compares bits without the sign, whose
/// order is that of the sizes with NaN above all: nothing is passed over, and nothing waits for a sum.
class Largest {
 public:
  void take(double x) { largest_ = std::max(largest_, std::bit_cast<std::uint64_t>(x) << 1); }
  double value() const { return std::bit_cast<double>(largest_ >> 1); }

 private:
  std::uint64_t largest_ = 0;
};

inline double largest_absolute(const double* x, int count) {
  Largest largest;
  for (int i = 0; i < count; ++i) largest.take(x[i]);
  return largest.value();
}

/// y = factor (A x - z).
void multiply_less(const SparsePattern& pattern, const double* values, const double* x, const double* z, double factor,
                   double* y);
/// The same for rows begin to end - 1.
void multiply_less(const SparsePattern& pattern, const double* values, const double* x, const double* z, double factor,
                   double* y, int begin, int end);

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
