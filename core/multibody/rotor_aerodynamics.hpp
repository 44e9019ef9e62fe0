#pragma once

#include <vector>

#include "multibody/aerodynamic_strip.hpp"
#include "multibody/dynamic_stall.hpp"
#include "multibody/momentum.hpp"

namespace counterpoint::multibody {

/// How the rotor slows or speeds up the air that passes it.
enum class Inflow {
  none,         ///< not at all
  uniform,      ///< one velocity over the disc, with the inertia of the air
  pitt_peters,  ///< a plane over the disc: three states
  momentum,     ///< momentum of each annulus as the blade passes
};

/// What `Inflow::momentum` takes into account.
struct WakeLaw {
  bool tip_loss = true, hub_loss = true;  ///< Prandtl
  bool drag = true;                       ///< drag loads the flow as lift does
  bool skewed_flow = false;               ///< wind along the disc adds to the mass flow
  double skew_gradient = 0.0;  ///< more induction downstream: this times tan(chi / 2) times r / R; 15 pi / 32 usual
  bool skew_loss = false;      ///< Prandtl's factors weaken that, too
  double time_constant = 0.0;  ///< of the wake, s (Oeye's two filters); 0: in equilibrium
  int sector_points = 1;       ///< places in a sector of +-60 degrees whose mean wind a blade meets
};

struct BladeSection {
  Section place;
  double chord = 1.0, span = 1.0;  ///< m
  double radius = 1.0;             ///< from the centre along the blade, m
  int polar = 0;                   ///< number of its polar
};

struct RotorLaw {
  Combination centre, axis;               ///< point where the blade axes cross; unit vector of positive thrust
  double radius = 1.0, hub_radius = 0.0;  ///< of tip and root, along the blade, m
  double density = 1.225;                 ///< kg/m^3
  int blades = 2;
  std::vector<Polar> polars;
  std::vector<StallLaw> stall;  ///< one per polar, or none: quasi-steady
  Wind wind;
  TowerShadow tower;
  Inflow inflow = Inflow::momentum;
  WakeLaw wake;
};

/// Blade-element forces of a rotor in the wind that it changes itself. Induced velocities and dynamic stall are
/// remembered from step to step: the forces of a step see the induced velocities of its start.
ForcePointer make_rotor_aerodynamics(const RotorLaw& law, const std::vector<BladeSection>& sections);

}  // namespace counterpoint::multibody
