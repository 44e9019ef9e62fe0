#pragma once

#include <vector>

#include "coupling/network.hpp"

namespace counterpoint {

/// Find initial outputs that agree around loops of direct feedthrough.
///
/// The values z of the torn inputs are unknown: with them held, all other initial outputs follow
/// (`refresh_initial_outputs`), and so do the values F(z) that drive the torn inputs. Newton's method on F(z) - z = 0,
/// with differences for the Jacobian and halved steps where the residual grows, starts at the values that the inputs
/// have by themselves. Loops that are linear are solved in one iteration, also where passing values around would
/// diverge. Throws SolverFailure with the worst input and its residual when it does not converge.
void solve_initial_loops(Network& network, const std::vector<TornInput>& torn);

}  // namespace counterpoint
