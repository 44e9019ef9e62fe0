// L D L^T of a fixed pattern, right-looking and in place: the elimination of a block with pivots D and rows below U
// subtracts U D^-1 U^T from the blocks that come later. Where these entries lie is known beforehand (`targets_`).
// Any symmetric order is stable for quasi-definite matrices as long as no pivot is small against what it divides
// (Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optimization 5, 1995; Gill, Saunders & Shinnerl, On the
// stability of Cholesky factorization for symmetric quasidefinite systems, SIAM J. Matrix Anal. Appl. 17, 1996), which
// `late` takes care of.
//
// Columns of a mechanism have two to six entries, so what counts is everything around the arithmetic. Blocks let the
// coordinates of a point and its multipliers pass through registers instead of memory; b is never permuted, as the
// indices of L are those of the caller.

#include "linear/static_ldlt.hpp"

#include <algorithm>

#include "linear/solvers.hpp"

namespace counterpoint::linear {
namespace {

/// An order with the same fill as the one given where columns of a block follow each other.
struct Grouping {
  std::vector<int> order;
  std::vector<int> widths;  ///< of the blocks
};

/// Follows each column by its parent (the first row of the column), if nothing else has to come before the parent and
/// the rows of both are the same but for a few, which are stored as zeros: at most one for every four entries.
Grouping group(const Symbolic& symbolic) {
  const Lists& columns = symbolic.columns;
  const int size = symbolic.size();
  const auto count = [&](int j) { return columns.start[j + 1] - columns.start[j]; };
  const auto parent = [&](int j) { return count(j) == 0 ? -1 : columns.items[columns.start[j]]; };
  std::vector<int> last_child(size, -1);
  for (int j = 0; j < size; ++j) {
    if (parent(j) >= 0) last_child[parent(j)] = j;
  }
  Grouping grouping;
  std::vector<bool> done(size, false);
  for (int j = 0; j < size; ++j) {
    if (done[j]) continue;
    int width = 0;
    int entries = 0;
    const auto joins = [&](int column) {
      const int stored = triangle(width + 1) + (width + 1) * count(column);
      return width < widest_block && 4 * stored <= 5 * (entries + 1 + count(column));
    };
    for (int column = j; joins(column); column = parent(column)) {
      grouping.order.push_back(symbolic.order[column]);
      done[column] = true;
      ++width;
      entries += 1 + count(column);
      if (parent(column) < 0 || last_child[parent(column)] != column) break;
    }
    grouping.widths.push_back(width);
  }
  return grouping;
}

}  // namespace

StaticLdlt::StaticLdlt(const Pattern& pattern) {
  const Symbolic given = analyse(pattern, minimum_degree(pattern));
  if (given.multiplications() > max_listed_products) {
    throw std::length_error("static-ldlt: the factor fills up too much to list its operations; take sparse-ldlt");
  }
  Grouping grouping = group(given);
  Symbolic symbolic = analyse(pattern, std::move(grouping.order));
  order_ = std::move(symbolic.order);
  position_ = std::move(symbolic.position);
  make_blocks(symbolic.columns, grouping.widths);
  list_targets();
  make_parts();
}

void StaticLdlt::make_blocks(const Lists& columns, const std::vector<int>& widths) {
  first_.push_back(0);
  rows_.start.push_back(0);
  std::size_t size = 0;
  for (const int width : widths) {
    const int first = first_.back();
    const int last = first + width - 1;
    block_of_.insert(block_of_.end(), width, static_cast<int>(start_.size()));
    unknowns_.insert(unknowns_.end(), order_.begin() + first, order_.begin() + first + width);
    for (int k = columns.start[last]; k < columns.start[last + 1]; ++k) {
      rows_.items.push_back(columns.items[k]);
      unknowns_.push_back(order_[columns.items[k]]);
    }
    first_.push_back(first + width);
    start_.push_back(static_cast<int>(size));
    rows_.start.push_back(static_cast<int>(rows_.items.size()));
    size += triangle(width) + static_cast<std::size_t>(rows(start_.size() - 1)) * width;
  }
  values_.assign(size + 1, 0.0);
}

void StaticLdlt::list_targets() {
  for (std::size_t block = 0; block < start_.size(); ++block) {
    for (int a = rows_.start[block]; a < rows_.start[block + 1]; ++a) {
      for (int b = a; b < rows_.start[block + 1]; ++b) targets_.push_back(place(rows_.items[b], rows_.items[a]));
    }
  }
}

void StaticLdlt::make_parts() {
  const std::int32_t* unknowns = unknowns_.data();
  const std::int32_t* targets = targets_.data();
  for (std::size_t block = 0; block < start_.size(); ++block) {
    const Batch batch{1, width(block), rows(block)};
    double* const values = values_.data() + start_[block];
    const double* const end = values + triangle(batch.width) + batch.rows * batch.width;
    const std::int32_t* const unknowns_end = unknowns + batch.width + batch.rows;
    if (!parts_.empty() && parts_.back().batch.width == batch.width && parts_.back().batch.rows == batch.rows) {
      ++parts_.back().batch.blocks;
      parts_.back().values_end = end;
      parts_.back().unknowns_end = unknowns_end;
    } else {
      parts_.push_back({batch, block_kernels(batch.width, batch.rows), values, unknowns, targets, end, unknowns_end});
    }
    unknowns = unknowns_end;
    targets += triangle(batch.rows);
  }
}

/// Where the entry lies in `values_`; row and column are positions, row >= column.
int StaticLdlt::place(int row, int column) const {
  const int block = block_of_[column];
  const int first = first_[block];
  if (row < first_[block + 1]) return start_[block] + triangle(row - first) + column - first;
  const int below = find(rows_, row, block) - rows_.start[block];
  return start_[block] + triangle(width(block)) + below * width(block) + column - first;
}

int StaticLdlt::slot(int row, int column) const {
  const auto [first, second] = std::minmax({position_.at(row), position_.at(column)});
  return place(second, first);
}

void StaticLdlt::eliminate(int kernel, double* b) {
  double* const values = values_.data();
  for (const Part& part : parts_) {
    if (const double* pivot =
            part.kernels.eliminate[kernel](part.batch, part.values, part.targets, values, part.unknowns, b))
      fail(pivot);
  }
}

void StaticLdlt::substitute_back(int kernel, double* b) const {
  for (const Part* part = parts_.data() + parts_.size(); part-- != parts_.data();) {
    if (part->batch.rows > 0) part->kernels.backward[kernel](part->batch, part->values_end, part->unknowns_end, b);
  }
}

void StaticLdlt::solve_with(int kernel, double* b) const {
  for (const Part& part : parts_) part.kernels.forward[kernel](part.batch, part.values, part.unknowns, b);
  substitute_back(kernel, b);
}

void StaticLdlt::factorise() { eliminate(0, nullptr); }

void StaticLdlt::factorise_and_solve(double* b) {
  eliminate(1, b);
  substitute_back(0, b);
}

void StaticLdlt::solve(double* b) { solve_with(0, b); }

void StaticLdlt::solve_many(double* b, int count) {
  if (count == 3) return solve_with(1, b);
  Solver::solve_many(b, count);
}

void StaticLdlt::fail(const double* pivot) const {
  for (int column = 0;; ++column) {
    if (pivot == values_.data() + place(column, column)) throw_singular(order_[column], *pivot);
  }
}

SolverPointer make_static_ldlt(const Pattern& pattern) { return std::make_unique<StaticLdlt>(pattern); }

}  // namespace counterpoint::linear
