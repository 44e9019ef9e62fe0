#pragma once

#include "diagram/diagram_subsystem.hpp"
#include "ode/recipes.hpp"
#include "recipe/factory.hpp"

/// How diagrams are stored and made again.
namespace counterpoint::recipe {

diagram::BlockPointer make_registered_block(const std::string& kind, const diagram::Parameters& parameters);
SubsystemPointer make_diagram(const diagram::FlatDiagram& diagram, const diagram::SimulatorOptions& options,
                              bool publishes_events, double preferred_step);

inline const Factory block_factory{"block", &make_registered_block};
inline const Factory diagram_factory{"diagram", &make_diagram};

template <>
struct Fields<diagram::Array> {
  static auto of(auto& a) { return std::tie(a.values, a.rows, a.columns); }
};
template <>
struct Fields<diagram::Parameters> {
  static auto of(auto& p) { return std::tie(p.numbers, p.texts); }
};
template <>
struct Fields<diagram::Source> {
  static auto of(auto& s) { return std::tie(s.block, s.port); }
};
template <>
struct Fields<diagram::FlatBlock> {
  static auto of(auto& e) { return std::tie(e.name, e.block, e.inputs, e.gate); }
};
template <>
struct Fields<diagram::Outlet> {
  static auto of(auto& o) { return std::tie(o.name, o.source); }
};
template <>
struct Fields<diagram::FlatDiagram> {
  static auto of(auto& d) { return std::tie(d.blocks, d.outputs); }
};
template <>
struct Fields<diagram::LoopOptions> {
  static auto of(auto& o) { return std::tie(o.solves, o.tolerance, o.iterations); }
};
template <>
struct Fields<diagram::SimulatorOptions> {
  static auto of(auto& o) { return std::tie(o.solver, o.solver_options, o.inner_step, o.locates, o.loops); }
};

template <>
struct Labelled<diagram::FlatBlock> {
  static Label of(const diagram::FlatBlock& e) { return {e.name, "block \"" + e.name + "\""}; }
};
template <>
struct OnWrite<diagram::Parameters> {
  static void of(const diagram::Parameters& parameters, Writer& writer) {
    for (const auto& [name, array] : parameters.numbers) {
      writer.tunables.push_back({writer.number(), writer.path(), name, array.values});
    }
  }
};
/// Numbers that were changed since the recipe was written take the place of those in it.
template <>
struct Check<diagram::Parameters> {
  static void of(diagram::Parameters& parameters, Reader& reader);
};
template <>
struct Check<diagram::FlatDiagram> {
  static void of(diagram::FlatDiagram& diagram, Reader& reader);
};
template <>
struct NotDescribable<diagram::Block> {
  static std::string of(const diagram::Block&) {
    return "is a Python function, a compiled one, or a co-simulation block, which cannot be exported; use "
           "blocks of the library, "
           "such as an expression, or couple in a system";
  }
};

template <>
const Factories<diagram::Block>& factories_of<diagram::Block>();

}  // namespace counterpoint::recipe
