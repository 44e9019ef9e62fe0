#pragma once

#include <vector>

#include "coupling/network.hpp"

namespace counterpoint::fast {

/// The groups of two or more participants that are connected with each other only, directly or through others, and step
/// on the same grid without ever stopping early. Each is sorted: those that are waited for come first.
std::vector<std::vector<int>> groups_in_step(const RunSpec& spec);

}  // namespace counterpoint::fast
