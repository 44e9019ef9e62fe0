#pragma once

#include <cmath>
#include <limits>

namespace counterpoint::fmi {

/// Lengths of the steps of an FMU, as they were typed. The ends of steps on a grid are rounded, and so is the difference
/// of two of them: 0.01 - 0.009 is not 0.001. Some FMUs compare the length with a period of theirs, or with the length
/// before, to the bit.
///
/// A length that differs from the one before by no more than rounding is the one before; another one is the short
/// decimal number that differs from it by no more than rounding, if there is one. Either way t + length is t_end but for rounding.
struct StepLength {
  double last = 0.0;   ///< of the last step, s; 0: none
  bool equal = false;  ///< the FMU refuses steps of different lengths

  [[gnu::always_inline]] double of(double t, double t_end) {
    if (std::abs(t_end - t - last) <= rounding(t, t_end)) return last;
    return next(t, t_end);
  }

 private:
  /// Each of the two times is a product and a sum, both rounded; so is their difference.
  static double rounding(double t, double t_end) {
    return 2.0 * std::numeric_limits<double>::epsilon() * (std::abs(t) + std::abs(t_end));
  }
  double next(double t, double t_end);
};

}  // namespace counterpoint::fmi
