#pragma once

#include <string>
#include <tuple>

namespace counterpoint::recipe {

/// What a structure consists of. One specialisation serves writing and reading:
///
///     template <> struct Fields<Weight> {
///       static auto of(auto& w) { return std::tie(w.offset, w.weight, w.turned); }
///     };
template <class Structure>
struct Fields;

/// Number of values of an enumeration that counts from 0.
template <class Enumeration>
inline constexpr int count_of = 0;

/// What a product has besides the arguments it was made with, such as a name given later.
template <class Product>
struct GivenLater {
  static auto of(auto&) { return std::tuple<>(); }
};

/// Whether there may be no product where one could be.
template <class Product>
inline constexpr bool may_be_missing = false;

/// What a structure is called, and how messages put that name.
struct PlaceName {
  std::string name;  ///< empty: its parts are said to be parts of what is around it
  std::string in_messages;
};
template <class Structure>
struct Place {
  static PlaceName of(const Structure&) { return {}; }
};

/// How messages call a product that cannot be described, and what to do instead.
template <class Product>
struct Words;

}  // namespace counterpoint::recipe
