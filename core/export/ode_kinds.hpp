#pragma once

#include "ode/ode_subsystem.hpp"
#include "ode/table.hpp"
#include "recipe/kind.hpp"

namespace counterpoint::recipe {

/// The rows of a table, one after another.
struct TableRows {
  std::vector<double> times;
  std::vector<double> values;
  int width = 1;
  Table::Kind kind = Table::Kind::linear;
};

/// States at the start, which whoever reads a recipe may change.
struct InitialState {
  std::vector<double> values;
};

RightHandSidePointer make_linear_right_hand_side(Matrix a, Matrix b);
SubsystemPointer make_ode(RightHandSidePointer f, OutputMapPointer g, InitialState x0, const std::string& solver,
                          const SolverOptions& options);
SubsystemPointer make_table_subsystem(const TableRows& rows);

inline const Kind linear_right_hand_side_kind{"linear", &make_linear_right_hand_side};
inline const Kind state_output_kind{"state", &make_state_output};
inline const Kind linear_output_kind{"linear", &make_linear_output};
inline const Kind ode_kind{"ode", &make_ode};
inline const Kind table_kind{"table", &make_table_subsystem};

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
struct Note<InitialState> {
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
struct Words<Subsystem> {
  static std::string of(const Subsystem&) {
    return "is written in Python or runs in a process of its own, which an FMU does without; describe it as a diagram, "
           "a mechanism or "
           "cp.linear, or leave it outside";
  }
};
template <>
struct Words<RightHandSide> {
  static std::string of(const RightHandSide&) {
    return "its right-hand side is a function of Python or a compiled one, which an FMU runs without; use cp.linear or "
           "a diagram";
  }
};
template <>
struct Words<OutputMap> {
  static std::string of(const OutputMap&) {
    return "its output is a function of Python or a compiled one, which an FMU runs without; use cp.linear or a "
           "diagram";
  }
};

template <>
const Kinds<RightHandSide>& kinds_of<RightHandSide>();
template <>
const Kinds<OutputMap>& kinds_of<OutputMap>();
template <>
const Kinds<Subsystem>& kinds_of<Subsystem>();

}  // namespace counterpoint::recipe
