#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace counterpoint {

/// Throw SolverFailure: `name`, a step of `step` s, is too small between t and t_end.
[[noreturn]] void refuse_resolution(const char* name, double step, double t, double t_end);

/// Throw SolverFailure when steps (s; 0: none) between t and t_end cannot be told apart, or are more than 1e15.
inline void check_resolution(const char* name, double step, double t, double t_end) {
  constexpr double spacing = 2.0 * std::numeric_limits<double>::epsilon();  // four doubles apart, at least
  const bool fits = step >= spacing * std::max(std::abs(t), std::abs(t_end)) && step >= 1e-15 * (t_end - t);
  if (step > 0.0 && !fits) [[unlikely]]
    refuse_resolution(name, step, t, t_end);
}

}  // namespace counterpoint
