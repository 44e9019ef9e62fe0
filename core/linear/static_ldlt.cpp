// L D L^T of a fixed pattern, right-looking: the elimination of column j with pivot d and rows below u subtracts
// u u^T / d from the columns that come later. Where these entries lie is known beforehand and kept in `targets_`.
// Any symmetric order is stable enough for quasi-definite matrices as long as no pivot is small (Vanderbei, Symmetric
// quasidefinite matrices, SIAM J. Optimization 5, 1995; Gill, Saunders & Shinnerl 1996), which `late` takes care of.
//
// The columns of a mechanism have two to six entries, so what counts is the work around the arithmetic: a column is
// one piece of memory with its pivot at the head; b is never permuted, the indices of L are those of the caller.

#include "linear/static_ldlt.hpp"

#include <algorithm>
#include <cmath>

#include "linear/kinds.hpp"

namespace counterpoint::linear {
namespace {

enum Kernel : std::uint8_t {
  runs,    ///< one target for each row: the entries from there on, one after the other
  list,    ///< one target for each pair of rows
  search,  ///< none: rows are looked up, for columns too long to list all pairs
};

constexpr int longest_list = 64;

}  // namespace

StaticLdlt::StaticLdlt(const Pattern& pattern)
    : size_(pattern.size), symbolic_(analyse(pattern, minimum_degree(pattern))) {
  const Lists& columns = symbolic_.columns;
  for (int j = 0; j <= size_; ++j) start_.push_back(columns.start[j] + j);
  for (int j = 0; j < size_; ++j) {
    unknowns_.push_back(symbolic_.order[j]);
    for (int k = columns.start[j]; k < columns.start[j + 1]; ++k) unknowns_.push_back(symbolic_.order[columns.items[k]]);
  }
  values_.assign(start_[size_] + 1, 0.0);
  list_targets();
}

int StaticLdlt::slot(int row, int column) const {
  const int i = symbolic_.position.at(row);
  const int j = symbolic_.position.at(column);
  if (i == j) return start_[i];
  return find(symbolic_.columns, std::max(i, j), std::min(i, j)) + std::min(i, j) + 1;
}

void StaticLdlt::list_targets() {
  const std::vector<int>& first = symbolic_.columns.start;
  const std::vector<int>& rows = symbolic_.columns.items;
  for (int j = 0; j < size_; ++j) {
    kernel_.push_back(targets_are_runs(j) ? runs : first[j + 1] - first[j] <= longest_list ? list : search);
    if (kernel_[j] == search) continue;
    for (int a = first[j]; a < first[j + 1]; ++a) {
      targets_.push_back(start_[rows[a]]);
      if (kernel_[j] == runs) continue;
      for (int b = a + 1; b < first[j + 1]; ++b) targets_.push_back(find(symbolic_.columns, rows[b], rows[a]) + rows[a] + 1);
    }
  }
}

bool StaticLdlt::targets_are_runs(int column) const {
  const std::vector<int>& first = symbolic_.columns.start;
  const std::vector<int>& rows = symbolic_.columns.items;
  for (int a = first[column]; a < first[column + 1]; ++a) {
    const int left = first[column + 1] - a - 1;
    if (!std::equal(rows.begin() + a + 1, rows.begin() + a + 1 + left, rows.begin() + first[rows[a]])) return false;
  }
  return true;
}

void StaticLdlt::factorise() {
  double* const values = values_.data();
  const std::int32_t* const start = start_.data();
  const std::int32_t* target = targets_.data();
  for (int j = 0; j < size_; ++j) {
    double* const column = values + start[j];
    const int end = start[j + 1] - start[j];
    const double pivot = column[0];
    if (!is_pivot(pivot)) fail(j, pivot);
    const double inverse = 1.0 / pivot;
    column[0] = inverse;
    if (kernel_[j] == runs) {
      for (int a = 1; a < end; ++a) {
        const double factor = column[a] * inverse;
        double* const to = values + *target++ - a;
        for (int b = a; b < end; ++b) to[b] -= factor * column[b];
        column[a] = factor;
      }
    } else if (kernel_[j] == list) {
      for (int a = 1; a < end; ++a) {
        const double factor = column[a] * inverse;
        for (int b = a; b < end; ++b) values[*target++] -= factor * column[b];
        column[a] = factor;
      }
    } else {
      const std::int32_t* const rows = symbolic_.columns.items.data();
      const std::int32_t* const row = rows + start[j] - j - 1;
      for (int a = 1; a < end; ++a) {
        const double factor = column[a] * inverse;
        double* const to = values + start[row[a]];
        to[0] -= factor * column[a];
        const std::int32_t* other = rows + start[row[a]] - row[a] - 1;
        int place = 1;
        for (int b = a + 1; b < end; ++b) {
          while (other[place] != row[b]) ++place;
          to[place] -= factor * column[b];
        }
        column[a] = factor;
      }
    }
  }
}

void StaticLdlt::solve(double* b) {
  const double* const values = values_.data();
  const std::int32_t* const unknown = unknowns_.data();
  const std::int32_t* const start = start_.data();
  for (int j = 0; j < size_; ++j) {
    int k = start[j];
    const double x = b[unknown[k]];
    for (++k; k < start[j + 1]; ++k) b[unknown[k]] -= values[k] * x;
  }
  for (int j = size_ - 1; j >= 0; --j) {
    const int head = start[j];
    double x = b[unknown[head]] * values[head];
    for (int k = start[j + 1] - 1; k > head; --k) x -= values[k] * b[unknown[k]];
    b[unknown[head]] = x;
  }
}

void StaticLdlt::fail(int column, double pivot) const { throw_singular(symbolic_.order[column], pivot); }

SolverPointer make_static_ldlt(const Pattern& pattern) { return std::make_unique<StaticLdlt>(pattern); }

}  // namespace counterpoint::linear
