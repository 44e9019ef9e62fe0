#pragma once

#include "coupling/abilities.hpp"

namespace counterpoint {

/// A step size up to rounding. The ends of equal steps are rounded, so their differences differ in the
/// last digits; matrices made for one step serve all of them. It is part of a solver's memory.
class NominalStep {
 public:
  /// Whether h differs from the value so far by more than rounding; it then becomes the value.
  bool changed(double h) {
    if (serves(h)) return false;
    set(h);
    return true;
  }
  bool serves(double h) const { return steps_.serves(h); }
  double value() const { return steps_.length; }
  const BatchStepper::EqualSteps& equal_steps() const { return steps_; }
  void set(double value) { steps_ = {value, 1e-8 * value}; }

 private:
  BatchStepper::EqualSteps steps_;
};

}  // namespace counterpoint
