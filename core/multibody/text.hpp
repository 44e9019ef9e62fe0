#pragma once

#include <cstdio>
#include <string>

namespace counterpoint::multibody {

/// A message in the manner of printf.
template <typename... Values>
std::string text(const char* form, Values... values) {
  const int length = std::snprintf(nullptr, 0, form, values...);
  std::string made(static_cast<std::size_t>(length), '\0');
  std::snprintf(made.data(), made.size() + 1, form, values...);
  return made;
}

}  // namespace counterpoint::multibody
