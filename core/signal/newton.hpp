#pragma once

#include <algorithm>

#include "signal/approximation.hpp"

namespace counterpoint {

/// The polynomial of degree (points - 1) through samples newest, newest - 1, ... by divided differences.
void newton_through(const Samples& samples, std::size_t newest, int points, Polynomial& out);

/// The stretch of time in which `ahead` stays the sample ahead of t.
inline void cover_while_ahead(const Samples& samples, std::size_t ahead, Polynomial& out) {
  const bool first = ahead == samples.begin;
  out.from = first ? -Polynomial::infinity : samples.time(ahead - 1) - samples.tolerance;
  out.to = ahead == samples.last() ? Polynomial::infinity : samples.time(ahead) - samples.tolerance;
}

/// min(wanted, samples from begin up to and including newest)
inline int available(const Samples& samples, std::size_t newest, int wanted) {
  return static_cast<int>(std::min<std::size_t>(wanted, newest - samples.begin + 1));
}

/// Throw std::invalid_argument unless 0 <= order <= 4.
void check_order(int order, const char* approximation);

}  // namespace counterpoint
