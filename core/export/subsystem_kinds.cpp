#include "export/diagram_kinds.hpp"
#include "export/fmu_kinds.hpp"
#include "export/multibody_kinds.hpp"
#include "export/ode_kinds.hpp"

namespace counterpoint::recipe {

template <>
const Kinds<Subsystem>& kinds_of<Subsystem>() {
  static const Kinds<Subsystem> all = [] {
    Kinds<Subsystem> kinds;
    kinds.add(ode_kind);
    kinds.add(table_kind);
    kinds.add(diagram_kind);
    kinds.add(mechanism_kind);
    kinds.add(fmu_kind);
    return kinds;
  }();
  return all;
}

}  // namespace counterpoint::recipe
