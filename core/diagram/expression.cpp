// From the graph of an expression to instructions, and their execution.

#include "diagram/expression.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint::diagram {
namespace {

/// Nodes that are computed, in an order in which operands come first, and how often each is used.
struct Needed {
  std::vector<int> nodes;
  std::vector<int> uses;
};

Needed find_needed(const Expression& expression) {
  const ExpressionGraph& graph = expression.graph();
  Needed needed;
  needed.uses.resize(graph.size());
  for (const Expression::Result& result : expression.results()) ++needed.uses[result.node];
  // Operands have smaller numbers than the nodes that use them, so one pass backwards finds all.
  for (int n = graph.size() - 1; n >= 0; --n) {
    if (needed.uses[n] == 0) continue;
    needed.nodes.push_back(n);
    if (graph[n].operation == Operation::variable || graph[n].operation == Operation::constant) continue;
    for (int operand : {graph[n].a, graph[n].b, graph[n].c}) {
      if (operand >= 0) ++needed.uses[operand];
    }
  }
  std::reverse(needed.nodes.begin(), needed.nodes.end());
  return needed;
}

}  // namespace

int Program::registers(const Expression& expression) { return static_cast<int>(find_needed(expression).nodes.size()); }

int Program::crossings(const Expression& expression) {
  int count = 0;
  for (int n : find_needed(expression).nodes) count += switches(expression.graph()[n].operation) ? 1 : 0;
  return count;
}

void Program::assemble(const Expression& expression, std::vector<const double*> places, double* registers,
                       const std::vector<double*>& results) {
  const ExpressionGraph& graph = expression.graph();
  const Needed needed = find_needed(expression);
  code_.clear();
  switches_.clear();
  constants_.clear();
  constants_.reserve(graph.size());
  // A result that is computed, and not held, is written to its place at once.
  std::vector<double*> target(graph.size(), nullptr);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const int n = expression.results()[k].node;
    const Operation operation = graph[n].operation;
    const bool is_computed = operation != Operation::constant && operation != Operation::variable && !jumps(operation);
    if (is_computed && !target[n]) target[n] = results[k];  // null where the result stays in its register
  }
  // A product that only a sum uses becomes one instruction with it.
  const auto fuses = [&](int n) {
    return graph[n].operation == Operation::multiply && needed.uses[n] == 1 && !target[n];
  };
  std::vector<char> fused(graph.size(), 0);
  for (int n : needed.nodes) {
    const ExpressionGraph::Node& node = graph[n];
    if (node.operation != Operation::add && node.operation != Operation::subtract) continue;
    if (fuses(node.a))
      fused[node.a] = 1;
    else if (fuses(node.b))
      fused[node.b] = 1;
  }
  for (int n : needed.nodes) {
    const ExpressionGraph::Node& node = graph[n];
    double* to = target[n] ? target[n] : registers++;
    if (node.operation == Operation::variable) continue;
    if (node.operation == Operation::constant) {
      constants_.push_back(node.value);
      places[n] = &constants_.back();
      continue;
    }
    places[n] = to;
    if (fused[n]) continue;
    const auto at = [&](int operand) { return operand < 0 ? nullptr : places[operand]; };
    Instruction made{node.operation, to, at(node.a), at(node.b), at(node.c)};
    const bool is_sum = node.operation == Operation::add, is_difference = node.operation == Operation::subtract;
    if ((is_sum || is_difference) && (fused[node.a] || fused[node.b])) {
      const bool first = fused[node.a];
      const ExpressionGraph::Node& product = graph[first ? node.a : node.b];
      made = {is_sum  ? Operation::multiply_add
              : first ? Operation::multiply_subtract
                      : Operation::subtract_product,
              to, at(product.a), at(product.b), at(first ? node.b : node.a)};
    }
    code_.push_back(made);
    if (switches(node.operation)) switches_.push_back(made);
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const int n = expression.results()[k].node;
    if (results[k] && target[n] != results[k])
      code_.push_back({Operation::copy, results[k], places[n], nullptr, nullptr});
  }
}

void Program::run(bool decides) const { execute(code_.data(), code_.data() + code_.size(), decides); }

double evaluate(Operation operation, double a, double b, double c) {
  double value = 0.0;
  const Instruction one{operation, &value, &a, &b, &c};
  execute(&one, &one + 1, true);
  return value;
}

void Program::crossing(double* g) const {
  for (const Instruction& i : switches_) {
    switch (i.operation) {
      case Operation::floor:
        *g++ = (*i.a - *i.to) * (*i.to + 1.0 - *i.a);
        break;
      case Operation::ceiling:
        *g++ = (*i.to - *i.a) * (*i.a - *i.to + 1.0);
        break;
      case Operation::sign:
      case Operation::absolute:
        *g++ = *i.a;
        break;
      default:
        *g++ = *i.a - *i.b;
    }
  }
}

}  // namespace counterpoint::diagram
