#include "ode/solver.hpp"

#include <sstream>
#include <stdexcept>

#include "coupling/subsystem.hpp"

namespace counterpoint {

void right_hand_side_not_finite(double t, int i) {
  std::ostringstream text;
  text.precision(9);
  text << "derivative " << i << " of the right-hand side is NaN or infinite at t = " << t << " s";
  throw SolverFailure(text.str());
}

SolverPointer make_solver(const std::string& name, RightHandSidePointer f, const SolverOptions& options) {
  if (name.size() == 4 && name.starts_with("ode") && name[3] >= '1' && name[3] <= '5') {
    return make_explicit_solver(name[3] - '0', std::move(f));
  }
  if (name == "ode23" || name == "ode45" || name == "ode23s") return make_method_solver(name, std::move(f), options);
  if (name == "trapezoidal") return make_trapezoidal(std::move(f));
  if (name == "bdf2") return make_bdf2(std::move(f));
  if (name == "newmark") return make_newmark(std::move(f), options.beta, options.gamma);
  throw std::invalid_argument("no solver \"" + name +
                              "\"; there are ode1 ode2 ode3 ode4 ode5 ode23 ode45 ode23s trapezoidal bdf2 newmark");
}

}  // namespace counterpoint
