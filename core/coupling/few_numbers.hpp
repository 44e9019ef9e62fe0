#pragma once

#include <cstddef>
#include <vector>

namespace counterpoint {

/// Copy into a vector of the same length, or make it one. Most have a few numbers: two at a time cost less than the
/// call that a compiler makes of a loop over one.
inline void copy_few(const std::vector<double>& from, std::vector<double>& to) {
  const std::size_t count = from.size();
  if (to.size() != count || count > 32) {
    to = from;
    return;
  }
  const double* const source = from.data();
  double* const target = to.data();
  std::size_t k = 0;
  for (; k + 1 < count; k += 2) {
    const double first = source[k], second = source[k + 1];
    target[k] = first;
    target[k + 1] = second;
  }
  if (k < count) target[k] = source[k];
}

}  // namespace counterpoint
