#include "ode/recipes.hpp"

#include "check.hpp"

namespace counterpoint::recipe {

RightHandSidePointer make_linear_right_hand_side(Matrix a, Matrix b) {
  if (a.rows() != a.cols() || b.rows() != a.rows()) throw UserError("matrices A and B do not match");
  return std::make_shared<LinearRightHandSide>(std::move(a), std::move(b));
}

SubsystemPointer make_ode(RightHandSidePointer f, OutputMapPointer g, InitialState x0, OdeSolver solver,
                          const SolverOptions& options) {
  if (static_cast<int>(x0.values.size()) != f->states()) throw UserError("the initial state has the wrong length");
  if (!g->fits(f->states(), f->inputs())) throw UserError("outputs do not match states and inputs");
  return std::make_shared<OdeSubsystem>(std::move(f), std::move(g), std::move(x0.values), solver, options);
}

SubsystemPointer make_table_subsystem(const TableRows& rows) {
  const std::size_t width = rows.width > 0 ? static_cast<std::size_t>(rows.width) : 0;
  if (width == 0 || rows.times.empty() || rows.values.size() / width != rows.times.size() ||
      rows.values.size() % width != 0) {
    throw UserError("times and values do not match");
  }
  for (std::size_t k = 1; k < rows.times.size(); ++k) {
    if (!(rows.times[k] >= rows.times[k - 1])) throw UserError("times decrease");
  }
  return std::make_shared<Table>(rows.times, rows.values, rows.width, rows.kind);
}

template <>
const Factories<RightHandSide>& factories_of<RightHandSide>() {
  static const Factories<RightHandSide> all(linear_right_hand_side_factory);
  return all;
}

template <>
const Factories<OutputMap>& factories_of<OutputMap>() {
  static const Factories<OutputMap> all(state_output_factory, linear_output_factory);
  return all;
}

}  // namespace counterpoint::recipe
