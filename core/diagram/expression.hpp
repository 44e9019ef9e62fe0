#pragma once

#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diagram/expression_graph.hpp"

namespace counterpoint::diagram {

/// What the names in an expression mean. Names given here hide the constants pi and e and the time t.
struct ExpressionNames {
  std::vector<std::string> variables;                    ///< their order gives the slots
  std::map<std::string, std::vector<double>> constants;  ///< numbers and vectors, folded
  bool grows = false;            ///< a name that is not known becomes one more variable, in order of appearance
  std::set<std::string> hiding;  ///< names that then are variables although they are constants or the time
  bool has_after = false;        ///< `after(seconds)` may be used: the time since slot `since` was written
};

/// Of a time that is a sum: differences by rounding do not make it late.
constexpr double not_late = 1.0 - 4.0 * std::numeric_limits<double>::epsilon();

/// Slots that every expression may use besides its variables.
constexpr int time_slot = -2;   ///< `t`
constexpr int since_slot = -3;  ///< where `after` counts from

/// An expression in text, read and simplified; made once, bound as often as needed.
///
///     text       = statement { (";" | newline) statement }
///     statement  = [ name "=" ] value
///     value      = either [ "if" either "else" value ]
///     either     = both { "or" both };  both = inverse { "and" inverse };  inverse = [ "not" ] comparison
///     comparison = sum { ("<" | "<=" | ">" | ">=" | "==" | "!=") sum }
///     sum        = product { ("+" | "-") product };  product = signed { ("*" | "/" | "%") signed }
///     signed     = { "-" | "+" } power;  power = atom [ "**" signed ]
///     atom       = number | name [ "[" integer "]" ] | function "(" value { "," value } ")" | "(" value ")"
///
/// Errors are std::invalid_argument with the line and a caret under the place.
class Expression {
 public:
  struct Result {
    std::string name;  ///< empty when the text is one value without a name
    int node;
  };

  Expression(const std::string& text, ExpressionNames names);

  const std::vector<std::string>& variables() const { return variables_; }
  const std::vector<Result>& results() const { return results_; }
  const ExpressionGraph& graph() const { return graph_; }
  /// The largest element asked of a variable, -1 when it is used without index or not at all.
  int largest_element(int slot) const { return elements_[slot]; }
  bool is_indexed(int slot) const { return elements_[slot] >= 0; }
  /// Whether it is used without index.
  bool is_plain(int slot) const { return plain_[slot] != 0; }
  bool uses_time() const { return uses_time_; }
  /// Whether a constant given by name is used anywhere.
  bool uses_constant(const std::string& name) const { return used_constants_.count(name) > 0; }
  /// The seconds of each `after`.
  const std::vector<double>& delays() const { return delays_; }

 private:
  friend class ExpressionParser;
  ExpressionGraph graph_;
  std::vector<std::string> variables_;
  std::vector<int> elements_;
  std::vector<char> plain_;  ///< by slot
  std::vector<Result> results_;
  std::vector<double> delays_;
  std::set<std::string> used_constants_;
  bool uses_time_ = false;
};

/// An expression as a list of instructions with the addresses of their operands.
///
/// Every node has a register of its own and keeps it: those that jump hold their value there while a step is tried,
/// and crossing functions read their operands there. Registers therefore belong to what is saved.
class Program {
 public:
  Program() = default;
  Program(Program&&) noexcept = default;  // a copy would point into the constants of the other
  Program& operator=(Program&&) noexcept = default;

  /// Registers that a program of this expression needs.
  static int registers(const Expression& expression);
  /// Kinks and jumps in it.
  static int crossings(const Expression& expression);

  /// `variable(slot)` gives the address of a variable; results are written to `results`, in their order, but for those
  /// whose place is null.
  template <class Address>
  void bind(const Expression& expression, Address variable, double* registers, const std::vector<double*>& results) {
    std::vector<const double*> places;
    for (int n = 0; n < expression.graph().size(); ++n) {
      const ExpressionGraph::Node& node = expression.graph()[n];
      places.push_back(node.operation == Operation::variable ? variable(node.a) + node.b : nullptr);
    }
    assemble(expression, std::move(places), registers, results);
  }

  /// Compute the results; jumps change sides only when `decides`.
  void run(bool decides) const;
  const std::vector<Instruction>& code() const { return code_; }
  /// After a run: numbers that change their sign where a kink or jump is passed.
  void crossing(double* g) const;

 private:
  void assemble(const Expression& expression, std::vector<const double*> places, double* registers,
                const std::vector<double*>& results);

  std::vector<Instruction> code_;
  std::vector<Instruction> switches_;
  std::vector<double> constants_;
};

/// The value of one operation.
double evaluate(Operation operation, double a, double b, double c);

}  // namespace counterpoint::diagram
