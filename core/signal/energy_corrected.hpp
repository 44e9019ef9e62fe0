#pragma once

#include "signal/approximation.hpp"

namespace counterpoint {

/// Where the receiver publishes the signal whose product with the input is power; column -1: none is looked at.
struct Conjugate {
  int column = -1;              ///< among the outputs of the receiver
  double sign = 1.0;            ///< of the power that enters it
  bool differentiated = false;  ///< power is the input times the derivative of that output
};

/// Lagrange polynomial of the given order (0 to 4); what it was wrong by in the last interval is made good in this one.
/// With a conjugate output: only where that error has created energy.
ApproximationPointer make_energy_corrected(int order, int column, double sign, bool differentiated);

/// The approximation for a receiver that publishes `own`; the same one where it looks at no conjugate output.
ApproximationPointer for_receiver(const ApproximationPointer& approximation, const History& own);

}  // namespace counterpoint
