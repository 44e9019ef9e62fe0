#pragma once

#include <string>
#include <vector>

namespace counterpoint::multibody {

/// Coefficients of an aerofoil over its angle of attack; straight between the angles, held beyond the first and last.
struct Polar {
  std::vector<double> angle;  ///< rad, rising within -pi ... pi; a table over the full turn closes on itself
  std::vector<double> lift, drag;
  std::vector<double> moment;  ///< about the quarter chord, nose up; may be empty: none

  struct Value {
    double lift = 0.0, drag = 0.0, moment = 0.0;
    double lift_slope = 0.0;  ///< 1/rad
  };
  Value at(double angle_of_attack) const;
};

/// Throw an error that names `where` unless the polar has at least two rising angles and as many coefficients.
void check_polar(const std::string& where, const Polar& polar);

}  // namespace counterpoint::multibody
