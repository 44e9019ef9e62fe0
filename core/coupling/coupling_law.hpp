#pragma once

#include "recipe/origin.hpp"

namespace counterpoint {

/// Computes one input from several signals, for example the force of a nonlinear coupling spring.
class CouplingLaw : public recipe::Describable {
 public:
  virtual ~CouplingLaw() = default;
  /// `signals`: the values of the connected outputs, concatenated; `out`: the input.
  virtual void evaluate(double t, const double* signals, double* out) const = 0;
};

}  // namespace counterpoint
