#pragma once

#include "linear/pattern.hpp"

namespace counterpoint::linear {

/// An order of elimination with little fill: `order[k]` is the unknown eliminated as number k.
///
/// A late unknown (see Pattern::late) comes after all its neighbours that are not late.
std::vector<int> minimum_degree(const Pattern& pattern);

/// Where L of L D L^T has entries when the unknowns are eliminated in the given order.
struct Symbolic {
  std::vector<int> order;     ///< order[k] is the unknown eliminated as number k
  std::vector<int> position;  ///< position[order[k]] == k
  Lists columns;              ///< rows below the diagonal of each column of L, as positions, ascending

  int size() const { return static_cast<int>(order.size()); }
  /// Multiplications of a factorisation: over all columns of L, entries * (entries + 3) / 2.
  double multiplications() const;
};

Symbolic analyse(const Pattern& pattern, std::vector<int> order);

}  // namespace counterpoint::linear
