#pragma once

#include "coupling/network.hpp"
#include "export/signal_kinds.hpp"
#include "recipe/kind.hpp"

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
struct Place<ConnectionSpec> {
  static PlaceName of(const ConnectionSpec&) { return {"connections", "connections"}; }
};
template <>
struct Place<LawSpec> {
  static PlaceName of(const LawSpec&) { return {"connections", "connections"}; }
};

}  // namespace counterpoint::recipe
