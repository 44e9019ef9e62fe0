#pragma once

#include <string>
#include <vector>

namespace counterpoint::diagram {

/// `; did you mean "x"?` for the nearest known name, else the list of known names.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

}  // namespace counterpoint::diagram
