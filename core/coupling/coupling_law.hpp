#pragma once

#include "recipe/origin.hpp"

namespace counterpoint {

/// A function of several signals that makes one input, e.g. a nonlinear coupling spring.
class CouplingLaw : public recipe::Describable {
 public:
  virtual ~CouplingLaw() = default;
  /// `signals`: the values of the connected outputs one after another; `out`: the input.
  virtual void evaluate(double t, const double* signals, double* out) const = 0;
};

}  // namespace counterpoint
