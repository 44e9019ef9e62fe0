#include "multibody/plane.hpp"

#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "multibody/combination.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

Plane checked(const char* where, const Plane& plane, int dimension) {
  const std::array<double, 3>& n = plane.normal;
  const double length = std::sqrt(dot(n.data(), n.data(), dimension));
  if (std::abs(length - 1.0) < 1e-6) return plane;
  throw UserError(text("%s: normal: (%g, %g, %g) is %g long in %d dimensions; it must be a unit vector", where, n[0],
                       n[1], n[2], length, dimension));
}

}  // namespace counterpoint::multibody
