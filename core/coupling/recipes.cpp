#include "coupling/recipes.hpp"

namespace counterpoint::recipe {

/// Coupling laws are functions of a user: there is none that can be described.
template <>
const Factories<CouplingLaw>& factories_of<CouplingLaw>() {
  static const Factories<CouplingLaw> none;
  return none;
}

}  // namespace counterpoint::recipe
