#include "export/ode_kinds.hpp"

namespace counterpoint::recipe {

RightHandSidePointer make_linear_right_hand_side(Matrix a, Matrix b) {
  if (a.rows() != a.cols() || b.rows() != a.rows()) throw std::invalid_argument("matrices A and B do not fit");
  return std::make_shared<LinearRightHandSide>(std::move(a), std::move(b));
}

SubsystemPointer make_ode(RightHandSidePointer f, OutputMapPointer g, InitialState x0, const std::string& solver,
                          const SolverOptions& options) {
  if (static_cast<int>(x0.values.size()) != f->states())
    throw std::invalid_argument("the initial state has the wrong length");
  if (!g->fits(f->states(), f->inputs())) throw std::invalid_argument("outputs do not fit states and inputs");
  return std::make_shared<OdeSubsystem>(std::move(f), std::move(g), std::move(x0.values), solver, options);
}

SubsystemPointer make_table_subsystem(const TableRows& rows) {
  const std::size_t width = rows.width > 0 ? static_cast<std::size_t>(rows.width) : 0;
  if (width == 0 || rows.times.empty() || rows.values.size() / width != rows.times.size() ||
      rows.values.size() % width != 0) {
    throw std::invalid_argument("times and values do not fit");
  }
  for (std::size_t k = 1; k < rows.times.size(); ++k) {
    if (!(rows.times[k] > rows.times[k - 1])) throw std::invalid_argument("times do not increase");
  }
  return std::make_shared<Table>(rows.times, rows.values, rows.width, rows.kind);
}

template <>
const Kinds<RightHandSide>& kinds_of<RightHandSide>() {
  static const Kinds<RightHandSide> all = [] {
    Kinds<RightHandSide> kinds;
    kinds.add(linear_right_hand_side_kind);
    return kinds;
  }();
  return all;
}

template <>
const Kinds<OutputMap>& kinds_of<OutputMap>() {
  static const Kinds<OutputMap> all = [] {
    Kinds<OutputMap> kinds;
    kinds.add(state_output_kind);
    kinds.add(linear_output_kind);
    return kinds;
  }();
  return all;
}

}  // namespace counterpoint::recipe
