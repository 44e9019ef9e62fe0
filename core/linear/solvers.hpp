#pragma once

#include <cmath>

#include "linear/pattern.hpp"

namespace counterpoint::linear {

SolverPointer make_static_ldlt(const Pattern& pattern, TeamPointer team);
SolverPointer make_sparse_ldlt(const Pattern& pattern);
SolverPointer make_static_lu(const Pattern& pattern);
SolverPointer make_sparse_lu(const Pattern& pattern);
SolverPointer make_dense_ldlt(const Pattern& pattern);
SolverPointer make_dense_lu(const Pattern& pattern);
SolverPointer make_dense_llt(const Pattern& pattern);
/// Throws UserError, with what to install, where the build has no KLU.
SolverPointer make_klu(const Pattern& pattern, bool keeps_pivots);

/// static-ldlt and static-lu keep a list with at most one place (of 4 bytes) for each product of a factorisation.
constexpr double max_listed_products = 2.5e8;

/// Whether a division by this pivot can make sense. There is no test against the other entries: a multiplier's pivot
/// of 1e-12 beside a stiffness of 1e12 is as good as any.
inline bool is_pivot(double pivot) {
  const double size = std::abs(pivot);
  return size > 1e-300 && size < 1e300;
}

[[noreturn]] void throw_singular(int equation, double pivot);

}  // namespace counterpoint::linear
