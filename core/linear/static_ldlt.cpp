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
#include <climits>
#include <numeric>

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

/// Numbers domains by the lowest unknown in each: a thread that takes the first part of all unknowns and the first
/// domain finds the same data in its cache.
template <typename UnknownOf>
void number_by_unknowns(Domains& domains, UnknownOf unknown_of) {
  const auto count = static_cast<std::size_t>(domains.count);
  std::vector<std::pair<int, int>> lowest(count, {INT_MAX, 0});
  for (int domain = 0; domain < domains.count; ++domain) lowest[domain].second = domain;
  for (std::size_t block = 0; block < domains.of.size(); ++block) {
    if (domains.of[block] == domains.count) continue;
    int& least = lowest[domains.of[block]].first;
    least = std::min(least, unknown_of(static_cast<int>(block)));
  }
  std::ranges::sort(lowest);
  std::vector<int> number(count + 1, domains.count);
  for (std::size_t k = 0; k < count; ++k) number[lowest[k].second] = static_cast<int>(k);
  for (int& domain : domains.of) domain = number[domain];
}

}  // namespace

StaticLdlt::StaticLdlt(const Pattern& pattern, TeamPointer team)
    : team_(team ? std::move(team) : std::make_shared<Team>(1)) {
  const Symbolic given = analyse(pattern, minimum_degree(pattern));
  if (given.multiplications() > max_listed_products) {
    throw std::length_error("static-ldlt: the factor fills up too much to list its operations; take sparse-ldlt");
  }
  Grouping grouping = group(given);
  Symbolic symbolic = analyse(pattern, std::move(grouping.order));
  split(pattern, symbolic, grouping.widths);
  order_ = std::move(symbolic.order);
  position_ = std::move(symbolic.position);
  make_blocks(symbolic.columns, grouping.widths);
  if (domains_ > 1) make_room_for_domains();
  values_.push_back(0.0);  // spare
  list_targets();
  make_parts();
}

/// Puts the blocks of the top last and, if several threads are to work on them, the blocks of each domain together: the
/// order within a domain, and so the fill and every sum, stay as they were.
void StaticLdlt::split(const Pattern& pattern, Symbolic& symbolic, std::vector<int>& widths) {
  const int blocks = static_cast<int>(widths.size());
  domain_of_block_.assign(widths.size(), 1);
  first_share_ = pattern.used_places > 0 ? pattern.used_places : pattern.size;
  if (pattern.used_places == 0) return;
  const Lists& columns = symbolic.columns;
  std::vector<int> first(1, 0), block_of, parent(widths.size(), -1);
  std::vector<double> work(widths.size());
  for (int block = 0; block < blocks; ++block) {
    block_of.insert(block_of.end(), widths[block], block);
    first.push_back(first.back() + widths[block]);
  }
  for (int block = 0; block < blocks; ++block) {
    const int last = first[block + 1] - 1;
    const int rows = columns.start[last + 1] - columns.start[last];
    if (rows > 0) parent[block] = block_of[columns.items[columns.start[last]]];
    work[block] = widths[block] * (10.0 + rows * (rows + 5.0));
  }
  Domains domains = find_domains(parent, work);
  if (domains.count == 1) return;
  number_by_unknowns(domains, [&](int block) { return symbolic.order[first[block]]; });
  domains_ = domains.count;
  std::vector<int> sequence(widths.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  const bool together = team_->threads() > 1;
  std::ranges::stable_sort(
      sequence, {}, [&](int block) { return together || domains.of[block] == domains.count ? domains.of[block] : 0; });
  std::vector<int> order, new_widths;
  for (std::size_t k = 0; k < sequence.size(); ++k) {
    const int block = sequence[k];
    domain_of_block_[k] = domains.of[block];
    new_widths.push_back(widths[block]);
    order.insert(order.end(), symbolic.order.begin() + first[block], symbolic.order.begin() + first[block + 1]);
  }
  widths = std::move(new_widths);
  symbolic = analyse(pattern, std::move(order));
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
  values_.assign(size, 0.0);
  entries_ = static_cast<long long>(size);
}

void StaticLdlt::make_room_for_domains() {
  const auto top = static_cast<std::size_t>(std::ranges::find(domain_of_block_, domains_) - domain_of_block_.begin());
  top_column_ = first_[top];
  top_value_ = top < start_.size() ? start_[top] : static_cast<int>(values_.size());
  top_size_ = static_cast<int>(values_.size()) - top_value_;
  values_.resize(values_.size() + static_cast<std::size_t>(domains_) * top_size_, 0.0);
  const int groups = team_->threads() > 1 ? domains_ : 1;
  groups_.resize(static_cast<std::size_t>(groups));
  failed_.resize(groups_.size());
  // The rows of a domain's blocks that belong to the top are unknowns of its own.
  std::size_t place = 0;
  for (std::size_t block = 0; block < top; ++block) {
    place += static_cast<std::size_t>(width(block));
    for (int k = rows_.start[block]; k < rows_.start[block + 1]; ++k, ++place) {
      if (rows_.items[k] < top_column_) continue;
      unknowns_[place] = first_share_ + domain_of_block_[block] * in_top() + rows_.items[k] - top_column_;
    }
  }
}

void StaticLdlt::list_targets() {
  for (std::size_t block = 0; block < start_.size(); ++block) {
    for (int a = rows_.start[block]; a < rows_.start[block + 1]; ++a) {
      for (int b = a; b < rows_.start[block + 1]; ++b)
        targets_.push_back(target(block, rows_.items[b], rows_.items[a]));
    }
  }
}

/// Where a block subtracts its share of an entry.
int StaticLdlt::target(std::size_t block, int row, int column) const {
  const int found = place(row, column);
  if (domains_ == 1 || is_top(block) || column < top_column_) return found;
  return found + (1 + domain_of_block_[block]) * top_size_;
}

void StaticLdlt::make_parts() {
  const std::int32_t* unknowns = unknowns_.data();
  const std::int32_t* targets = targets_.data();
  for (std::size_t block = 0; block < start_.size(); ++block) {
    const Batch batch{1, width(block), rows(block)};
    double* const values = values_.data() + start_[block];
    const double* const end = values + triangle(batch.width) + batch.rows * batch.width;
    const std::int32_t* const unknowns_end = unknowns + batch.width + batch.rows;
    Parts& parts = domains_ == 1 || is_top(block) ? parts_
                   : groups_.size() == 1          ? groups_[0]
                                                  : groups_[static_cast<std::size_t>(domain_of_block_[block])];
    if (!parts.empty() && parts.back().batch.width == batch.width && parts.back().batch.rows == batch.rows) {
      ++parts.back().batch.blocks;
      parts.back().values_end = end;
      parts.back().unknowns_end = unknowns_end;
    } else {
      parts.push_back({batch, block_kernels(batch.width, batch.rows), values, unknowns, targets, end, unknowns_end});
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

std::pair<int, int> StaticLdlt::values_of(int domain) {
  const int end = static_cast<int>(values_.size());
  if (groups_.size() <= 1) return domain == domains_ || domains_ == 1 ? std::pair{0, end} : std::pair{0, 0};
  if (domain == domains_) return {top_value_, end};
  const auto first = [&](int d) { return std::ranges::lower_bound(domain_of_block_, d) - domain_of_block_.begin(); };
  const auto next = static_cast<std::size_t>(first(domain + 1));
  return {start_[first(domain)], next < start_.size() ? start_[next] : top_value_};
}

int StaticLdlt::slot(int row, int column) const {
  const auto [first, second] = std::minmax({position_.at(row), position_.at(column)});
  return place(second, first);
}

/// Returns nullptr, or the pivot that cannot be divided by.
const double* StaticLdlt::eliminate(const Parts& parts, int kernel, double* values, double* b) {
  for (const Part& part : parts) {
    if (const double* pivot =
            part.kernels.eliminate[kernel](part.batch, part.values, part.targets, values, part.unknowns, b))
      return pivot;
  }
  return nullptr;
}

void StaticLdlt::substitute_back(const Parts& parts, int kernel, double* b) {
  for (const Part* part = parts.data() + parts.size(); part-- != parts.data();) {
    if (part->batch.rows > 0) part->kernels.backward[kernel](part->batch, part->values_end, part->unknowns_end, b);
  }
}

void StaticLdlt::substitute_forward(const Parts& parts, int kernel, double* b) {
  for (const Part& part : parts) part.kernels.forward[kernel](part.batch, part.values, part.unknowns, b);
}

void StaticLdlt::factorise() {
  if (domains_ > 1) eliminate_domains(0, nullptr);
  if (const double* pivot = eliminate(parts_, 0, values_.data(), nullptr)) fail(pivot);
}

void StaticLdlt::factorise_and_solve(double* b) {
  if (domains_ > 1) eliminate_domains(1, b);
  if (const double* pivot = eliminate(parts_, 1, values_.data(), b)) fail(pivot);
  substitute_back(parts_, 0, b);
  if (domains_ > 1) back_domains(0, b, 1);
}

void StaticLdlt::solve(double* b) { solve_with(0, b, 1); }

void StaticLdlt::solve_many(double* b, int count) {
  if (count == 3) return solve_with(1, b, 3);
  Solver::solve_many(b, count);
}

void StaticLdlt::solve_with(int kernel, double* b, int sides) {
  if (domains_ > 1) forward_domains(kernel, b, sides);
  substitute_forward(parts_, kernel, b);
  substitute_back(parts_, kernel, b);
  if (domains_ > 1) back_domains(kernel, b, sides);
}

/// All domains, and what they take from the top; b may be null.
void StaticLdlt::eliminate_domains(int kernel, double* b) {
  team_->run(static_cast<int>(groups_.size()), [&](int group) {
    if (b != nullptr) clear_shares(group, b, 1);
    failed_[group] = eliminate(groups_[group], kernel, values_.data(), b);
  });
  for (const double* pivot : failed_) {
    if (pivot != nullptr) fail(pivot);
  }
  double* const top = values_.data() + top_value_;
  for (int domain = 0; domain < domains_; ++domain) {
    const double* const share = top + static_cast<std::ptrdiff_t>(1 + domain) * top_size_;
    for (int k = 0; k < top_size_; ++k) top[k] += share[k];
  }
  if (b != nullptr) add_to_top(b, 1);
}

void StaticLdlt::forward_domains(int kernel, double* b, int sides) {
  team_->run(static_cast<int>(groups_.size()), [&](int group) {
    clear_shares(group, b, sides);
    substitute_forward(groups_[group], kernel, b);
  });
  add_to_top(b, sides);
}

void StaticLdlt::back_domains(int kernel, double* b, int sides) {
  hand_down_top(b, sides);
  team_->run(static_cast<int>(groups_.size()), [&](int group) { substitute_back(groups_[group], kernel, b); });
}

/// Nothing yet in the shares of a group in the top.
void StaticLdlt::clear_shares(int group, double* b, int sides) const {
  const std::ptrdiff_t first = first_share_ + static_cast<std::ptrdiff_t>(group) * in_top();
  const std::ptrdiff_t shares = groups_.size() == 1 ? domains_ : 1;
  std::fill_n(b + first * sides, shares * in_top() * sides, 0.0);
}

void StaticLdlt::add_to_top(double* b, int sides) const {
  const double* share = b + static_cast<std::ptrdiff_t>(first_share_) * sides;
  for (int domain = 0; domain < domains_; ++domain) {
    for (int column = top_column_; column < unknowns(); ++column) {
      for (int side = 0; side < sides; ++side) b[order_[column] * sides + side] += *share++;
    }
  }
}

void StaticLdlt::hand_down_top(double* b, int sides) const {
  double* share = b + static_cast<std::ptrdiff_t>(first_share_) * sides;
  for (int domain = 0; domain < domains_; ++domain) {
    for (int column = top_column_; column < unknowns(); ++column) {
      for (int side = 0; side < sides; ++side) *share++ = b[order_[column] * sides + side];
    }
  }
}

void StaticLdlt::fail(const double* pivot) const {
  for (int column = 0;; ++column) {
    if (pivot == values_.data() + place(column, column)) throw_singular(order_[column], *pivot);
  }
}

SolverPointer make_static_ldlt(const Pattern& pattern, TeamPointer team) {
  return std::make_unique<StaticLdlt>(pattern, std::move(team));
}

}  // namespace counterpoint::linear
