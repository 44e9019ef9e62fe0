#pragma once

#include "coupling/inputs.hpp"

namespace counterpoint::fast {

/// Fast path: the polynomial behind a single scalar input, where one is right from t to t_end; else null.
///
/// Serves participants whose only input is one scalar connection. Saves asking for the input at every stage of a
/// step: a solver evaluates the polynomial in its own loop. Bit-equal to `Inputs::at`.
inline const Polynomial* single_polynomial(Inputs& inputs, double t, double t_end) {
  if (!inputs.fast_paths().is_single()) return nullptr;
  inputs.fast_paths().leave_lines(inputs.connections());
  Connection& c = inputs.connections().front();
  if (!c.polynomial.covers(t, t_end)) inputs.polynomial(c, t);
  return c.polynomial.covers(t, t_end) ? &c.polynomial : nullptr;
}

}  // namespace counterpoint::fast
