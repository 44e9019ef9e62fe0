#include "multibody/sparse.hpp"

#include <algorithm>
#include <cmath>

#include "linear/unroll.hpp"

namespace counterpoint::multibody {

// Four at a time: each maximum would have to wait for the one before.
double largest_absolute(const double* x, int count) {
  double largest[4] = {0.0, 0.0, 0.0, 0.0}, sum[4] = {0.0, 0.0, 0.0, 0.0};
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    COUNTERPOINT_UNROLL
    for (int k = 0; k < 4; ++k) {
      const double size = std::abs(x[i + k]);
      largest[k] = std::max(largest[k], size);
      sum[k] += size;
    }
  }
  for (; i < count; ++i) {
    largest[0] = std::max(largest[0], std::abs(x[i]));
    sum[0] += std::abs(x[i]);
  }
  // Comparisons pass over NaN, sums do not.
  const double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  if (!std::isfinite(total)) return total;
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

int SparsePattern::find(int row, int col) const {
  for (int k = row_start[row]; k < row_start[row + 1]; ++k) {
    if (column[k] == col) return k;
  }
  return -1;
}

void SparsePattern::append_row(const std::vector<int>& columns_of_row) {
  column.insert(column.end(), columns_of_row.begin(), columns_of_row.end());
  row_start.push_back(static_cast<int>(column.size()));
  ++rows;
}

SparsePattern SparsePattern::from(int rows, int columns, std::vector<std::pair<int, int>> entries) {
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  SparsePattern pattern;
  pattern.rows = rows;
  pattern.columns = columns;
  pattern.row_start.assign(rows + 1, 0);
  pattern.column.reserve(entries.size());
  for (const auto& [row, col] : entries) {
    ++pattern.row_start[row + 1];
    pattern.column.push_back(col);
  }
  for (int row = 0; row < rows; ++row) pattern.row_start[row + 1] += pattern.row_start[row];
  return pattern;
}

}  // namespace counterpoint::multibody
