#pragma once

#include "linear/unroll.hpp"

namespace counterpoint::multibody {

/// Values that lie beside each other in an array. What is done to two of them is one instruction, as long as all that is
/// needed is read before anything is written: what is written could be one of them for all that the compiler knows.
template <int count>
struct Neighbours {
  double value[count];

  /// Every `stride`-th one from here on.
  COUNTERPOINT_INLINE static Neighbours at(const double* first, int stride = 1) {
    return each([&](int k) { return first[k * stride]; });
  }
  COUNTERPOINT_INLINE void write(double* first) const {
    COUNTERPOINT_UNROLL
    for (int k = 0; k < count; ++k) first[k] = value[k];
  }

  template <typename Function>
  COUNTERPOINT_INLINE static Neighbours each(Function function) {
    Neighbours result;
    COUNTERPOINT_UNROLL
    for (int k = 0; k < count; ++k) result.value[k] = function(k);
    return result;
  }

  COUNTERPOINT_INLINE friend Neighbours operator+(const Neighbours& a, const Neighbours& b) {
    return each([&](int k) { return a.value[k] + b.value[k]; });
  }
  COUNTERPOINT_INLINE friend Neighbours operator-(const Neighbours& a, const Neighbours& b) {
    return each([&](int k) { return a.value[k] - b.value[k]; });
  }
  COUNTERPOINT_INLINE friend Neighbours operator*(double factor, const Neighbours& a) {
    return each([&](int k) { return factor * a.value[k]; });
  }
  COUNTERPOINT_INLINE friend Neighbours operator-(const Neighbours& a) {
    return each([&](int k) { return -a.value[k]; });
  }
};

/// Calls action(i, Neighbours<2>{}) for pairs of places below `count`, and with Neighbours<1> for what is left.
template <typename Action>
COUNTERPOINT_INLINE void in_pairs(int count, Action action) {
  int i = 0;
  for (; i + 1 < count; i += 2) action(i, Neighbours<2>{});
  if (i < count) action(i, Neighbours<1>{});
}

}  // namespace counterpoint::multibody
