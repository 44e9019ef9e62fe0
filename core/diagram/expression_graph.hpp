#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "diagram/instruction.hpp"

namespace counterpoint::diagram {

/// Expressions as a graph without duplicates: the same operation on the same operands is one node.
///
/// Constants are folded when nodes are made. Operands come before the nodes that use them.
class ExpressionGraph {
 public:
  struct Node {
    Operation operation;
    int a = -1, b = -1, c = -1;  ///< operands; a variable's slot and element
    double value = 0.0;          ///< of a constant
  };

  int constant(double value);
  int variable(int slot, int element);
  int make(Operation operation, int a, int b = -1, int c = -1);
  /// x^n by repeated multiplication; other exponents call pow.
  int power(int x, int exponent);

  /// The same value with common factors of sums put outside, so that a polynomial becomes Horner's scheme:
  /// c0 + c1 x + c2 x^2 -> c0 + x (c1 + c2 x). The order of rounding changes, nothing else. Sums in which no
  /// factor appears twice stay as they are written.
  int factored(int node);

  const Node& operator[](int node) const { return nodes_[node]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  bool is_constant(int node) const { return nodes_[node].operation == Operation::constant; }

 private:
  /// coefficient * product of base^exponent
  struct Term {
    double coefficient = 1.0;
    std::vector<std::pair<int, int>> factors;
  };
  int add_node(const Node& node);
  int repeated(int x, int n);
  void collect_terms(int node, double sign, std::vector<Term>& terms);
  void collect_factors(int node, Term& term);
  int factored_sum(const std::vector<Term>& terms);
  int plain_sum(const std::vector<Term>& terms);
  int product(const Term& term, double coefficient);
  int rebuilt(int node);

  std::vector<Node> nodes_;
  std::map<std::tuple<Operation, int, int, int, double>, int> known_;
  std::map<int, int> factored_;  ///< results of `factored`
};

}  // namespace counterpoint::diagram
