#include "signal/newton.hpp"

#include <algorithm>
#include <stdexcept>

namespace counterpoint {

std::size_t Samples::ahead_of(double t) const {
  std::size_t k = last();
  while (k > begin && time(k - 1) > t + tolerance) --k;
  return k;
}

std::size_t Samples::behind(double t) const {
  std::size_t k = last();
  while (k > begin && time(k) > t + tolerance) --k;
  return k;
}

int available(const Samples& samples, std::size_t newest, int wanted) {
  return static_cast<int>(std::min<std::size_t>(wanted, newest - samples.begin + 1));
}

void cover_while_ahead(const Samples& samples, std::size_t ahead, Polynomial& out) {
  const bool first = ahead == samples.begin;
  out.from = first ? -Polynomial::infinity : samples.time(ahead - 1) - samples.tolerance;
  out.to = ahead == samples.last() ? Polynomial::infinity : samples.time(ahead) - samples.tolerance;
}

namespace {

void scalar_newton_through(const Samples& samples, std::size_t newest, int points, Polynomial& out) {
  double times[Polynomial::max_degree + 1];
  double* c = out.coefficients.data();
  for (int d = 0; d < points; ++d) {
    times[d] = samples.time(newest - d);
    c[d] = *samples.value(newest - d);
  }
  for (int d = 0; d + 1 < points; ++d) out.nodes[d] = times[d];
  for (int level = 1; level < points; ++level) {
    for (int d = points - 1; d >= level; --d) c[d] = (c[d] - c[d - 1]) / (times[d] - times[d - level]);
  }
}

}  // namespace

void newton_through(const Samples& samples, std::size_t newest, int points, Polynomial& out) {
  const int width = out.width;
  out.degree = points - 1;
  if (width == 1) return scalar_newton_through(samples, newest, points, out);
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

void check_order(int order, const char* approximation) {
  if (order < 0 || order > 4) {
    throw std::invalid_argument(std::string(approximation) + ": order " + std::to_string(order) +
                                " is not offered; orders 0 to 4 are");
  }
}

}  // namespace counterpoint
