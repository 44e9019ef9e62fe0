#pragma once

#include "recipe/reader.hpp"
#include "recipe/writer.hpp"

namespace counterpoint::recipe {

/// Say of a product how it was made.
template <class Made, class Product, class... Argument>
void describe(const Made& made, const Factory<Product, Argument...>& factory,
              std::type_identity_t<std::decay_t<Argument>>... arguments) {
  made.origin = std::make_shared<Origin>(
      Origin{factory.name, [... kept = std::move(arguments)](Writer& writer) { writer(kept...); }});
}

/// Make a product that knows how it was made.
template <class Product, class... Argument>
std::shared_ptr<Product> make(const Factory<Product, Argument...>& factory,
                              std::type_identity_t<std::decay_t<Argument>>... arguments) {
  std::shared_ptr<Product> made = factory.make(arguments...);
  describe(*made, factory, std::move(arguments)...);
  return made;
}

/// The function that makes such products.
template <class Product, class... Argument>
auto maker(const Factory<Product, Argument...>& factory) {
  return [factory](std::decay_t<Argument>... arguments) { return make(factory, std::move(arguments)...); };
}

}  // namespace counterpoint::recipe
