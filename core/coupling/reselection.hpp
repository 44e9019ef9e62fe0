#pragma once

#include "coupling/network.hpp"

namespace counterpoint {

/// Give the connection with this number another approximation, from the next step of its consumer on.
///
/// Between steps only, of a network without fast paths (they were chosen for the approximation before), from one
/// approximation of samples alone to another that needs no more samples than are always kept.
void change_approximation(Network& network, int connection, const ApproximationPointer& approximation);

}  // namespace counterpoint
