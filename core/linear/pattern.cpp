#include "linear/pattern.hpp"

#include <algorithm>

#include "check.hpp"

namespace counterpoint::linear {
namespace {

/// Sorts (list, item) pairs into lists with ascending items, each item once.
Lists collect(int count, const std::vector<std::pair<int, int>>& pairs) {
  // Two passes of counting sort, first by item, then by list: linear in the number of pairs.
  std::vector<int> by_item(count + 1, 0);
  for (const auto& [list, item] : pairs) ++by_item[item + 1];
  for (int k = 0; k < count; ++k) by_item[k + 1] += by_item[k];
  std::vector<int> sorted(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) sorted[by_item[pairs[k].second]++] = static_cast<int>(k);

  Lists lists;
  lists.start.assign(count + 1, 0);
  std::vector<int> last(count, -1);
  for (int k : sorted) {
    const auto [list, item] = pairs[k];
    if (last[list] != item) ++lists.start[list + 1];
    last[list] = item;
  }
  for (int k = 0; k < count; ++k) lists.start[k + 1] += lists.start[k];
  lists.items.resize(lists.start[count]);
  std::vector<int> end(lists.start.begin(), lists.start.end() - 1);
  for (int k : sorted) {
    const auto [list, item] = pairs[k];
    if (end[list] == lists.start[list] || lists.items[end[list] - 1] != item) lists.items[end[list]++] = item;
  }
  return lists;
}

}  // namespace

void check(const Pattern& pattern) {
  if (pattern.size < 1) {
    internal_error("pattern: size " + std::to_string(pattern.size) + "; a matrix has at least one row");
  }
  for (const auto& [row, column] : pattern.entries) {
    if (row >= 0 && row < pattern.size && column >= 0 && column < pattern.size) continue;
    internal_error("pattern: entry (" + std::to_string(row) + ", " + std::to_string(column) +
                   ") lies outside of a matrix of size " + std::to_string(pattern.size));
  }
  if (!pattern.late.empty() && pattern.late.size() != static_cast<std::size_t>(pattern.size)) {
    internal_error("pattern: " + std::to_string(pattern.late.size()) + " late flags for " +
                   std::to_string(pattern.size) + " unknowns");
  }
}

Lists neighbours(const Pattern& pattern) {
  check(pattern);
  if (!pattern.symmetric) internal_error("a symmetric solver needs a symmetric pattern");
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(2 * pattern.entries.size());
  for (const auto& [row, column] : pattern.entries) {
    if (row == column) continue;
    pairs.emplace_back(row, column);
    pairs.emplace_back(column, row);
  }
  return collect(pattern.size, pairs);
}

Lists columns(const Pattern& pattern) {
  check(pattern);
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve(pattern.entries.size() + pattern.size);
  for (int k = 0; k < pattern.size; ++k) pairs.emplace_back(k, k);
  for (const auto& [row, column] : pattern.entries) {
    const bool mirror = pattern.symmetric && row < column;
    pairs.emplace_back(mirror ? row : column, mirror ? column : row);
  }
  return collect(pattern.size, pairs);
}

Pattern full(const Pattern& pattern) {
  Pattern both = pattern;
  both.symmetric = false;
  if (!pattern.symmetric) return both;
  for (const auto& [row, column] : pattern.entries) both.entries.emplace_back(column, row);
  return both;
}

int find(const Lists& columns, int row, int column) {
  const auto begin = columns.items.begin() + columns.start.at(column);
  const auto end = columns.items.begin() + columns.start.at(column + 1);
  const auto found = std::lower_bound(begin, end, row);
  if (found == end || *found != row) {
    internal_error("entry (" + std::to_string(row) + ", " + std::to_string(column) +
                   ") is not in the pattern of the matrix");
  }
  return static_cast<int>(found - columns.items.begin());
}

}  // namespace counterpoint::linear
