#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace counterpoint::recipe {

/// What a structure consists of. One specialisation serves writing and reading:
///
///     template <> struct Fields<Weight> {
///       static auto of(auto& w) { return std::tie(w.offset, w.weight, w.turned); }
///     };
template <class Structure>
struct Fields;

/// Numbers of a structure that whoever reads a recipe may change, by names that are unique in the product:
///
///     template <> struct Numbers<Weight> {
///       static NamedNumbers of(Weight& w) { return {{"weight", &w.weight}}; }
///     };
using NamedNumbers = std::vector<std::pair<std::string, double*>>;
template <class Structure>
struct Numbers;
template <class Structure>
inline constexpr bool has_numbers = requires(Structure& structure) { Numbers<Structure>::of(structure); };

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

/// What a structure or a product is called, and how messages put that name.
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
