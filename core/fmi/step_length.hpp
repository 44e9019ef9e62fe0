#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace counterpoint::fmi {

/// Lengths of the steps of an FMU. The ends of steps on a grid are rounded, and so is the difference of two of them:
/// 0.01 - 9 * 0.001 is less than 0.001. Some FMUs cut the length off to whole nanoseconds, and then find that it is no
/// part of their period; others have to arrive at their own events, at t_end, and not before.
///
/// Hence a length is never less than it was typed, nor than t_end - t, and exceeds them by no more than rounding. What
/// was typed is the length before, or else the short decimal number that differs from t_end - t by no more than that.
/// Where the end would then be later than t_end, the start is earlier by as much: FMUs with a step of their own
/// continue as long as they are before the end, and would make one more.
struct StepLength {
  struct Step {
    double t, length;  ///< as the FMU is told, s
  };
  double last = 0.0;   ///< as typed, s; 0: no step was made
  bool equal = false;  ///< the FMU refuses steps of different lengths: all are as typed, to the bit

  [[gnu::always_inline]] Step of(double t, double t_end) {
    const double h = t_end - t;
    if (std::abs(h - last) > rounding(t, t_end)) [[unlikely]]
      change(t, t_end);
    const double length = equal ? last : std::max(h, last);
    // Rounding decides, as often as not: a choice of two numbers, and no branch that cannot be foreseen.
    const double starts[] = {t, t_end - length};
    const double told = starts[t + length > t_end ? 1 : 0];
    if (told + length > t_end) [[unlikely]]
      return {number_below(told), length};
    return {told, length};
  }

 private:
  /// Each of the two times is a product and a sum, both rounded; so is their difference.
  static double rounding(double t, double t_end) {
    return 2.0 * std::numeric_limits<double>::epsilon() * (std::abs(t) + std::abs(t_end));
  }
  void change(double t, double t_end);
  static double number_below(double t);
};

}  // namespace counterpoint::fmi
