#pragma once

#include <cmath>

#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {

/// Output `y`, width from the parameters.
class SourceBlock : public Block {
 public:
  explicit SourceBlock(int width) : Block({}, {"y"}), width_(width) {}
  void shape(Shape& shape) const override { shape.outputs[0] = width_; }

 protected:
  int width_;
};

/// The common width of parameters; one number goes with every width.
inline int common_width(const std::vector<std::pair<const char*, const Spread*>>& parameters) {
  int width = 1;
  for (const auto& [name, values] : parameters) {
    const int own = values->width();
    if (own == 0) throw std::invalid_argument("\"" + std::string(name) + "\": expected at least one number");
    if (own > 1 && width > 1 && own != width) {
      throw std::invalid_argument("\"" + std::string(name) + "\": " + std::to_string(own) + " numbers, others have " +
                                  std::to_string(width));
    }
    width = std::max(width, own);
  }
  return width;
}

}  // namespace counterpoint::diagram
