#include "multibody/wind.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace counterpoint::multibody {

namespace {
constexpr double lowest_height = 1e-3;  // over the roughness length; profiles end at the ground
}

Vector reference_wind(const Wind& wind, const Instant& now, int dimension) {
  Vector velocity = Vector::Zero();
  for (int d = 0; d < dimension; ++d) {
    if (wind.velocity[d]) velocity[d] = wind.velocity[d]->at(now).value;
  }
  return velocity;
}

double wind_profile(const Wind& wind, double height) {
  if (wind.shear_exponent == 0.0 && wind.roughness_length == 0.0) return 1.0;
  if (wind.roughness_length == 0.0) return std::pow(std::max(height, 0.0) / wind.reference_height, wind.shear_exponent);
  const double lowest = wind.roughness_length * (1.0 + lowest_height);
  return std::log(std::max(height, lowest) / wind.roughness_length) /
         std::log(wind.reference_height / wind.roughness_length);
}

double left_by_tower(const TowerShadow& tower, const Vector& place, const Vector& wind) {
  const double speed = std::hypot(wind[0], wind[1]);
  if (tower.radius <= 0.0 || place[2] > tower.height || speed == 0.0) return 1.0;
  const double x = (place[0] * wind[0] + place[1] * wind[1]) / (speed * tower.radius);
  const double y = (place[1] * wind[0] - place[0] * wind[1]) / (speed * tower.radius);
  const double d = std::sqrt(std::hypot(x, y));
  if (x <= 0.0 || std::abs(y) >= d) return 1.0;
  const double cosine = std::cos(0.5 * std::numbers::pi * y / d);
  return 1.0 - std::min(0.5, tower.drag / d * cosine * cosine);
}

}  // namespace counterpoint::multibody
