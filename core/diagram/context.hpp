#pragma once

#include <limits>

#include "coupling/inputs.hpp"

namespace counterpoint::diagram {

/// Parts of a step between which blocks that record their input see it. Every four of them make a polynomial of order
/// 4, which is what the continuous solutions of ode45 and of lower orders are; whatever is none, such as a source, is
/// seen in twice as many parts until polynomials follow it.
constexpr int fewest_parts = 4;
constexpr int most_parts = 4096;

/// Where the input is seen once more to tell whether polynomials follow it, in parts: near its largest error, and
/// no simple fraction, so that the instants of an oscillation do not all look alike.
constexpr double proof_instant = 0.37;

/// An instant within an accepted step: `k` of `parts`, the last one its end, one more the proof.
struct Passing {
  int k, parts;
};

/// What an error may be.
struct Tolerance {
  double relative, absolute;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What every block is told at every call.
struct Context {
  double time = 0.0;          ///< s
  double step = 0.0;          ///< size of the present attempt, s; 0 at an instant between steps
  int stage = 0;              ///< of the solver, counted from 0; 0 at an instant
  int attempt = 0;            ///< 0 for the first try of a step, then counted up: error too large, event to be located
  bool is_major = true;       ///< at an accepted time: what is computed now is what others see
  bool is_tentative = false;  ///< the present attempt may still be given up: error too large, an event inside it
  bool locates = true;        ///< events are located, so modes stay as they are between accepted times
  Inputs* inputs = nullptr;   ///< of the diagram; null when it has none

  /// Whether a block may change its mode (which side of a switch, saturated or not) in this evaluation.
  bool decides() const { return is_major || !locates; }
};

}  // namespace counterpoint::diagram
