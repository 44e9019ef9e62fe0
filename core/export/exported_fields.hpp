#pragma once

#include "coupling/recipes.hpp"
#include "diagram/recipes.hpp"
#include "export/exported_spec.hpp"

namespace counterpoint::recipe {

template <>
struct Fields<exported::Names> {
  static auto of(auto& n) { return std::tie(n.name, n.width); }
};
template <>
struct Fields<exported::ExportedParticipant> {
  static auto of(auto& m) {
    return std::tie(m.name, m.inputs, m.outputs, m.spec.subsystem, m.spec.step, m.spec.constants, m.spec.waits_for);
  }
};
template <>
struct Fields<exported::Port> {
  static auto of(auto& p) { return std::tie(p.participant, p.offset, p.width, p.approximation); }
};
template <>
struct Fields<exported::Variable> {
  static auto of(auto& v) { return std::tie(v.reference, v.role, v.offset, v.width, v.product, v.name, v.start); }
};
template <>
struct Fields<exported::ExportedSpec> {
  static auto of(auto& s) {
    return std::tie(s.token, s.participants, s.connections, s.laws, s.torn, s.tolerance, s.initial_passes, s.inputs,
                    s.outputs, s.variables);
  }
};
template <>
inline constexpr int count_of<exported::Role> = 4;
template <>
struct Labelled<exported::ExportedParticipant> {
  static Label of(const exported::ExportedParticipant& m) { return {m.name, "subsystems." + m.name}; }
};
template <>
struct Check<exported::ExportedSpec> {
  static void of(exported::ExportedSpec& spec, Reader& reader);
};

}  // namespace counterpoint::recipe
