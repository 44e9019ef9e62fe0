#pragma once

#include <vector>

#include "coupling/network.hpp"

namespace counterpoint::fast {

/// The groups of two or more participants that are connected only with each other, directly or through others, step on
/// the same grid and never stop early. In each group, those that others wait for come first.
std::vector<std::vector<int>> groups_in_step(const RunSpec& spec);

}  // namespace counterpoint::fast
