#pragma once

#include <functional>
#include <vector>

#include "multibody/force.hpp"

namespace counterpoint::multibody {

/// A user's force over all coordinates, the fixed ones last: f(t, q, v, u, Q) writes Q, which comes to it as zeros.
/// A plain function pointer of a compiled library is one, and so is whatever holds a Python callable.
using CoordinateForce = std::function<void(double t, const double* q, const double* v, const double* u, double* Q)>;

/// A user's force on points: f(t, positions, velocities, u, forces); each array has a row of x, y(, z) per point,
/// and the forces come to it as zeros.
using PointsForce =
    std::function<void(double t, const double* positions, const double* velocities, const double* u, double* forces)>;

/// Steps with which a user's force is differentiated for the tangent; 0: not at all. Stiff forces need it.
struct Differences {
  double position = 0.0;  ///< m
  double velocity = 0.0;  ///< m/s
};

ForcePointer make_user_force(CoordinateForce function, int all_coordinates);
ForcePointer make_user_force_on_points(PointsForce function, std::vector<Combination> points,
                                       Differences differences = {});

}  // namespace counterpoint::multibody
