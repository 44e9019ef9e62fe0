// A block whose outputs are given as an expression in text.

#include "diagram/expression.hpp"

#include <algorithm>

#include "diagram/parameters.hpp"
#include "diagram/spelling.hpp"

namespace counterpoint::diagram {
namespace {

std::vector<std::string> result_names(const Expression& expression) {
  std::vector<std::string> names;
  for (const Expression::Result& result : expression.results())
    names.push_back(result.name.empty() ? "y" : result.name);
  return names;
}

/// y = f(t, u1, u2, ...). Inputs used without index may be vectors: then the expression holds for each component, and
/// scalars serve all. z: the registers of the programs, one program a component.
class ExpressionBlock final : public Block {
 public:
  ExpressionBlock(Expression expression, std::vector<std::string> outputs, std::vector<int> shown)
      : Block(expression.variables(), std::move(outputs)),
        expression_(std::move(expression)),
        shown_(std::move(shown)),
        registers_(Program::registers(expression_)),
        crossings_(Program::crossings(expression_)) {}

  void shape(Shape& shape) const override {
    int width = 1;
    bool is_known = true;
    for (int i = 0; i < inputs(); ++i) {
      const int given = shape.inputs[i];
      if (expression_.is_indexed(i)) {
        if (given > 0 && given <= expression_.largest_element(i)) {
          throw ShapeError("has width " + std::to_string(given) + ", but element " +
                               std::to_string(expression_.largest_element(i)) + " is used",
                           i);
        }
        continue;
      }
      is_known = is_known && given > 0;
      if (given > 1 && width > 1 && given != width) {
        throw ShapeError("has width " + std::to_string(given) + ", another input " + std::to_string(width), i);
      }
      width = std::max(width, given);
    }
    if (is_known) std::fill(shape.outputs.begin(), shape.outputs.end(), width);
  }
  /// Held inputs hold the sides of its jumps as well, so only time counts against it.
  bool is_pure() const override { return !expression_.uses_time(); }
  bool bends_with_time() const override { return expression_.uses_time(); }
  int memory() const override { return registers_ * components(); }
  int crossings() const override { return crossings_ * components(); }

  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    programs_.clear();
    if (!bound().z) return;  // widths only
    for (int k = 0; k < components(); ++k) {
      const auto variable = [&](int slot) -> const double* {
        if (slot == time_slot) return &time_;
        const bool is_shared = expression_.is_indexed(slot) || in_width(slot) == 1;
        return in(slot) + (is_shared ? 0 : k);
      };
      std::vector<double*> results(expression_.results().size(), nullptr);  // results that are no outputs: none
      for (int j = 0; j < outputs(); ++j) results[shown_[j]] = out(j) + k;
      programs_.emplace_back().bind(expression_, variable, z() + k * registers_, results);
    }
  }

  void output(const Context& context, int) override {
    time_ = context.time;
    const bool decides = context.decides();
    for (const Program& program : programs_) program.run(decides);
  }
  bool instructions(std::vector<Instruction>& code) const override {
    if (expression_.uses_time() || programs_.size() != 1) return false;
    code.insert(code.end(), programs_[0].code().begin(), programs_[0].code().end());
    return true;
  }
  void crossing(const Context&, double* g) override {
    for (std::size_t k = 0; k < programs_.size(); ++k) programs_[k].crossing(g + k * crossings_);
  }

 private:
  int components() const { return outputs() > 0 ? out_width(0) : 1; }

  Expression expression_;
  std::vector<int> shown_;  ///< result that each output shows
  int registers_, crossings_;
  double time_ = 0.0;
  std::vector<Program> programs_;
};

BlockPointer make_expression(ParameterReader& p) {
  const std::string text = p.text("expression");
  ExpressionNames names;
  names.grows = !p.has("input_names");
  names.variables = p.list("input_names");
  for (const std::string& name : p.list("signals")) names.hiding.insert(name);
  for (const std::string& name : p.number_names()) {
    if (std::find(names.variables.begin(), names.variables.end(), name) != names.variables.end()) {
      throw std::invalid_argument("\"" + name + "\": is an input and a parameter");
    }
    names.constants[name] = p.vector(name);
  }
  Expression expression(text, names);
  for (const auto& [name, values] : names.constants) {
    if (!expression.uses_constant(name))
      throw std::invalid_argument("\"" + name + "\": does not appear in the expression");
  }
  const std::vector<std::string> known = result_names(expression);
  const std::vector<std::string> outputs = p.has("output_names") ? p.list("output_names") : known;
  std::vector<int> shown;
  for (const std::string& output : outputs) {
    const auto found = std::find(known.begin(), known.end(), output);
    if (found == known.end()) {
      throw std::invalid_argument("\"outputs\": the expression gives no \"" + output + "\"" +
                                  did_you_mean(output, known));
    }
    shown.push_back(static_cast<int>(found - known.begin()));
  }
  if (outputs.empty()) throw std::invalid_argument("\"outputs\": expected at least one");
  return std::make_shared<ExpressionBlock>(std::move(expression), outputs, std::move(shown));
}

}  // namespace

void add_expressions(Registry& registry) { registry.add("expression", make_expression); }

}  // namespace counterpoint::diagram
