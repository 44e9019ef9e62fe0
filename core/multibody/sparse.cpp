#include "multibody/sparse.hpp"

#include <algorithm>

namespace counterpoint::multibody {

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
