#include "signal/newton.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "signal/unrolled.hpp"

namespace counterpoint {

namespace {

/// One component, with a number of points that the compiler knows.
template <int points>
void scalar_newton_through(const Samples& samples, std::size_t newest, Polynomial& out) {
  std::array<double, points> times;
  std::array<double, points> c;
  unrolled<points>([&](auto d) {
    times[d] = samples.time(newest - d);
    c[d] = *samples.value(newest - d);
  });
  unrolled<points - 1>([&](auto k) {
    constexpr int level = k + 1;
    unrolled<points - level>([&](auto from_last) {
      constexpr int d = points - 1 - from_last;
      c[d] = (c[d] - c[d - 1]) / (times[d] - times[d - level]);
    });
  });
  std::copy_n(times.begin(), points - 1, out.nodes.begin());
  std::copy_n(c.begin(), points, out.coefficients.begin());
}

/// Any width and number of points. Apart from the usual cases, which would otherwise pay for its registers.
[[gnu::noinline]] void vector_newton_through(const Samples& samples, std::size_t newest, int points, Polynomial& out) {
  const int width = out.width;
  for (int d = 0; d < points; ++d) {
    if (d < out.degree) out.nodes[d] = samples.time(newest - d);
    std::copy_n(samples.value(newest - d), width, out.coefficient(d));
  }
  for (int level = 1; level < points; ++level) {
    for (int d = points - 1; d >= level; --d) {
      const double span = samples.time(newest - d) - samples.time(newest - d + level);
      double* c = out.coefficient(d);
      const double* previous = out.coefficient(d - 1);
      for (int j = 0; j < width; ++j) c[j] = (c[j] - previous[j]) / span;
    }
  }
}

}  // namespace

void newton_through(const Samples& samples, std::size_t newest, int points, Polynomial& out) {
  out.degree = points - 1;
  switch (out.width == 1 ? points : 0) {
    case 1:
      return scalar_newton_through<1>(samples, newest, out);
    case 2:
      return scalar_newton_through<2>(samples, newest, out);
    case 3:
      return scalar_newton_through<3>(samples, newest, out);
    case 4:
      return scalar_newton_through<4>(samples, newest, out);
    default:
      return vector_newton_through(samples, newest, points, out);
  }
}

std::size_t Samples::ahead_among_many(double t) const {
  std::size_t low = begin, high = last();  // the first sample later than t lies in [low, high], if there is one
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (time(middle) > t + tolerance) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

void check_order(int order, const char* approximation) {
  if (order < 0 || order > 4) {
    throw std::invalid_argument(std::string(approximation) + ": order " + std::to_string(order) +
                                "; expected an order from 0 to 4");
  }
}

}  // namespace counterpoint
