#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What a room says about its own types so that they can be written and read again. Each specialisation is in
// the room that owns the type (`recipes.hpp` there).

namespace counterpoint::recipe {

class Writer;

/// What a structure consists of. One specialisation serves writing and reading:
///
///     template <> struct Fields<Weight> {
///       static auto of(auto& w) { return std::tie(w.offset, w.weight, w.turned); }
///     };
template <class Structure>
struct Fields;

/// Numbers of a structure that may be changed when a recipe is read, by names that are unique in the product:
///
///     template <> struct TunableNumbers<Weight> {
///       static NamedNumbers of(Weight& w) { return {{"weight", &w.weight}}; }
///     };
using NamedNumbers = std::vector<std::pair<std::string, double*>>;
template <class Structure>
struct TunableNumbers;
template <class Structure>
inline constexpr bool has_tunable_numbers =
    requires(Structure& structure) { TunableNumbers<Structure>::of(structure); };

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

/// Whether a product is written as if it were alone, so that nothing in it refers to a product outside.
template <class Product>
inline constexpr bool stands_alone = false;

/// The name of a structure or a product, and how messages show it.
struct Label {
  std::string name;  ///< empty: its parts are said to be parts of what is around it
  std::string in_messages;
};
template <class Structure>
struct Labelled {
  static Label of(const Structure&) { return {}; }
};

/// Called with every structure that is written, before its fields are.
template <class Structure>
struct OnWrite {
  static void of(const Structure&, Writer&) {}
};

/// Why a product cannot be described, and what to do instead.
template <class Product>
struct NotDescribable;

}  // namespace counterpoint::recipe
