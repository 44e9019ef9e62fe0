#pragma once

#include <string>

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {

/// Which change of a control signal counts. The value at the last instant is kept by the block, in z.
enum class Edge { rising, falling, either };

inline const std::vector<std::string>& edge_words() {
  static const std::vector<std::string> words{"rising", "falling", "either"};
  return words;
}

inline Edge edge_from(const std::string& word) {
  return word == "rising" ? Edge::rising : word == "falling" ? Edge::falling : Edge::either;
}

/// Through zero from below: from negative to zero or more, or from zero to more.
inline bool rises(double before, double now) { return (before < 0.0 && now >= 0.0) || (before == 0.0 && now > 0.0); }

inline bool fires(Edge edge, double before, double now) {
  return (edge != Edge::falling && rises(before, now)) || (edge != Edge::rising && rises(-before, -now));
}

}  // namespace counterpoint::diagram
