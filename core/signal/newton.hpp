#pragma once

#include <algorithm>

#include "signal/approximation.hpp"

namespace counterpoint {

/// The polynomial of degree (points - 1) through samples newest, newest - 1, ... by divided differences.
void newton_through(const Samples& samples, std::size_t newest, int points, Polynomial& out);

/// One component of degree 0 or 1, as plain numbers.
struct Line {
  bool sloped = false;
  double value = 0.0;
  double slope = 0.0;
  double node = 0.0;  ///< where it has the value, s
  double at(double t) const { return sloped ? slope * (t - node) + value : value; }
};

/// The polynomial of degree 1 through two samples of one component.
inline Line line_through(double newest, double value, double earlier, double earlier_value) {
  return {true, value, (earlier_value - value) / (earlier - newest), newest};
}

/// The same through `newest` and the samples before it, at most `wanted` of them. The common cases, one component held
/// or as a line, are short enough to be inlined.
inline void newton_up_to(const Samples& samples, std::size_t newest, int wanted, Polynomial& out) {
  const int points = static_cast<int>(std::min<std::size_t>(wanted, newest - samples.begin + 1));
  if (out.width != 1 || points > 2) return newton_through(samples, newest, points, out);
  const double value = *samples.value(newest);
  out.degree = points - 1;
  out.coefficients[0] = value;
  if (points < 2) return;
  const Line line = line_through(samples.time(newest), value, samples.time(newest - 1), *samples.value(newest - 1));
  out.nodes[0] = line.node;
  out.coefficients[1] = line.slope;
}

/// The same through the newest samples, valid from the last one on.
inline void newton_through_newest(const Samples& samples, int wanted, Polynomial& out) {
  newton_up_to(samples, samples.last(), wanted, out);
  out.from = samples.time(samples.last()) - samples.tolerance;
  out.to = Polynomial::infinity;
}

/// The time span in which `ahead` stays the sample ahead of t.
inline void cover_while_ahead(const Samples& samples, std::size_t ahead, Polynomial& out) {
  const bool first = ahead == samples.begin;
  out.from = first ? -Polynomial::infinity : samples.time(ahead - 1) - samples.tolerance;
  out.to = ahead == samples.last() ? Polynomial::infinity : samples.time(ahead) - samples.tolerance;
}

/// min(wanted, samples from begin up to and including newest)
inline int available(const Samples& samples, std::size_t newest, int wanted) {
  return static_cast<int>(std::min<std::size_t>(wanted, newest - samples.begin + 1));
}

/// The newest of `points` samples for times before sample `ahead`: that one, or in a repeat one further ahead, so that
/// as many lie on either side (one more behind where they are odd).
inline std::size_t newest_around(const Samples& samples, std::size_t ahead, int points) {
  if (!samples.both_sides || points < 2) return ahead;
  const std::size_t further = static_cast<std::size_t>(points / 2 - 1);
  const std::size_t enough = samples.begin + static_cast<std::size_t>(points - 1);
  return std::min(samples.last(), std::max(ahead + further, enough));
}

/// Throw std::invalid_argument unless 0 <= order <= 4.
void check_order(int order, const char* approximation);

}  // namespace counterpoint
