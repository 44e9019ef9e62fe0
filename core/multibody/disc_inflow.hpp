#pragma once

#include "multibody/attachment.hpp"

namespace counterpoint::multibody {

/// Induced velocity over a rotor disc: `mean` against the thrust, and how it grows along the disc.
struct DiscInflow {
  double mean = 0.0;                 ///< m/s
  Vector gradient = Vector::Zero();  ///< 1/s, in the plane of the disc
};

/// What a rotor does to the air, and the wind it meets.
struct DiscLoad {
  double density = 1.225, radius = 1.0;  ///< kg/m^3, m
  Vector axis = Vector::UnitZ();         ///< of positive thrust
  Vector wind = Vector::Zero();          ///< relative to the hub, without induction, m/s
  double thrust = 0.0;                   ///< on the rotor, N
  Vector moment = Vector::Zero();        ///< sum of thrust times place in the disc, N m
};

/// Move the inflow over h seconds. One state: apparent mass of a disc (Carpenter and Fridovich, NACA TN 3044, 1953) and
/// Glauert's momentum balance. Three states: D. M. Pitt and D. A. Peters, "Theoretical prediction of dynamic-inflow
/// derivatives", Vertica 5 (1981), with the mass flow of Peters and HaQuang (1988). Implicit Euler, flow parameters of
/// the start of the step: stable at every h. High thrust in a wind by Buhl (2005).
DiscInflow advance_uniform(const DiscInflow& before, const DiscLoad& load, double h);
DiscInflow advance_pitt_peters(const DiscInflow& before, const DiscLoad& load, double h);

}  // namespace counterpoint::multibody
