#pragma once

#include <vector>

#include "linear/solver.hpp"

namespace counterpoint::linear {

/// Lists one after the other: list k is `items[start[k]] ... items[start[k + 1] - 1]`.
struct Lists {
  std::vector<int> start;
  std::vector<int> items;
};

/// The neighbours of each unknown in the graph of a symmetric pattern, ascending, without the unknown itself.
/// Throws std::invalid_argument for a pattern that is not symmetric or has entries outside of the matrix.
Lists neighbours(const Pattern& pattern);

/// The rows of each column, ascending; the diagonal is always there. A symmetric pattern gives its lower triangle.
Lists columns(const Pattern& pattern);

/// The same pattern with both triangles of a symmetric one, as if it were not symmetric.
Pattern full(const Pattern& pattern);

/// Throws std::invalid_argument if the matrix is empty, an entry lies outside of it, or `late` has not one flag for
/// each unknown.
void check(const Pattern& pattern);

/// Place of `row` in list `column`, an index into `items`; throws std::out_of_range if it is not there.
int find(const Lists& columns, int row, int column);

}  // namespace counterpoint::linear
