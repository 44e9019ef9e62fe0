#pragma once

#include <string>
#include <string_view>

namespace counterpoint::exported {

/// Bytes that say what they are and whether they are whole.
std::string seal(const std::string& body);
/// What is in them. Throws RecipeError when it is not a state, of another version, or damaged.
std::string unseal(std::string_view bytes);

}  // namespace counterpoint::exported
