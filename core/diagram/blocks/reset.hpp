#pragma once

#include "diagram/blocks/edge.hpp"

namespace counterpoint::diagram {

/// When a block with memory begins anew: at an edge of its reset signal, or as long as that is positive ("level").
/// It needs two places of memory: the reset signal at the last instant, and whether there was one.
class Reset {
 public:
  explicit Reset(const std::string& word)
      : exists_(word != "none"), is_level_(word == "level"), edge_(edge_from(word)) {}
  static Reset from(ParameterReader& p) {
    return Reset(p.word("reset", {"none", "rising", "falling", "either", "level"}, "none"));
  }

  bool exists() const { return exists_; }
  bool is_level() const { return is_level_; }
  int memory() const { return exists_ ? 2 : 0; }

  bool acts(const double* z, double now) const {
    return is_level_ ? now > 0.0 : z[1] != 0.0 && fires(edge_, z[0], now);
  }
  /// Whether a level reset holds the state, as decided at the last instant.
  bool holds(const double* z) const { return is_level_ && z[0] > 0.0; }
  static void note(double* z, double now) {
    z[0] = now;
    z[1] = 1.0;
  }

 private:
  bool exists_;
  bool is_level_;
  Edge edge_;
};

}  // namespace counterpoint::diagram
