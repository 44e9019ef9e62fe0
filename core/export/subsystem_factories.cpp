#include "diagram/recipes.hpp"
#include "fmi/recipes.hpp"
#include "multibody/recipes.hpp"
#include "ode/recipes.hpp"

namespace counterpoint::recipe {

template <>
const Factories<Subsystem>& factories_of<Subsystem>() {
  static const Factories<Subsystem> all(ode_factory, table_factory, diagram_factory, mechanism_factory, fmu_factory);
  return all;
}

}  // namespace counterpoint::recipe
