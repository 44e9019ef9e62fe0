// Mathematics with corners and jumps: absolute value, sign, extremes, rounding, remainders.

#include <cmath>

#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {
namespace {

/// |u|; the piece is the sign.
struct Absolute {
  int crossings() const { return 1; }
  double mode(const Operand* u, int k) const { return u[0][k] < 0.0 ? -1.0 : 1.0; }
  double value(double mode, const Operand* u, int k) const { return mode * u[0][k]; }
  void crossing(double, const Operand* u, int k, double* g) const { *g = u[0][k]; }
};

/// -1, 0, 1.
struct Sign {
  static constexpr bool is_constant = true;
  int crossings() const { return 1; }
  double mode(const Operand* u, int k) const { return u[0][k] < 0.0 ? -1.0 : u[0][k] > 0.0 ? 1.0 : 0.0; }
  double value(double mode, const Operand*, int) const { return mode; }
  void crossing(double, const Operand* u, int k, double* g) const { *g = u[0][k]; }
};

enum class Rounding { floor, ceil, round, truncate };

/// The whole number that u is rounded to, and the stretch in which it stays.
struct Whole {
  Rounding kind;
  double of(double u) const {
    switch (kind) {
      case Rounding::floor:
        return std::floor(u);
      case Rounding::ceil:
        return std::ceil(u);
      case Rounding::round:
        return std::round(u);
      default:
        return std::trunc(u);
    }
  }
  double low(double whole) const {
    switch (kind) {
      case Rounding::floor:
        return whole;
      case Rounding::ceil:
        return whole - 1.0;
      case Rounding::round:
        return whole - 0.5;
      default:
        return whole > 0.0 ? whole : whole - 1.0;
    }
  }
  double high(double whole) const {
    switch (kind) {
      case Rounding::floor:
        return whole + 1.0;
      case Rounding::ceil:
        return whole;
      case Rounding::round:
        return whole + 0.5;
      default:
        return whole < 0.0 ? whole : whole + 1.0;
    }
  }
};

/// q times u/q rounded.
struct Rounded {
  static constexpr bool is_constant = true;
  Whole whole;
  double interval;
  int crossings() const { return 2; }
  double mode(const Operand* u, int k) const { return whole.of(u[0][k] / interval); }
  double value(double mode, const Operand*, int) const { return interval * mode; }
  void crossing(double mode, const Operand* u, int k, double* g) const {
    const double v = u[0][k] / interval;
    g[0] = v - whole.low(mode);
    g[1] = v - whole.high(mode);
  }
};

/// u - v times the quotient rounded: by floor the sign is that of v (modulo), by truncation that of u (remainder).
struct Remainder {
  Whole whole;
  int crossings() const { return 2; }
  double mode(const Operand* u, int k) const { return whole.of(quotient(u, k)); }
  double value(double mode, const Operand* u, int k) const { return u[0][k] - mode * u[1][k]; }
  void crossing(double mode, const Operand* u, int k, double* g) const {
    const double v = quotient(u, k);
    g[0] = v - whole.low(mode);
    g[1] = v - whole.high(mode);
  }
  double quotient(const Operand* u, int k) const {
    if (u[1][k] == 0.0) throw std::domain_error("the divisor is 0");
    return u[0][k] / u[1][k];
  }
};

/// The smallest or the largest of several inputs. z: which one it is.
struct Extreme {
  double direction;  ///< 1: largest, -1: smallest
  int count;
  int crossings() const { return count; }
  double mode(const Operand* u, int k) const {
    int best = 0;
    for (int i = 1; i < count; ++i) {
      if (direction * (u[i][k] - u[best][k]) > 0.0) best = i;
    }
    return best;
  }
  double value(double mode, const Operand* u, int k) const { return u[static_cast<int>(mode)][k]; }
  void crossing(double mode, const Operand* u, int k, double* g) const {
    const int best = static_cast<int>(mode);
    for (int i = 0; i < count; ++i) g[i] = i == best ? -1.0 : direction * (u[i][k] - u[best][k]);
  }
  bool instructions(const Operand* u, double* mode, double* y, std::vector<Instruction>& code) const {
    if (count != 2) return false;
    const bool is_largest = direction > 0.0;
    code.push_back({Operation::less, mode, u[is_largest ? 0 : 1].values, u[is_largest ? 1 : 0].values, nullptr});
    code.push_back({Operation::select, y, mode, u[1].values, u[0].values});
    return true;
  }
};

/// The smallest or the largest component of one vector. z: its place.
class ExtremeComponent final : public Elementwise {
 public:
  explicit ExtremeComponent(double direction) : Elementwise({"u"}), rule_{direction, 0} {}
  void shape(Shape& shape) const override { shape.outputs[0] = 1; }
  void bind(Memory memory) override {
    Elementwise::bind(std::move(memory));
    rule_.count = in_width(0);
    components_.clear();
    for (int k = 0; k < rule_.count && !u_.empty(); ++k) components_.push_back({u_[0].values + k, 0});
  }
  bool is_pure() const override { return true; }
  int memory() const override { return 1; }
  int crossings() const override { return rule_.count; }
  void output(const Context& context, int) override {
    if (context.decides()) *z() = rule_.mode(components_.data(), 0);
    *y_ = rule_.value(*z(), components_.data(), 0);
  }
  void crossing(const Context&, double* g) override { rule_.crossing(*z(), components_.data(), 0, g); }

 private:
  Extreme rule_;
  std::vector<Operand> components_;
};

BlockPointer make_extreme(ParameterReader& p, double direction) {
  const int count = p.integer("count", 2);
  if (count < 1 || count > 10000)
    throw std::invalid_argument("\"count\": " + std::to_string(count) + "; 1 to 10000 are allowed");
  if (count == 1) return std::make_shared<ExtremeComponent>(direction);
  return make_piecewise(numbered("u", static_cast<std::size_t>(count)), Extreme{direction, count});
}

BlockPointer make_quantizer(ParameterReader& p) {
  const double interval = p.number("interval");
  if (!(interval > 0.0))
    throw std::invalid_argument("\"interval\": " + shown(interval) + "; expected a positive number");
  return make_piecewise({"u"}, Rounded{{Rounding::round}, interval});
}

}  // namespace

void add_piecewise(Registry& registry) {
  registry.add("abs", [](ParameterReader&) { return make_piecewise({"u"}, Absolute{}); });
  registry.add("sign", [](ParameterReader&) { return make_piecewise({"u"}, Sign{}); });
  registry.add("max", [](ParameterReader& p) { return make_extreme(p, 1.0); });
  registry.add("min", [](ParameterReader& p) { return make_extreme(p, -1.0); });
  const auto add_rounding = [&registry](const char* kind, Rounding rounding) {
    registry.add(kind, [rounding](ParameterReader&) { return make_piecewise({"u"}, Rounded{{rounding}, 1.0}); });
  };
  add_rounding("floor", Rounding::floor);
  add_rounding("ceil", Rounding::ceil);
  add_rounding("round", Rounding::round);
  add_rounding("truncate", Rounding::truncate);
  registry.add("quantizer", make_quantizer);
  registry.add("modulo",
               [](ParameterReader&) { return make_piecewise({"u", "divisor"}, Remainder{{Rounding::floor}}); });
  registry.add("remainder",
               [](ParameterReader&) { return make_piecewise({"u", "divisor"}, Remainder{{Rounding::truncate}}); });
}

}  // namespace counterpoint::diagram
