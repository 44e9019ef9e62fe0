#pragma once

#include <vector>

#include "multibody/model.hpp"

namespace counterpoint::multibody {

/// Equations that follow from others in the current position, and the number of motions left free.
struct Redundancy {
  std::vector<int> equations;
  int degrees_of_freedom = 0;
};
Redundancy find_redundancy(const Model& model, const Instant& now);

}  // namespace counterpoint::multibody
