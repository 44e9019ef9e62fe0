#pragma once

#include <algorithm>
#include <cmath>

#include "diagram/parameters.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {

/// Lower and upper limit of a value; infinite when there is none.
struct Limits {
  double lower = -infinity;
  double upper = infinity;

  static Limits from(ParameterReader& p) {
    const Limits limits{p.number("lower", -infinity), p.number("upper", infinity)};
    if (limits.lower < limits.upper) return limits;
    Text text;
    text << "\"limits\": (" << limits.lower << ", " << limits.upper << "); the lower one must be below the upper one";
    throw std::invalid_argument(text.str());
  }
  bool exist() const { return lower > -infinity || upper < infinity; }
  double clamp(double value) const { return std::min(std::max(value, lower), upper); }
};

/// "initial": one value or several.
inline std::vector<double> initial_from(ParameterReader& p) {
  std::vector<double> values = p.vector("initial", {0.0});
  if (values.empty()) throw std::invalid_argument("\"initial\": expected at least one number");
  return values;
}

/// A parameter that gives one value for all components, or one each: `count` values for each of `width` components.
inline void expand(const std::vector<double>& values, int count, int width, double* to) {
  for (int i = 0; i < width * count; ++i) {
    to[i] = values.size() == 1 ? values[0] : values[i % static_cast<int>(values.size())];
  }
}

/// Width of a block whose parameter of `length` values (a component) may be a scalar that serves all.
inline void shape_with_initial(Shape& shape, std::size_t length, int port, const std::string& name) {
  const int given = static_cast<int>(length);
  const int width = shape.inputs[port];
  if (given > 1 && width > 1 && width != given) {
    throw ShapeError("\"" + name + "\" has " + std::to_string(given) + " values", port);
  }
  if (given > 1)
    shape.outputs[0] = given;
  else if (width > 0)
    shape.outputs[0] = width;
}

}  // namespace counterpoint::diagram
