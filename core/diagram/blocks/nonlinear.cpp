// Nonlinear characteristics without memory: limits, dead zone, switches, friction.

#include <cmath>

#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {
namespace {

std::vector<std::string> with_limits(bool by_signals) {
  return by_signals ? std::vector<std::string>{"u", "lower", "upper"} : std::vector<std::string>{"u"};
}

/// Two limits: parameters, or inputs 1 and 2. The piece is -1 below, 0 between, 1 above.
struct SaturationLimits {
  double fixed_lower, fixed_upper;
  bool by_signals;
  int crossings() const { return 2; }
  double lower(const Operand* u, int k) const { return by_signals ? u[1][k] : fixed_lower; }
  double upper(const Operand* u, int k) const { return by_signals ? u[2][k] : fixed_upper; }
  double mode(const Operand* u, int k) const {
    if (by_signals && u[1][k] > u[2][k]) {
      throw std::domain_error("the lower limit " + shown(u[1][k]) + " is above the upper limit " + shown(u[2][k]));
    }
    return u[0][k] > upper(u, k) ? 1.0 : u[0][k] < lower(u, k) ? -1.0 : 0.0;
  }
  void crossing(double, const Operand* u, int k, double* g) const {
    g[0] = distance(u[0][k], lower(u, k));
    g[1] = distance(u[0][k], upper(u, k));
  }
  /// An infinite limit is never met, and infinity times zero is not a sign.
  static double distance(double u, double limit) { return std::isinf(limit) ? -limit : u - limit; }
};

struct Saturation : SaturationLimits {
  double value(double mode, const Operand* u, int k) const {
    return mode == 0.0 ? u[0][k] : mode > 0.0 ? upper(u, k) : lower(u, k);
  }
};

struct DeadZone : SaturationLimits {
  double value(double mode, const Operand* u, int k) const {
    return mode == 0.0 ? 0.0 : u[0][k] - (mode > 0.0 ? upper(u, k) : lower(u, k));
  }
};

enum class Criterion { at_least, above, not_zero };

/// Input 1 while input 0, the control, meets the criterion, else input 2.
struct Switch {
  Criterion criterion;
  double threshold;
  int crossings() const { return 1; }
  double mode(const Operand* u, int k) const {
    const double control = u[0][k];
    switch (criterion) {
      case Criterion::at_least:
        return control >= threshold;
      case Criterion::above:
        return control > threshold;
      default:
        return control != 0.0;
    }
  }
  double value(double mode, const Operand* u, int k) const { return mode != 0.0 ? u[1][k] : u[2][k]; }
  void crossing(double, const Operand* u, int k, double* g) const {
    *g = criterion == Criterion::not_zero ? u[0][k] : u[0][k] - threshold;
  }
  bool instructions(const Operand* u, double* mode, double* y, std::vector<Instruction>& code) const {
    if (criterion == Criterion::not_zero) return false;
    const Operation compares = criterion == Criterion::above ? Operation::less : Operation::less_or_equal;
    code.push_back({compares, mode, &threshold, u[0].values, nullptr});
    code.push_back({Operation::select, y, mode, u[1].values, u[2].values});
    return true;
  }
};

/// Input 1 + n where n is input 0, rounded.
struct MultiportSwitch {
  int count;
  bool clips;
  int crossings() const { return 2; }
  double mode(const Operand* u, int k) const {
    const double index = std::round(u[0][k]);
    if (index >= 0.0 && index < count) return index;
    if (!clips)
      throw std::out_of_range("the index is " + shown(u[0][k]) + "; 0 to " + std::to_string(count - 1) + " are there");
    return index < 0.0 ? 0.0 : count - 1.0;
  }
  double value(double mode, const Operand* u, int k) const { return u[1 + static_cast<int>(mode)][k]; }
  void crossing(double mode, const Operand* u, int k, double* g) const {
    g[0] = clips && mode == 0.0 ? 1.0 : u[0][k] - (mode - 0.5);
    g[1] = clips && mode == count - 1.0 ? -1.0 : u[0][k] - (mode + 0.5);
  }
};

/// offset sign(u) + gain u; the piece is the sign.
struct Friction {
  double offset, gain;
  int crossings() const { return 1; }
  double mode(const Operand* u, int k) const { return u[0][k] > 0.0 ? 1.0 : u[0][k] < 0.0 ? -1.0 : 0.0; }
  double value(double mode, const Operand* u, int k) const { return mode * offset + gain * u[0][k]; }
  void crossing(double, const Operand* u, int k, double* g) const { *g = u[0][k]; }
};

SaturationLimits read_limits(ParameterReader& p, const char* lower, const char* upper, double otherwise) {
  SaturationLimits limits{p.number(lower, -otherwise), p.number(upper, otherwise), p.flag("by_signals", false)};
  if (limits.by_signals && (p.has(lower) || p.has(upper))) {
    throw std::invalid_argument("\"by_signals\": limits are either signals or parameters");
  }
  if (limits.fixed_lower > limits.fixed_upper) {
    throw std::invalid_argument("\"" + std::string(lower) + "\": " + shown(limits.fixed_lower) + " lies above \"" +
                                upper + "\", " + shown(limits.fixed_upper));
  }
  return limits;
}

BlockPointer make_saturation(ParameterReader& p) {
  const SaturationLimits limits = read_limits(p, "lower", "upper", infinity);
  return make_piecewise(with_limits(limits.by_signals), Saturation{limits});
}

BlockPointer make_dead_zone(ParameterReader& p) {
  const SaturationLimits limits = read_limits(p, "lower", "upper", 0.5);
  return make_piecewise(with_limits(limits.by_signals), DeadZone{limits});
}

BlockPointer make_switch(ParameterReader& p) {
  const std::string word = p.word("criterion", {">=", ">", "!=0"}, ">=");
  const Criterion criterion = word == ">=" ? Criterion::at_least : word == ">" ? Criterion::above : Criterion::not_zero;
  if (criterion == Criterion::not_zero && p.has("threshold")) {
    throw std::invalid_argument("\"threshold\": has no effect with criterion !=0");
  }
  return make_piecewise({"control", "then", "otherwise"}, Switch{criterion, p.finite("threshold", 0.0)});
}

BlockPointer make_multiport_switch(ParameterReader& p) {
  const int count = p.integer("count", 2);
  if (count < 1 || count > 10000)
    throw std::invalid_argument("\"count\": " + std::to_string(count) + "; 1 to 10000 are allowed");
  std::vector<std::string> ports = numbered("u", static_cast<std::size_t>(count));
  ports.insert(ports.begin(), "index");
  return make_piecewise(std::move(ports),
                        MultiportSwitch{count, p.word("outside", {"error", "clip"}, "error") == "clip"});
}

BlockPointer make_friction(ParameterReader& p) {
  return make_piecewise({"u"}, Friction{p.number("offset"), p.finite("gain", 0.0)});
}

}  // namespace

void add_nonlinear(Registry& registry) {
  registry.add("saturation", make_saturation);
  registry.add("dead_zone", make_dead_zone);
  registry.add("switch", make_switch);
  registry.add("multiport_switch", make_multiport_switch);
  registry.add("friction", make_friction);
  add_path_dependent(registry);
}

}  // namespace counterpoint::diagram
