#pragma once

#include "multibody/polar.hpp"

namespace counterpoint::multibody {

/// Which terms the balance of momentum of an annulus has.
struct MomentumTerms {
  bool tip_loss = true;    ///< Prandtl's factor at the tip
  bool hub_loss = true;    ///< and at the root
  bool drag = true;        ///< drag loads the flow as lift does
  bool tangential = true;  ///< the wake turns
  double skew = 0.0;       ///< tangent of the angle between the wind and the rotor axis: Glauert's mass flow
};

/// An annulus of a rotor as one blade section sees it.
struct Annulus {
  double radius = 1.0;                        ///< m
  double tip_radius = 1.0, hub_radius = 0.0;  ///< m
  double blades = 2.0;
  double chord = 0.1;       ///< m
  double twist = 0.0;       ///< of the chord out of the rotor plane, leading edge into the wind, rad
  double axial = 0.0;       ///< wind through the rotor without induction, along its thrust, m/s
  double tangential = 0.0;  ///< relative wind against the rotation, m/s
};

/// Induced velocities as parts of the relative wind: axial (1 - a), tangential (1 + a').
struct Induction {
  double axial = 0.0, tangential = 0.0;
};

/// Balance of momentum and blade forces of one annulus.
///
/// One unknown, the angle of the inflow: S. A. Ning, "A simple solution method for the blade element momentum equations
/// with guaranteed convergence", Wind Energy 17 (2014). Loss factors by Prandtl, high thrust by M. L. Buhl
/// (NREL/TP-500-36834, 2005), mass flow of a skewed rotor by Glauert.
Induction solve_annulus(const Annulus& annulus, const Polar& polar, const MomentumTerms& terms);

/// Prandtl's factor for the inflow angle phi (rad).
double prandtl_loss(const Annulus& annulus, const MomentumTerms& terms, double phi);

}  // namespace counterpoint::multibody
