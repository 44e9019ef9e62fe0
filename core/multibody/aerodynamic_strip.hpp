#pragma once

#include <memory>

#include "multibody/force.hpp"
#include "multibody/polar.hpp"
#include "multibody/wind.hpp"

namespace counterpoint::multibody {

struct StripLaw {
  double span = 1.0;       ///< m
  double chord = 1.0;      ///< m
  double density = 1.225;  ///< of the air, kg/m^3
  std::shared_ptr<const Polar> polar;
  Wind wind;
};

/// Where a strip sits on its body.
struct Section {
  Combination point;  ///< quarter chord
  Combination chord;  ///< unit vector from the leading to the trailing edge
  Combination
      normal;  ///< unit vector perpendicular to it, to the side that lift points to at positive angles of attack
};

/// A strip of a blade or wing in quasi-steady flow; wind along the span does nothing.
ForcePointer make_aerodynamic_strip(const Section& section, const StripLaw& law);

}  // namespace counterpoint::multibody
