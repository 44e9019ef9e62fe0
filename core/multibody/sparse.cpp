#include "multibody/sparse.hpp"

#include <algorithm>

#include "linear/unroll.hpp"
#include "multibody/neighbours.hpp"
#include "multibody/repeated_rows.hpp"

namespace counterpoint::multibody {

namespace {

constexpr int most_in_pairs = 3;     ///< entries of a row
constexpr int fewest_repeated = 16;  ///< rows

/// Repeated: all rows are the first one moved on.
template <int known_entries, bool repeated>
COUNTERPOINT_INLINE void multiply_run(const SparsePattern::Run& run, const double* values, const int* column,
                                      const double* x, double factor, const double* z, double* y) {
  const int entries = known_entries > 0 ? known_entries : run.entries;
  for (int row = 0; row < run.rows; ++row) {
    double sum = -z[row];
    COUNTERPOINT_UNROLL
    for (int k = 0; k < entries; ++k) sum += values[k] * x[column[k]];
    y[row] = factor * sum;
    if constexpr (repeated) {
      ++x;
    } else {
      values += entries;
      column += entries;
    }
  }
}

/// Two rows at once: the coordinates of points that masses connect lie beside each other.
template <int known_entries, bool repeated>
COUNTERPOINT_INLINE void multiply_pairs(const SparsePattern::Run& run, const double* values, const int* column,
                                        const double* x, double factor, const double* z, double* y) {
  const int entries = known_entries > 0 ? known_entries : run.entries;
  for (int row = 0; row < run.rows; row += 2) {
    Neighbours<2> sum = -Neighbours<2>::at(z + row);
    COUNTERPOINT_UNROLL
    for (int k = 0; k < entries; ++k)
      sum = sum + Neighbours<2>{{values[k], values[entries + k]}} * Neighbours<2>::at(x + column[k]);
    (factor * sum).write(y + row);
    if constexpr (repeated) {
      x += 2;
    } else {
      values += 2 * entries;
      column += 2 * entries;
    }
  }
}

template <bool repeated>
COUNTERPOINT_INLINE void multiply_rows(const SparsePattern::Run& run, const double* values, const int* column,
                                       const double* x, double factor, const double* z, double* y) {
  switch (run.in_pairs ? -run.entries : run.entries) {
    case -1:
      return multiply_pairs<1, repeated>(run, values, column, x, factor, z, y);
    case -2:
      return multiply_pairs<2, repeated>(run, values, column, x, factor, z, y);
    case -3:
      return multiply_pairs<3, repeated>(run, values, column, x, factor, z, y);
    case 2:
      return multiply_run<2, repeated>(run, values, column, x, factor, z, y);
    case 3:
      return multiply_run<3, repeated>(run, values, column, x, factor, z, y);
    case 4:
      return multiply_run<4, repeated>(run, values, column, x, factor, z, y);
    default:
      return multiply_run<0, repeated>(run, values, column, x, factor, z, y);
  }
}

}  // namespace

void multiply_less(const SparsePattern& pattern, const double* values, const double* x, const double* z, double factor,
                   double* y) {
  const int* column = pattern.column.data();
  for (const SparsePattern::Run& run : pattern.runs) {
    multiply_rows<false>(run, values, column, x, factor, z, y);
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
    multiply_rows<false>({to - from, run.entries, run.in_pairs}, values + entry, pattern.column.data() + entry, x,
                         factor, z + from, y + from);
  }
}

RepeatedRows::RepeatedRows(const SparsePattern& pattern, const double* values) : pattern_(pattern), values_(values) {
  int row = 0;
  for (const SparsePattern::Run& run : pattern.runs) {
    const int end = row + run.rows, together = run.in_pairs ? 2 : 1;
    while (row < end) {
      Piece piece{row, row + together, run, false};
      while (piece.end < end && repeats(piece.end, together, run.entries)) piece.end += together;
      piece.repeated = piece.end - piece.first >= fewest_repeated;
      const bool goes_on = !piece.repeated && !pieces_.empty() && !pieces_.back().repeated && row > end - run.rows;
      if (goes_on) {
        pieces_.back().end = piece.end;
      } else {
        pieces_.push_back(piece);
      }
      row = piece.end;
    }
  }
}

/// Whether rows from this one on are those before them but for a shift.
bool RepeatedRows::repeats(int row, int rows, int entries) const {
  const int to_last = rows * entries, first = pattern_.row_start[row];
  for (int k = first; k < first + to_last; ++k) {
    if (values_[k] != values_[k - to_last] || pattern_.column[k] != pattern_.column[k - to_last] + rows) return false;
  }
  return true;
}

void RepeatedRows::multiply_less(const double* x, const double* z, double factor, double* y, int begin, int end) const {
  const auto behind = [](int row, const Piece& piece) { return row < piece.end; };
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), begin, behind);
  for (int row = begin; row < end; ++piece) {
    const int to = std::min(end, piece->end), entry = pattern_.row_start[piece->repeated ? piece->first : row];
    const SparsePattern::Run run{to - row, piece->run.entries, piece->run.in_pairs};
    const double* const values = values_ + entry;
    const int* const column = pattern_.column.data() + entry;
    if (piece->repeated) {
      multiply_rows<true>(run, values, column, x + (row - piece->first), factor, z + row, y + row);
    } else {
      multiply_rows<false>(run, values, column, x, factor, z + row, y + row);
    }
    row = to;
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

void SparsePattern::find_pairs() {
  int first = 0;
  for (Run& run : runs) {
    run.in_pairs = first % 2 == 0 && run.rows % 2 == 0 && run.entries <= most_in_pairs;
    for (int row = first; row < first + run.rows && run.in_pairs; row += 2) {
      const int *const above = column.data() + row_start[row], *const below = above + run.entries;
      for (int k = 0; k < run.entries; ++k) run.in_pairs = run.in_pairs && below[k] == above[k] + 1;
    }
    first += run.rows;
  }
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
  pattern.find_pairs();
  return pattern;
}

}  // namespace counterpoint::multibody
