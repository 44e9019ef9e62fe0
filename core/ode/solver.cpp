#include "ode/solver.hpp"

#include "check.hpp"
#include "coupling/subsystem.hpp"
#include "numbers.hpp"

namespace counterpoint {

void right_hand_side_not_finite(double t, int i) {
  Text text(9);
  text << "derivative " << i << " of the right-hand side is NaN or infinite at t = " << t << " s";
  throw SolverFailure(text.str());
}

SolverPointer make_solver(OdeSolver solver, RightHandSidePointer f, const SolverOptions& options) {
  switch (solver) {
    case OdeSolver::ode1:
    case OdeSolver::ode2:
    case OdeSolver::ode3:
    case OdeSolver::ode4:
    case OdeSolver::ode5:
      return make_explicit_solver(solver, std::move(f));
    case OdeSolver::ode23:
    case OdeSolver::ode45:
    case OdeSolver::ode23s:
      return make_method_solver(solver, std::move(f), options);
    case OdeSolver::trapezoidal:
      return make_trapezoidal(std::move(f));
    case OdeSolver::bdf2:
      return make_bdf2(std::move(f));
    case OdeSolver::newmark:
      return make_newmark(std::move(f), options.beta, options.gamma);
    case OdeSolver::automatic:
      throw UserError("solver \"auto\" is only for models with events; use ode45, or ode23s for stiff models");
  }
  internal_error("a solver of no name");
}

}  // namespace counterpoint
