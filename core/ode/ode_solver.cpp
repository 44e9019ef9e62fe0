#include "ode/ode_solver.hpp"

#include <array>

#include "check.hpp"

namespace counterpoint {
namespace {

/// In the order of OdeSolver.
constexpr std::array<const char*, 12> solver_names = {"ode1",  "ode2",   "ode3",        "ode4", "ode5",    "ode23",
                                                      "ode45", "ode23s", "trapezoidal", "bdf2", "newmark", "auto"};

}  // namespace

const char* name_of(OdeSolver solver) { return solver_names[static_cast<std::size_t>(solver)]; }

OdeSolver ode_solver(const std::string& name) {
  std::string known;
  for (std::size_t k = 0; k < solver_names.size(); ++k) {
    if (name == solver_names[k]) return static_cast<OdeSolver>(k);
    known += (k == 0 ? "" : ", ") + std::string(solver_names[k]);
  }
  throw UserError("no solver \"" + name + "\"; expected " + known);
}

}  // namespace counterpoint
