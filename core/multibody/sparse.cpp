#include "multibody/sparse.hpp"

#include <algorithm>

#include "linear/unroll.hpp"

namespace counterpoint::multibody {

namespace {

template <int known_entries>
COUNTERPOINT_INLINE void multiply_run(const SparsePattern::Run& run, const double* values, const int* column,
                                      const double* x, double factor, const double* z, double* y) {
  const int entries = known_entries > 0 ? known_entries : run.entries;
  for (int row = 0; row < run.rows; ++row, values += entries, column += entries) {
    double sum = -z[row];
    COUNTERPOINT_UNROLL
    for (int k = 0; k < entries; ++k) sum += values[k] * x[column[k]];
    y[row] = factor * sum;
  }
}

COUNTERPOINT_INLINE void multiply_rows(const SparsePattern::Run& run, const double* values, const int* column,
                                       const double* x, double factor, const double* z, double* y) {
  switch (run.entries) {
    case 2:
      return multiply_run<2>(run, values, column, x, factor, z, y);
    case 3:
      return multiply_run<3>(run, values, column, x, factor, z, y);
    case 4:
      return multiply_run<4>(run, values, column, x, factor, z, y);
    default:
      return multiply_run<0>(run, values, column, x, factor, z, y);
  }
}

}  // namespace

void multiply_less(const SparsePattern& pattern, const double* values, const double* x, const double* z, double factor,
                   double* y) {
  const int* column = pattern.column.data();
  for (const SparsePattern::Run& run : pattern.runs) {
    multiply_rows(run, values, column, x, factor, z, y);
    values += run.rows * run.entries;
    column += run.rows * run.entries;
    z += run.rows;
    y += run.rows;
  }
}

void multiply_less(const SparsePattern& pattern, const double* values, const double* x, const double* z, double factor,
                   double* y, int begin, int end) {
  int first = 0;
  for (const SparsePattern::Run& run : pattern.runs) {
    const int from = std::max(begin, first), to = std::min(end, first + run.rows);
    first += run.rows;
    if (from >= to) continue;
    const int entry = pattern.row_start[from];
    multiply_rows({to - from, run.entries}, values + entry, pattern.column.data() + entry, x, factor, z + from,
                  y + from);
  }
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
  add_to_runs(rows++);
}

void SparsePattern::add_to_runs(int row) {
  const int entries_of_row = row_start[row + 1] - row_start[row];
  if (runs.empty() || runs.back().entries != entries_of_row) runs.push_back({0, entries_of_row});
  ++runs.back().rows;
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
  for (int row = 0; row < rows; ++row) {
    pattern.row_start[row + 1] += pattern.row_start[row];
    pattern.add_to_runs(row);
  }
  return pattern;
}

}  // namespace counterpoint::multibody
