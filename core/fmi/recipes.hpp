#pragma once

#include "fmi/fmu_base.hpp"
#include "ode/recipes.hpp"
#include "recipe/factory.hpp"

/// How FMUs are stored and made again; the order to the process of an isolated FMU uses the same fields.
namespace counterpoint::recipe {

/// An FMU inside of what is exported. Its files lie in `fmus/N` of the folder that holds the recipe, N being its
/// number.
struct FmuRecipe {
  std::string folder;  ///< where its files are; not written, since that differs from place to place
  std::string binary;  ///< its library, from there
  fmi::FmuSetup setup;
};

/// What describes the FMU of a library that was unpacked: `folder/binaries/platform/name`.
FmuRecipe describe_fmu(const fmi::Library& library, const fmi::FmuSetup& setup);
SubsystemPointer make_fmu(const FmuRecipe& recipe);

inline const Factory fmu_factory{"fmu", &make_fmu};

template <>
inline constexpr int count_of<fmi::Type> = 13;
template <>
inline constexpr int count_of<fmi::InputStyle> = 5;
template <>
inline constexpr int count_of<fmi::Kind> = 2;
template <>
inline constexpr int count_of<fmi::ClockKind> = 5;

template <>
struct Fields<fmi::Port> {
  static auto of(auto& p) {
    return std::tie(p.type, p.reference, p.width, p.continuous, p.clocks, p.negated, p.slope, p.written, p.name);
  }
};
template <>
struct Fields<fmi::Assignment> {
  static auto of(auto& a) { return std::tie(a.type, a.reference, a.bytes, a.texts); }
};
template <>
struct Fields<fmi::InstanceSettings> {
  static auto of(auto& s) {
    return std::tie(s.kind, s.name, s.identifier, s.token, s.tool, s.visible, s.logging, s.categories, s.tolerance,
                    s.event_mode, s.early_return, s.may_restore, s.intermediate);
  }
};
template <>
struct Fields<fmi::ClockSetup> {
  static auto of(auto& c) { return std::tie(c.reference, c.kind, c.interval, c.shift); }
};
template <>
struct Fields<fmi::StateVariable> {
  static auto of(auto& v) { return std::tie(v.name, v.reference, v.width); }
};
template <>
struct Fields<fmi::IntegrationSetup> {
  static auto of(auto& s) {
    return std::tie(s.solver, s.options, s.states, s.indicators, s.completes_steps, s.publishes_events,
                    s.outputs_use_inputs, s.state_variables);
  }
};
template <>
struct Fields<fmi::FmuSetup> {
  static auto of(auto& s) {
    return std::tie(s.major, s.instance, s.inputs, s.outputs, s.clocks, s.structure, s.values, s.input_style,
                    s.output_slopes, s.can_save, s.redo_discarded, s.equal_steps, s.only_once, s.state, s.memory,
                    s.integration);
  }
};
template <>
struct Fields<FmuRecipe> {
  static auto of(auto& r) { return std::tie(r.binary, r.setup); }
};
template <>
struct OnWrite<FmuRecipe> {
  static void of(const FmuRecipe& recipe, Writer& writer) {
    writer.folders.emplace_back(writer.number(), recipe.folder);
  }
};
template <>
struct Check<FmuRecipe> {
  static void of(FmuRecipe& recipe, Reader& reader);
};

}  // namespace counterpoint::recipe
