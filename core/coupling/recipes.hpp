#pragma once

#include "coupling/network.hpp"
#include "recipe/factory.hpp"
#include "signal/recipes.hpp"

/// How the parts of a run are stored and made again.
namespace counterpoint::recipe {

template <>
struct Fields<ConnectionSpec> {
  static auto of(auto& c) {
    return std::tie(c.source, c.source_offset, c.width, c.target, c.target_offset, c.target_width, c.approximation,
                    c.gain, c.offset, c.initial, c.law);
  }
};
template <>
struct Fields<LawSpec> {
  static auto of(auto& l) { return std::tie(l.law, l.target, l.target_offset); }
};
template <>
struct Fields<TornInput> {
  static auto of(auto& t) { return std::tie(t.participant, t.offset, t.width, t.label); }
};
template <>
struct Labelled<ConnectionSpec> {
  static Label of(const ConnectionSpec&) { return {"connections", "connections"}; }
};
template <>
struct Labelled<LawSpec> {
  static Label of(const LawSpec&) { return {"connections", "connections"}; }
};

/// A subsystem in a recipe refers to nothing in another one.
template <>
inline constexpr bool stands_alone<Subsystem> = true;

template <>
struct NotDescribable<Subsystem> {
  static std::string of(const Subsystem&) {
    return "is written in Python or runs in a process of its own, which an FMU cannot contain; describe it as a "
           "diagram, "
           "a mechanism or cp.linear, or leave it outside";
  }
};
template <>
struct NotDescribable<CouplingLaw> {
  static std::string of(const CouplingLaw&) {
    return "a coupling law is a Python function, which an FMU cannot contain; use a sum with gains, or a diagram "
           "between the two";
  }
};

template <>
const Factories<CouplingLaw>& factories_of<CouplingLaw>();
/// Defined where all rooms that provide subsystems are known (core/export).
template <>
const Factories<Subsystem>& factories_of<Subsystem>();

}  // namespace counterpoint::recipe
