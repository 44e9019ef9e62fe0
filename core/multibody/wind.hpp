#pragma once

#include <array>

#include "multibody/attachment.hpp"
#include "multibody/time_function.hpp"

namespace counterpoint::multibody {

/// Wind, and how it grows with the height over the origin (z; y in plane models).
struct Wind {
  std::array<TimeFunctionPointer, 3> velocity;  ///< at the reference height, m/s; null: no wind along that axis
  double reference_height = 10.0;               ///< m
  double shear_exponent = 0.0;                  ///< wind ~ height^exponent
  double roughness_length = 0.0;                ///< > 0: wind ~ log(height / this) instead, m
};

/// Velocity of the wind at the reference height, m/s.
Vector reference_wind(const Wind& wind, const Instant& now, int dimension);
/// How much stronger the wind is at a height (m) than at the reference height.
double wind_profile(const Wind& wind, double height);

/// Wake of a tower on the z axis: A. D. Powles, "The effects of tower shadow on the dynamics of a horizontal-axis wind
/// turbine", Wind Engineering 7 (1983).
struct TowerShadow {
  double radius = 0.0;  ///< of the tower, m; 0: no shadow
  double drag = 1.0;    ///< drag coefficient of the tower
  double height = 0.0;  ///< of the tower, m: no shadow above
};

/// What the tower leaves of a wind at a place: 1 outside its wake, at least 0.5 inside.
double left_by_tower(const TowerShadow& tower, const Vector& place, const Vector& wind);

}  // namespace counterpoint::multibody
