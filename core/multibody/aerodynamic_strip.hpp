#pragma once

#include <array>
#include <memory>
#include <vector>

#include "multibody/force.hpp"

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

/// Wind, and how it grows with the height over the origin (z; y in plane models).
struct Wind {
  std::array<TimeFunctionPointer, 3> velocity;  ///< at the reference height, m/s; null: no wind along that axis
  double reference_height = 10.0;               ///< m
  double shear_exponent = 0.0;                  ///< wind ~ height^exponent
  double roughness_length = 0.0;                ///< > 0: wind ~ log(height / this) instead, m
};

struct StripLaw {
  double span = 1.0;       ///< m
  double chord = 1.0;      ///< m
  double density = 1.225;  ///< of the air, kg/m^3
  std::shared_ptr<const Polar> polar;
  Wind wind;
};

/// Where a strip sits on its body.
struct Section {
  Combination point;  ///< quarter chord
  Combination chord;  ///< unit vector from the leading to the trailing edge
  Combination
      normal;  ///< unit vector perpendicular to it, to the side that lift points to at positive angles of attack
};

/// A strip of a blade or wing in quasi-steady flow; wind along the span does nothing.
ForcePointer make_aerodynamic_strip(const Section& section, const StripLaw& law);

}  // namespace counterpoint::multibody
