#pragma once

#include <cmath>

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
  bool serves(double h) const { return std::abs(h - value_) <= rounding_; }
  double value() const { return value_; }
  double rounding() const { return rounding_; }
  void set(double value) {
    value_ = value;
    rounding_ = 1e-8 * value;
  }

 private:
  double value_ = 0.0;
  double rounding_ = 0.0;
};

}  // namespace counterpoint
