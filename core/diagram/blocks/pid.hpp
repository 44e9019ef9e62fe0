#pragma once

#include "diagram/blocks/reset.hpp"
#include "diagram/blocks/values.hpp"

namespace counterpoint::diagram {

enum class AntiWindup { none, clamping, back_calculation };

/// What a PID controller is made from:
///
///     v = P (b r - m) + integral of I (r - m) + filtered derivative of D (c r - m),   y = v within the limits
///
/// r: set point, m: measurement. With one input, the error e, all three differences are e.
struct PidOptions {
  static PidOptions from(ParameterReader& p);

  double proportional, integral, derivative, filter;
  double setpoint_weight, derivative_weight;
  Limits limits;
  AntiWindup anti_windup;
  double back_gain;      ///< 1/s, of back-calculation
  double tracking_gain;  ///< 1/s
  double initial, initial_filter;
  bool has_setpoint, tracks;
  Reset reset;

  std::vector<std::string> ports() const;
  int reset_port() const { return has_setpoint ? 2 : 1; }
  int tracking_port() const { return reset_port() + (reset.exists() ? 1 : 0); }
  /// Whether the P and D parts let an input through in the same instant.
  bool passes(int input) const;
  void shape(const Block& block, Shape& shape) const;
};

/// The three differences of one component, and the signal to follow.
struct PidInputs {
  double proportional, integral, derivative, tracking;
};

PidInputs pid_inputs(const PidOptions& o, const Block::Memory& memory, int component);

}  // namespace counterpoint::diagram
