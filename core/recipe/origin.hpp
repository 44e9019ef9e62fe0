#pragma once

#include <functional>
#include <memory>
#include <string>

namespace counterpoint::recipe {

class Writer;
class Reader;

/// How a product was made: the name of its factory, and what writes down the arguments it was made with.
struct Origin {
  std::string factory;
  std::function<void(Writer&)> write_arguments;
};

/// Base of whatever a recipe can describe. Without an origin (it holds a user's function, say) it cannot be described.
class Describable {
 public:
  /// What is known about a product; not a part of it, so that it can be said of constant ones too.
  mutable std::shared_ptr<const Origin> origin;
};

}  // namespace counterpoint::recipe
