#pragma once

#include <cstring>

#include "linear/unroll.hpp"

namespace counterpoint::multibody {

/// Values that lie beside each other in an array, and are worked on together. Not for what has just been written one by
/// one: a processor waits long for a pair whose halves are still on their way to memory.
template <int count>
struct Neighbours {
  static constexpr int size = count;
  double value[count];

  COUNTERPOINT_INLINE static Neighbours at(const double* first) {
    return each([&](int k) { return first[k]; });
  }
  /// For what has just been written one by one; the values lie `stride` apart.
  COUNTERPOINT_INLINE static Neighbours one_by_one(const double* first, int stride) {
    return each([&](int k) { return first[k * stride]; });
  }
  COUNTERPOINT_INLINE void write(double* first) const {
    COUNTERPOINT_UNROLL
    for (int k = 0; k < count; ++k) first[k] = value[k];
  }

  COUNTERPOINT_INLINE friend Neighbours operator+(const Neighbours& a, const Neighbours& b) {
    return each([&](int k) { return a.value[k] + b.value[k]; });
  }
  COUNTERPOINT_INLINE friend Neighbours operator-(const Neighbours& a, const Neighbours& b) {
    return each([&](int k) { return a.value[k] - b.value[k]; });
  }
  COUNTERPOINT_INLINE friend Neighbours operator*(const Neighbours& a, const Neighbours& b) {
    return each([&](int k) { return a.value[k] * b.value[k]; });
  }
  COUNTERPOINT_INLINE friend Neighbours operator*(double factor, const Neighbours& a) {
    return each([&](int k) { return factor * a.value[k]; });
  }
  COUNTERPOINT_INLINE friend Neighbours operator-(const Neighbours& a) {
    return each([&](int k) { return -a.value[k]; });
  }

 private:
  template <typename Function>
  COUNTERPOINT_INLINE static Neighbours each(Function function) {
    Neighbours result;
    COUNTERPOINT_UNROLL
    for (int k = 0; k < count; ++k) result.value[k] = function(k);
    return result;
  }
};

#if defined(__GNUC__)
/// Two of them in one register: the compiler does not always find that by itself.
template <>
struct Neighbours<2> {
  static constexpr int size = 2;
  using Pair [[gnu::vector_size(16)]] = double;
  Pair value;

  COUNTERPOINT_INLINE static Neighbours at(const double* first) {
    Neighbours read;
    std::memcpy(&read.value, first, sizeof read.value);
    return read;
  }
  COUNTERPOINT_INLINE static Neighbours one_by_one(const double* first, int stride) {
    const double* second = first + stride;
    __asm__("" : "+r"(second));  // or the compiler reads pairs all the same
    return {Pair{*first, *second}};
  }
  COUNTERPOINT_INLINE void write(double* first) const { std::memcpy(first, &value, sizeof value); }

  COUNTERPOINT_INLINE friend Neighbours operator+(Neighbours a, Neighbours b) { return {a.value + b.value}; }
  COUNTERPOINT_INLINE friend Neighbours operator-(Neighbours a, Neighbours b) { return {a.value - b.value}; }
  COUNTERPOINT_INLINE friend Neighbours operator*(Neighbours a, Neighbours b) { return {a.value * b.value}; }
  COUNTERPOINT_INLINE friend Neighbours operator*(double factor, Neighbours a) { return {factor * a.value}; }
  COUNTERPOINT_INLINE friend Neighbours operator-(Neighbours a) { return {-a.value}; }
};
#endif

template <int count>
COUNTERPOINT_INLINE double dot(const Neighbours<count>& a, const Neighbours<count>& b) {
  const Neighbours<count> products = a * b;
  double sum = products.value[0];
  COUNTERPOINT_UNROLL
  for (int k = 1; k < count; ++k) sum += products.value[k];
  return sum;
}

/// Calls action(i, Neighbours<2>{}) for pairs of places from `begin` on and below `end`, and with Neighbours<1> for
/// what is left.
template <typename Action>
COUNTERPOINT_INLINE void in_pairs(int begin, int end, Action action) {
  int i = begin;
  for (; i + 1 < end; i += 2) action(i, Neighbours<2>{});
  if (i < end) action(i, Neighbours<1>{});
}

}  // namespace counterpoint::multibody
