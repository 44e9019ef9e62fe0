#pragma once

#include "coupling/recipes.hpp"
#include "ode/ode_subsystem.hpp"
#include "ode/table.hpp"
#include "recipe/factory.hpp"

/// How subsystems made of equations and tables are stored and made again.
namespace counterpoint::recipe {

/// The rows of a table, one after another.
struct TableRows {
  std::vector<double> times;
  std::vector<double> values;
  int width = 1;
  Table::Kind kind = Table::Kind::linear;
};

/// States at the start, which may be changed when a recipe is read.
struct InitialState {
  std::vector<double> values;
};

RightHandSidePointer make_linear_right_hand_side(Matrix a, Matrix b);
SubsystemPointer make_ode(RightHandSidePointer f, OutputMapPointer g, InitialState x0, OdeSolver solver,
                          const SolverOptions& options);
SubsystemPointer make_table_subsystem(const TableRows& rows);

inline const Factory linear_right_hand_side_factory{"linear", &make_linear_right_hand_side};
inline const Factory state_output_factory{"state", &make_state_output};
inline const Factory linear_output_factory{"linear", &make_linear_output};
inline const Factory ode_factory{"ode", &make_ode};
inline const Factory table_factory{"table", &make_table_subsystem};

template <>
struct Fields<SolverOptions> {
  static auto of(auto& o) {
    return std::tie(o.relative_tolerance, o.absolute_tolerance, o.first_step, o.max_step, o.beta, o.gamma);
  }
};
template <>
struct Fields<InitialState> {
  static auto of(auto& x) { return std::tie(x.values); }
};
template <>
struct OnWrite<InitialState> {
  static void of(const InitialState& x, Writer& writer) {
    writer.tunables.push_back({writer.number(), writer.path(), "x0", x.values});
  }
};
template <>
struct Check<InitialState> {
  static void of(InitialState& x, Reader& reader) { reader.change("x0", x.values); }
};
template <>
struct Fields<TableRows> {
  static auto of(auto& r) { return std::tie(r.times, r.values, r.width, r.kind); }
};
template <>
inline constexpr int count_of<Table::Kind> = 2;
template <>
inline constexpr int count_of<OdeSolver> = 12;

template <>
struct NotDescribable<RightHandSide> {
  static std::string of(const RightHandSide&) {
    return "its right-hand side is a Python function or a compiled one, which an FMU cannot contain; use cp.linear or "
           "a diagram";
  }
};
template <>
struct NotDescribable<OutputMap> {
  static std::string of(const OutputMap&) {
    return "its output is a Python function or a compiled one, which an FMU cannot contain; use cp.linear or a "
           "diagram";
  }
};

template <>
const Factories<RightHandSide>& factories_of<RightHandSide>();
template <>
const Factories<OutputMap>& factories_of<OutputMap>();

}  // namespace counterpoint::recipe
