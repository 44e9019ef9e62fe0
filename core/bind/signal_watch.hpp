#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bind/python_values.hpp"

namespace counterpoint::bind {

/// What to say of native work that does not end: asked without Python's lock, from another thread.
struct Whereabouts {
  std::function<std::string()> text;  ///< "pump" to finish its step from t = 0.4 s
};

}  // namespace counterpoint::bind
