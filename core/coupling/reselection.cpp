#include "coupling/reselection.hpp"

#include <stdexcept>

namespace counterpoint {

namespace {

constexpr int most_points = 5;  ///< samples that are kept behind a step, whatever was used before

}  // namespace

void change_approximation(Network& network, int connection, const ApproximationPointer& approximation) {
  if (approximation->depends_on_step() || approximation->wants_derivatives() ||
      approximation->points_behind() > most_points) {
    throw std::invalid_argument("the approximation \"" + approximation->name() + "\" cannot be chosen during a run");
  }
  for (Participant& participant : network.participants) {
    for (Connection& c : participant.inputs->connections()) {
      if (c.number != connection || c.watches) continue;
      if (c.per_step) throw std::invalid_argument("an approximation that depends on the step stays for the run");
      c.approximation = approximation;
      c.polynomial.invalidate();
      return;
    }
  }
  throw std::invalid_argument("there is no connection " + std::to_string(connection));
}

}  // namespace counterpoint
