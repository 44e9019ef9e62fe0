// Comparison and logic. A signal is true when it is not zero; outputs are 0 and 1.

#include <algorithm>
#include <cmath>

#include "diagram/blocks/elementwise.hpp"

namespace counterpoint::diagram {
namespace {

enum class Relation { less, at_most, greater, at_least, equal, not_equal };

/// u compared with the second input or with a constant. Equal: no further apart than the tolerance.
struct Comparison {
  Relation relation;
  double constant;
  bool has_constant;
  double tolerance;

  bool tests_equality() const { return relation == Relation::equal || relation == Relation::not_equal; }
  int crossings() const { return tests_equality() ? 2 : 1; }
  double difference(const Operand* u, int k) const { return u[0][k] - (has_constant ? constant : u[1][k]); }
  double mode(const Operand* u, int k) const {
    const double d = difference(u, k);
    switch (relation) {
      case Relation::less:
        return d < 0.0;
      case Relation::at_most:
        return d <= 0.0;
      case Relation::greater:
        return d > 0.0;
      case Relation::at_least:
        return d >= 0.0;
      case Relation::equal:
        return std::abs(d) <= tolerance;
      default:
        return std::abs(d) > tolerance;
    }
  }
  double value(double mode, const Operand*, int) const { return mode; }
  void crossing(double, const Operand* u, int k, double* g) const {
    const double d = difference(u, k);
    if (!tests_equality()) {
      *g = d;
      return;
    }
    g[0] = d - tolerance;
    g[1] = d + tolerance;
  }
};

enum class Connective { conjunction, disjunction, parity };

/// and, or, xor of any number of inputs; the answer may be turned around (nand, nor, not).
class Logic final : public Elementwise {
 public:
  Logic(Connective operation, bool is_negated, std::vector<std::string> ports)
      : Elementwise(std::move(ports)), operation_(operation), is_negated_(is_negated) {}
  bool is_pure() const override { return true; }
  void output(const Context&, int) override {
    for (int k = 0; k < width_; ++k) y_[k] = combined(k) != is_negated_ ? 1.0 : 0.0;
  }

 private:
  bool combined(int k) const {
    std::size_t count = 0;
    for (const Operand& u : u_) count += u[k] != 0.0;
    if (operation_ == Connective::conjunction) return count == u_.size();
    return operation_ == Connective::disjunction ? count > 0 : count % 2 == 1;
  }

  Connective operation_;
  bool is_negated_;
};

/// Set makes q true, reset makes it false, otherwise it stays. z: q. It changes at accepted times only.
class Latch final : public Block {
 public:
  Latch(bool set_wins, bool initial)
      : Block({"set", "reset"}, {"q", "not_q"}), set_wins_(set_wins), initial_(initial) {}
  int memory() const override { return 1; }
  void shape(Shape& shape) const override {
    for (int i = 0; i < 2; ++i) {
      if (shape.inputs[i] > 1) throw ShapeError("expected a scalar", i);
    }
    shape.outputs = {1, 1};
  }
  void start(const Context&) override { *z() = initial_ ? 1.0 : 0.0; }
  void output(const Context& context, int) override {
    const bool sets = *in(0) != 0.0, resets = *in(1) != 0.0;
    if (context.is_major && (sets || resets)) *z() = sets && resets ? set_wins_ : sets;
    *out(0) = *z();
    *out(1) = 1.0 - *z();
  }

 private:
  bool set_wins_, initial_;
};

BlockPointer make_comparison(ParameterReader& p) {
  const std::vector<std::string> words{"<", "<=", ">", ">=", "==", "!="};
  const std::string word = p.word("operator", words, "");
  const auto place = std::find(words.begin(), words.end(), word) - words.begin();
  Comparison rule{static_cast<Relation>(place), 0.0, p.has("constant"), p.finite("tolerance", 0.0)};
  if (rule.has_constant) rule.constant = p.number("constant");
  if (!(rule.tolerance >= 0.0))
    throw std::invalid_argument("\"tolerance\": " + shown(rule.tolerance) + "; expected 0 or more");
  if (rule.tolerance > 0.0 && !rule.tests_equality()) {
    throw std::invalid_argument("\"tolerance\": applies only with == and !=");
  }
  return make_piecewise(rule.has_constant ? std::vector<std::string>{"u"} : std::vector<std::string>{"u", "v"}, rule);
}

void add_operation(Registry& registry, const char* kind, Connective operation, bool is_negated) {
  registry.add(kind, [operation, is_negated](ParameterReader& p) {
    const int count = p.integer("count", 2);
    if (count < 1 || count > 10000) {
      throw std::invalid_argument("\"count\": " + std::to_string(count) + "; 1 to 10000 are allowed");
    }
    return std::make_shared<Logic>(operation, is_negated, numbered("u", static_cast<std::size_t>(count)));
  });
}

}  // namespace

void add_logic(Registry& registry) {
  registry.add("comparison", make_comparison);
  add_operation(registry, "and", Connective::conjunction, false);
  add_operation(registry, "nand", Connective::conjunction, true);
  add_operation(registry, "or", Connective::disjunction, false);
  add_operation(registry, "nor", Connective::disjunction, true);
  add_operation(registry, "xor", Connective::parity, false);
  registry.add("not", [](ParameterReader&) {
    return std::make_shared<Logic>(Connective::conjunction, true, std::vector<std::string>{"u"});
  });
  registry.add("latch", [](ParameterReader& p) {
    return std::make_shared<Latch>(p.word("priority", {"set", "reset"}, "reset") == "set", p.flag("initial", false));
  });
}

}  // namespace counterpoint::diagram
