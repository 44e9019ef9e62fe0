#pragma once

#include "multibody/force.hpp"
#include "multibody/plane.hpp"

namespace counterpoint::multibody {

/// sin(C atan(Bs - E(Bs - atan Bs))): a tyre's force over its slip s, divided by the largest force mu Fz.
struct MagicFormula {
  double B = 10.0;
  double C = 1.5;
  double E = 0.0;
  double mu = 1.0;  ///< largest force over load, at the nominal load

  double at(double slip) const;
  double slope(double slip) const;
};

struct TyreLaw {
  double radius = 0.3;                   ///< without load, m
  double stiffness = 2e5;                ///< N/m
  double damping = 0.0;                  ///< N s/m
  MagicFormula longitudinal;             ///< over the longitudinal slip
  MagicFormula lateral;                  ///< over the slip angle, rad
  double longitudinal_relaxation = 0.1;  ///< way over which slip builds up, m
  double lateral_relaxation = 0.1;       ///< m
  double nominal_load = 1000.0;          ///< N
  double load_sensitivity = 0.0;         ///< part of mu that is lost when the load grows by the nominal one
  double camber_slip = 0.0;              ///< slip angle that gives the side force of a camber of 1 rad, rad
  double rolling_resistance = 0.0;       ///< drag of the rolling wheel over its load
  double rolling_speed = 0.1;            ///< at which that is 76 % of full, m/s
  double trail = 0.0;                    ///< how far behind the contact the side force acts without slip, m
  double trail_fall = 10.0;              ///< B of the trail: it is trail cos(atan(B slip angle))
  double standstill_damping = 0.0;       ///< along and across the road, N s/m
  double standstill_speed = 2.0;         ///< fades it out as exp(-(V / this)^2), m/s
  double largest_slip = 2.0;             ///< bound of the slip that a wheel spinning on the spot can wind up
  double gyroscopic_inertia = 0.0;       ///< of a wheel whose angle is a coordinate, about its axis, kg m^2
};

/// Where a tyre takes hold of its wheel.
struct Wheel {
  Combination centre;
  Combination axis;   ///< unit vector to the left of forward rolling: the wheel turns about it in the positive sense
  Combination spoke;  ///< unit vector of the turning wheel, perpendicular to the axis
  /// Instead, or more: a coordinate that is the wheel's angle, as a combination of dimension 1. Alone it is the angle
  /// in space; with a spoke that belongs to the carrier it is the angle relative to that. Much more accurate than a
  /// spoke when the wheel turns by more than some 0.2 rad a step: a circle is hard on an integrator, an angle is not.
  Combination angle;
};

/// A wheel on a flat road.
///
/// Directions: z is the road's normal, x = axis x z points forward, y = z x x to the left. Positive longitudinal slip
/// drives, positive slip angle pushes to the left: Fx = mu Fz sin(...) of slip (Omega R - V) / |V|, R the loaded
/// radius. Slip builds up from zero: a run begins with a relaxed tyre, and so does every touch-down. Moments about the
/// spin axis act on spoke and angle, the others on the axis, which may belong to the wheel's carrier. A wheel whose
/// angle is a coordinate has no body that turns: what its spin does to the carrier that turns its axis is added here.
ForcePointer make_tyre(const Wheel& wheel, const Plane& road, const TyreLaw& law);

}  // namespace counterpoint::multibody
