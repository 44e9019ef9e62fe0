#include "diagram/expression_graph.hpp"

#include <algorithm>
#include <cmath>

#include "diagram/expression.hpp"

namespace counterpoint::diagram {

int ExpressionGraph::add_node(const Node& node) {
  const auto key = std::make_tuple(node.operation, node.a, node.b, node.c, node.value);
  const auto [place, is_new] = known_.emplace(key, size());
  if (is_new) nodes_.push_back(node);
  return place->second;
}

int ExpressionGraph::constant(double value) { return add_node({Operation::constant, -1, -1, -1, value}); }

int ExpressionGraph::variable(int slot, int element) { return add_node({Operation::variable, slot, element}); }

int ExpressionGraph::make(Operation operation, int a, int b, int c) {
  const auto is_known = [&](int node) { return node < 0 || is_constant(node); };
  if (is_known(a) && is_known(b) && is_known(c)) {
    const auto value = [&](int node) { return node < 0 ? 0.0 : nodes_[node].value; };
    return constant(evaluate(operation, value(a), value(b), value(c)));
  }
  const auto is = [&](int node, double value) { return is_constant(node) && nodes_[node].value == value; };
  if (operation == Operation::multiply && is(b, 1.0)) return a;
  if (operation == Operation::multiply && is(a, 1.0)) return b;
  if (operation == Operation::divide && is(b, 1.0)) return a;
  if (operation == Operation::select && is_constant(a)) return nodes_[a].value != 0.0 ? b : c;
  if (operation == Operation::power && is_constant(b)) {
    const double exponent = nodes_[b].value;
    if (exponent == 0.5) return make(Operation::square_root, a);
    if (exponent == std::floor(exponent) && std::abs(exponent) <= 64.0) return power(a, static_cast<int>(exponent));
  }
  return add_node({operation, a, b, c});
}

int ExpressionGraph::power(int x, int exponent) {
  if (exponent == 0) return constant(1.0);
  if (exponent < 0) return make(Operation::divide, constant(1.0), power(x, -exponent));
  return repeated(x, exponent);
}

int ExpressionGraph::repeated(int x, int n) {
  if (n == 1) return x;
  const int half = repeated(x, n / 2);
  const int square = make(Operation::multiply, half, half);
  return n % 2 == 0 ? square : make(Operation::multiply, square, x);
}

int ExpressionGraph::factored(int node) {
  const auto known = factored_.find(node);
  if (known != factored_.end()) return known->second;
  const Operation operation = nodes_[node].operation;
  int made = -1;
  if (operation == Operation::add || operation == Operation::subtract) {
    std::vector<Term> terms;
    collect_terms(node, 1.0, terms);
    std::map<int, int> uses;
    for (const Term& term : terms) {
      for (const auto& [base, exponent] : term.factors) ++uses[base];
    }
    const bool shares = std::any_of(uses.begin(), uses.end(), [](const auto& use) { return use.second > 1; });
    if (shares) made = factored_sum(terms);
  }
  if (made < 0) made = rebuilt(node);
  factored_[node] = made;
  return made;
}

/// The node with its operands factored.
int ExpressionGraph::rebuilt(int node) {
  const Node one = nodes_[node];
  if (one.operation == Operation::constant || one.operation == Operation::variable) return node;
  const auto operand = [&](int n) { return n < 0 ? -1 : factored(n); };
  const int a = operand(one.a), b = operand(one.b), c = operand(one.c);
  return make(one.operation, a, b, c);
}

void ExpressionGraph::collect_terms(int node, double sign, std::vector<Term>& terms) {
  const Node one = nodes_[node];
  if (one.operation == Operation::add || one.operation == Operation::subtract) {
    collect_terms(one.a, sign, terms);
    collect_terms(one.b, one.operation == Operation::add ? sign : -sign, terms);
  } else if (one.operation == Operation::negate) {
    collect_terms(one.a, -sign, terms);
  } else {
    Term term{sign, {}};
    collect_factors(node, term);
    terms.push_back(std::move(term));
  }
}

void ExpressionGraph::collect_factors(int node, Term& term) {
  const Node one = nodes_[node];
  if (one.operation == Operation::constant) {
    term.coefficient *= one.value;
  } else if (one.operation == Operation::multiply) {
    collect_factors(one.a, term);
    collect_factors(one.b, term);
  } else if (one.operation == Operation::negate) {
    term.coefficient = -term.coefficient;
    collect_factors(one.a, term);
  } else {
    const int base = factored(node);
    const auto same =
        std::find_if(term.factors.begin(), term.factors.end(), [&](const auto& f) { return f.first == base; });
    if (same != term.factors.end())
      ++same->second;
    else
      term.factors.emplace_back(base, 1);
  }
}

/// Take out the factor that most terms have, of all factors the first; the rest likewise.
int ExpressionGraph::factored_sum(const std::vector<Term>& terms) {
  std::vector<std::pair<int, int>> uses;  // base, number of terms, in the order they appear
  for (const Term& term : terms) {
    for (const auto& [base, exponent] : term.factors) {
      const auto same = std::find_if(uses.begin(), uses.end(), [b = base](const auto& use) { return use.first == b; });
      if (same != uses.end())
        ++same->second;
      else
        uses.emplace_back(base, 1);
    }
  }
  const auto most =
      std::max_element(uses.begin(), uses.end(), [](const auto& l, const auto& r) { return l.second < r.second; });
  if (most == uses.end() || most->second < 2) return plain_sum(terms);
  const int base = most->first;
  std::vector<Term> with, without;
  int least = 1 << 20;
  for (const Term& term : terms) {
    const auto has =
        std::find_if(term.factors.begin(), term.factors.end(), [&](const auto& f) { return f.first == base; });
    (has == term.factors.end() ? without : with).push_back(term);
    if (has != term.factors.end()) least = std::min(least, has->second);
  }
  for (Term& term : with) {
    const auto has =
        std::find_if(term.factors.begin(), term.factors.end(), [&](const auto& f) { return f.first == base; });
    has->second -= least;
    if (has->second == 0) term.factors.erase(has);
  }
  const int outside = make(Operation::multiply, repeated(base, least), factored_sum(with));
  return without.empty() ? outside : make(Operation::add, outside, factored_sum(without));
}

int ExpressionGraph::plain_sum(const std::vector<Term>& terms) {
  int total = -1;
  for (const Term& term : terms) {
    if (total < 0)
      total = product(term, term.coefficient);
    else if (term.coefficient < 0.0)
      total = make(Operation::subtract, total, product(term, -term.coefficient));
    else
      total = make(Operation::add, total, product(term, term.coefficient));
  }
  return total;
}

int ExpressionGraph::product(const Term& term, double coefficient) {
  int made = -1;
  for (const auto& [base, exponent] : term.factors) {
    const int factor = repeated(base, exponent);
    made = made < 0 ? factor : make(Operation::multiply, made, factor);
  }
  if (made < 0) return constant(coefficient);
  if (coefficient == -1.0) return make(Operation::negate, made);
  return make(Operation::multiply, constant(coefficient), made);
}

}  // namespace counterpoint::diagram
