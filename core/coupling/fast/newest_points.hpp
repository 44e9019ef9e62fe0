#pragma once

#include "coupling/connection.hpp"
#include "signal/newton.hpp"

namespace counterpoint::fast {

/// Fast path: polynomials through the newest samples, without asking the approximation.
///
/// Serves a connection whose approximation is, beyond the last sample, the polynomial through the newest samples
/// (`Approximation::newest_points`), if the source cannot jump. If the approximation covers intervals, also between
/// samples; the search begins at the last place. Saves a virtual call and the search for the samples around t, once per
/// polynomial: 0.97 of the time without it; lines (line_input.hpp) need it. Bit-equal: both ways end in
/// `newton_through`, or in the same few operations.
inline int newest_points_of(const Connection& c) {
  const bool may_jump = c.samples.history != nullptr && c.samples.history->may_jump();
  return may_jump ? 0 : c.approximation->newest_points();
}

/// As `Samples::ahead_of`, from the last place on.
inline std::size_t ahead_of(Connection& c, double t) {
  const Samples& samples = c.samples;
  std::size_t k = std::clamp(c.fast.place, samples.begin, samples.last());
  while (k < samples.last() && samples.time(k) <= t + samples.tolerance) ++k;
  while (k > samples.begin && samples.time(k - 1) > t + samples.tolerance) --k;
  return c.fast.place = k;
}

/// Build the polynomial of the connection at t; false if this path does not serve it.
inline bool build_through_newest(Connection& c, double t) {
  Samples& samples = c.samples;
  if (c.fast.newest_points == 0) return false;
  const bool extrapolates = t >= samples.time(samples.last()) - samples.tolerance;
  if (!extrapolates && (!c.fast.interpolates || samples.both_sides)) return false;
  samples.begin = samples.history->begin();  // older ones may have been forgotten
  if (extrapolates) {
    newton_through_newest(samples, c.fast.newest_points, c.polynomial);
    c.fast.place = samples.last();
  } else {
    const std::size_t ahead = ahead_of(c, t);
    newton_up_to(samples, ahead, c.fast.newest_points, c.polynomial);
    cover_while_ahead(samples, ahead, c.polynomial);
  }
  if (c.scales) c.polynomial.scale_and_shift(c.gain, c.offset);
  return true;
}

}  // namespace counterpoint::fast
