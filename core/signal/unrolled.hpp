#pragma once

#include <type_traits>
#include <utility>

namespace counterpoint {

/// Call body(0), body(1), ... body(Count - 1), each with a number that the compiler knows.
template <int Count, class Body>
inline void unrolled(Body&& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (body(std::integral_constant<int, k>{}), ...);
  }(std::make_integer_sequence<int, Count>{});
}

}  // namespace counterpoint
