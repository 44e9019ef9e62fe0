#pragma once

#include <array>

namespace counterpoint::multibody {

/// A plane at rest that points or spheres press on. In plane models the third components are not looked at.
struct Plane {
  std::array<double, 3> point{0.0, 0.0, 0.0};   ///< any point of it, m
  std::array<double, 3> normal{0.0, 0.0, 1.0};  ///< unit vector to the side where bodies may be
};

/// The plane as given, or an error that says what is wrong with its normal; `where` begins the message.
Plane checked(const char* where, const Plane& plane, int dimension);

}  // namespace counterpoint::multibody
