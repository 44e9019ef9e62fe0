#include "signal/recipes.hpp"

namespace counterpoint::recipe {

template <>
const Factories<Approximation>& factories_of<Approximation>() {
  static const Factories<Approximation> all(hold_factory, lagrange_factory, hermite_factory, taylor_factory,
                                            least_squares_factory, mean_factory, transition_factory,
                                            variable_order_factory, spline_factory, energy_corrected_factory);
  return all;
}

}  // namespace counterpoint::recipe
