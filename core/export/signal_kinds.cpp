#include "export/signal_kinds.hpp"

namespace counterpoint::recipe {

template <>
const Kinds<Approximation>& kinds_of<Approximation>() {
  static const Kinds<Approximation> all = [] {
    Kinds<Approximation> kinds;
    kinds.add(hold_kind);
    kinds.add(lagrange_kind);
    kinds.add(hermite_kind);
    kinds.add(taylor_kind);
    kinds.add(least_squares_kind);
    kinds.add(mean_kind);
    kinds.add(transition_kind);
    return kinds;
  }();
  return all;
}

/// Coupling laws are functions of a user: there is none that can be described.
template <>
const Kinds<CouplingLaw>& kinds_of<CouplingLaw>() {
  static const Kinds<CouplingLaw> none;
  return none;
}

}  // namespace counterpoint::recipe
