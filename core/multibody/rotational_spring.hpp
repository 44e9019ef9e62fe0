#pragma once

#include <array>

#include "multibody/force.hpp"

namespace counterpoint::multibody {

/// Stiffness and damping about the three axes of the first frame.
struct RotationalSpringLaw {
  std::array<double, 3> stiffness{0.0, 0.0, 0.0};  ///< N m/rad
  std::array<double, 3> damping{0.0, 0.0, 0.0};    ///< N m s/rad
};

/// A spring that turns the second frame back to the first, up to half a turn; each frame is three orthonormal vectors
/// of a body, chosen so that both are parallel when the spring is relaxed. Exact and conservative for finite rotations
/// about any axis, where three `rotation` measures of one axis each are good for small ones only.
ForcePointer make_rotational_spring(const std::array<Combination, 3>& first, const std::array<Combination, 3>& second,
                                    const RotationalSpringLaw& law);

}  // namespace counterpoint::multibody
