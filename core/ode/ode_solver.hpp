#pragma once

#include <string>

namespace counterpoint {

/// The solvers by name. ode1 to ode5 and ode23, ode45, ode23s are called as in Simulink; the last three are of variable
/// step, and so is "auto", which chooses between the last two, for models with events.
enum class OdeSolver { ode1, ode2, ode3, ode4, ode5, ode23, ode45, ode23s, trapezoidal, bdf2, newmark, automatic };

/// "ode1", "ode45", "trapezoidal", ...: as users write it. Throws UserError.
OdeSolver ode_solver(const std::string& name);
const char* name_of(OdeSolver solver);

}  // namespace counterpoint
