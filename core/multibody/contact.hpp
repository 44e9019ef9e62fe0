#pragma once

#include "multibody/force.hpp"
#include "multibody/plane.hpp"

namespace counterpoint::multibody {

struct ContactLaw {
  double stiffness = 1e6;  ///< k of the normal force k d^n, N/m^n
  double exponent = 1.5;   ///< n; 1.5 is a sphere after Hertz
  double damping = 0.0;    ///< c of the factor 1 + c d', s/m; a slow impact at v loses about 2/3 c v of its speed
  double friction = 0.0;   ///< coefficient of sliding friction
  double friction_speed =
      1e-2;             ///< slip at which friction is 76 % of full, m/s; below it bodies creep instead of sticking
  double radius = 0.0;  ///< of a sphere around the point, m
};

/// A point, or a sphere around it, against a plane at rest.
///
/// Friction acts on the point and is worked out from the point's own velocity: a sphere is one that does not turn. To
/// let it roll, make its contact a tyre or attachment a point of its surface.
ForcePointer make_contact(Combination point, const Plane& plane, const ContactLaw& law);

}  // namespace counterpoint::multibody
