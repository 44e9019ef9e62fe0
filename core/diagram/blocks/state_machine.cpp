// A state machine: states, transitions with guards, actions, all given as text.

#include <algorithm>
#include <optional>

#include "diagram/expression.hpp"
#include "diagram/parameters.hpp"
#include "diagram/spelling.hpp"

namespace counterpoint::diagram {
namespace {

/// The text of a machine, line by line:
///
///     state NAME
///     entry: ACTION
///     during: ACTION
///     exit: ACTION
///     GUARD -> NAME [: ACTION]
///
/// Lines after `state` belong to it. The first state is the initial one; transitions are looked at in their order.
struct MachineText {
  struct Transition {
    std::string guard, target, action;
  };
  struct State {
    std::string name, entry, during, exit;
    std::vector<Transition> transitions;
  };
  std::vector<State> states;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

void read_line(const std::string& line, MachineText& machine) {
  const auto starts = [&](const std::string& word) { return line.compare(0, word.size(), word) == 0; };
  if (starts("state ")) {
    machine.states.push_back({trimmed(line.substr(6)), "", "", "", {}});
    return;
  }
  if (machine.states.empty()) throw std::invalid_argument("\"machine\": \"" + line + "\" comes before the first state");
  MachineText::State& state = machine.states.back();
  if (starts("entry:")) {
    state.entry = trimmed(line.substr(6));
  } else if (starts("during:")) {
    state.during = trimmed(line.substr(7));
  } else if (starts("exit:")) {
    state.exit = trimmed(line.substr(5));
  } else {
    const std::size_t arrow = line.find("->");
    if (arrow == std::string::npos) {
      throw std::invalid_argument("\"machine\": \"" + line +
                                  "\" is none of: state NAME, entry: ..., during: ..., exit: ..., GUARD -> NAME");
    }
    const std::string rest = line.substr(arrow + 2);
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    state.transitions.push_back({trimmed(line.substr(0, arrow)), trimmed(rest.substr(0, colon)),
                                 colon < rest.size() ? trimmed(rest.substr(colon + 1)) : ""});
  }
}

MachineText read_machine(const std::string& text) {
  MachineText machine;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = trimmed(text.substr(begin, end - begin));
    if (!line.empty()) read_line(line, machine);
    begin = end + 1;
  }
  return machine;
}

/// Names that guards and actions may use; slots: inputs, then outputs and variables.
struct MachineNames {
  std::vector<std::string> inputs, variables;
  int outputs = 0;  ///< the first of the variables
  std::map<std::string, std::vector<double>> constants;
};

/// An expression of the machine, with its results in memory of its own.
class Part {
 public:
  Part(const std::string& text, const MachineNames& names, bool has_after)
      : expression_(text, expression_names(names, has_after)) {
    registers_.resize(Program::registers(expression_));
    values_.resize(expression_.results().size());
  }

  template <class Address>
  void bind(Address variable) {
    std::vector<double*> results;
    for (double& value : values_) results.push_back(&value);
    program_.bind(expression_, variable, registers_.data(), results);
  }
  void run() { program_.run(true); }
  double value() const { return values_.front(); }
  const std::vector<double>& values() const { return values_; }
  int crossings() const { return Program::crossings(expression_); }
  void crossing(double* g) const { program_.crossing(g); }
  const Expression& expression() const { return expression_; }

 private:
  static ExpressionNames expression_names(const MachineNames& names, bool has_after) {
    ExpressionNames made;
    made.variables = names.inputs;
    made.variables.insert(made.variables.end(), names.variables.begin(), names.variables.end());
    made.constants = names.constants;
    made.has_after = has_after;
    return made;
  }
  Expression expression_;
  Program program_;
  std::vector<double> registers_, values_;
};

/// Statements that write outputs and variables.
class Action {
 public:
  Action(const std::string& text, const MachineNames& names) {
    if (text.empty()) return;
    part_.emplace(text, names, false);
    for (const Expression::Result& result : part_->expression().results()) {
      const auto found = std::find(names.variables.begin(), names.variables.end(), result.name);
      if (found == names.variables.end()) {
        throw std::invalid_argument((result.name.empty() ? "\"" + text + "\" assigns nothing"
                                                         : "no output or variable \"" + result.name + "\"") +
                                    did_you_mean(result.name, names.variables));
      }
      targets_.push_back(static_cast<int>(found - names.variables.begin()));
    }
  }
  bool is_empty() const { return !part_; }
  template <class Address>
  void bind(Address variable) {
    if (part_) part_->bind(variable);
  }
  void run(double* variables) {
    if (!part_) return;
    part_->run();
    for (std::size_t k = 0; k < targets_.size(); ++k) variables[targets_[k]] = part_->values()[k];
  }
  const Part* part() const { return part_ ? &*part_ : nullptr; }

 private:
  std::optional<Part> part_;
  std::vector<int> targets_;
};

struct Transition {
  Part guard;
  int target;
  Action action;
};

struct MachineState {
  std::string name;
  Action entry, during, exit;
  std::vector<Transition> transitions;
  int crossings = 0;
};

/// Adds the place of the text to an error in it.
template <class Make>
auto in_place(const std::string& where, Make make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(where + ": " + error.what());
  }
}

std::vector<MachineState> make_states(const MachineText& text, const MachineNames& names) {
  std::vector<std::string> known;
  for (const MachineText::State& state : text.states) {
    if (state.name.empty()) throw std::invalid_argument("\"machine\": a state without a name");
    if (std::count(known.begin(), known.end(), state.name))
      throw std::invalid_argument("state \"" + state.name + "\" is defined twice");
    known.push_back(state.name);
  }
  std::vector<MachineState> states;
  for (const MachineText::State& state : text.states) {
    const std::string where = "state \"" + state.name + "\"";
    const auto action = [&](const char* kind, const std::string& given) {
      return in_place(where + ", " + kind, [&] { return Action(given, names); });
    };
    MachineState made{
        state.name, action("entry", state.entry), action("during", state.during), action("exit", state.exit), {}};
    for (const MachineText::Transition& one : state.transitions) {
      const auto target = std::find(known.begin(), known.end(), one.target);
      if (target == known.end()) {
        throw std::invalid_argument(where + ": no state \"" + one.target + "\"" + did_you_mean(one.target, known));
      }
      const std::string there = where + ", transition to \"" + one.target + "\"";
      in_place(there, [&] {
        made.transitions.push_back(
            {Part(one.guard, names, true), static_cast<int>(target - known.begin()), Action(one.action, names)});
      });
      const Part& guard = made.transitions.back().guard;
      if (!guard.expression().results().front().name.empty()) {
        throw std::invalid_argument(there + ": \"" + one.guard + "\" is not a condition; to compare, write ==");
      }
      made.crossings += guard.crossings();
    }
    states.push_back(std::move(made));
  }
  return states;
}

/// Outputs and variables change at instants only: when a guard becomes true (located), a time in state has passed, or
/// at samples. z: state, time it was entered, whether the initial one was, time of the last `during`, outputs and
/// variables.
class StateMachine final : public Block {
 public:
  StateMachine(MachineNames names, std::vector<std::string> outputs, std::vector<double> initial,
               std::vector<MachineState> states, SampleTime sample_time)
      : Block(names.inputs, std::move(outputs)),
        names_(std::move(names)),
        initial_(std::move(initial)),
        states_(std::move(states)),
        sample_time_(sample_time) {
    for (const MachineState& state : states_) {
      crossings_ = std::max(crossings_, state.crossings);
      needs_major_ = needs_major_ || !state.during.is_empty();
      for (const Transition& one : state.transitions)
        has_delays_ = has_delays_ || !one.guard.expression().delays().empty();
    }
  }

  void shape(Shape& shape) const override {
    if (states_.empty()) throw ShapeError("has no states", -1);
    for (int i = 0; i < inputs(); ++i) check_width(shape, i);
    std::fill(shape.outputs.begin(), shape.outputs.end(), 1);
  }
  bool feedthrough(int, int) const override { return false; }
  int memory() const override { return first_variable + static_cast<int>(names_.variables.size()); }
  int crossings() const override { return is_sampled() ? 0 : crossings_; }
  SampleTime sample_time() const override { return sample_time_; }
  bool updates() const override { return true; }
  bool holds_between_events() const override { return true; }
  Notices notices() const override { return {.every_end = needs_major_ && !is_sampled()}; }

  void bind(Memory memory) override {
    Block::bind(std::move(memory));
    if (!bound().z) return;  // widths only
    const auto variable = [&](int slot) -> const double* {
      if (slot == time_slot) return &time_;
      if (slot == since_slot) return z() + 1;
      return slot < inputs() ? in(slot) : variables() + slot - inputs();
    };
    for (MachineState& state : states_) {
      for (Action* action : {&state.entry, &state.during, &state.exit}) action->bind(variable);
      for (Transition& one : state.transitions) {
        one.guard.bind(variable);
        one.action.bind(variable);
      }
    }
  }

  void start(const Context& context) override {
    z()[0] = z()[2] = 0.0;
    z()[1] = context.time;
    z()[3] = -infinity;
    std::copy(initial_.begin(), initial_.end(), variables());
  }
  void output(const Context&, int) override {
    for (int j = 0; j < names_.outputs; ++j) *out(j) = variables()[j];
    *out(names_.outputs) = z()[0];
  }

  /// One transition a pass; the instant is repeated until no guard is true, a sample has one pass.
  bool update(const Context& context) override {
    set_time(context.time);
    if (z()[2] == 0.0) {  // the initial state is entered when inputs are known
      z()[2] = 1.0;
      states_.front().entry.run(variables());
      return true;
    }
    MachineState& state = current();
    for (Transition& one : state.transitions) {
      one.guard.run();
      if (one.guard.value() == 0.0) continue;
      state.exit.run(variables());
      one.action.run(variables());
      z()[0] = one.target;
      z()[1] = context.time;
      current().entry.run(variables());
      return true;
    }
    if (state.during.is_empty() || z()[3] == context.time) return false;
    z()[3] = context.time;
    state.during.run(variables());
    return true;
  }
  /// A sample has no second pass, so what changed is shown at once.
  void commit(const Context& context) override { output(context, 0); }

  void crossing(const Context& context, double* g) override {
    set_time(context.time);
    double* end = g + crossings_;
    for (Transition& one : current().transitions) {
      one.guard.run();
      one.guard.crossing(g);
      g += one.guard.crossings();
    }
    std::fill(g, end, 1.0);
  }
  /// Asked with -infinity: whether there may be any.
  double next_event(double t) const override {
    if (!has_delays_ || is_sampled()) return infinity;
    if (t == -infinity) return t;
    double next = infinity;
    for (const Transition& one : states_[static_cast<std::size_t>(z()[0])].transitions) {
      for (double delay : one.guard.expression().delays()) {
        const double due = (z()[1] + delay) * not_late;
        if (due > t) next = std::min(next, due);
      }
    }
    return next;
  }

 private:
  static constexpr int first_variable = 4;
  double* variables() const { return z() + first_variable; }
  MachineState& current() { return states_[static_cast<std::size_t>(z()[0])]; }
  bool is_sampled() const { return sample_time_.period > 0.0; }
  /// Sums of samples and delays that differ by rounding are one time.
  void set_time(double t) { time_ = t + 1e-9 * sample_time_.period; }

  void check_width(const Shape& shape, int i) const {
    const auto check = [&](const Part* part) {
      if (part && shape.inputs[i] > 1 && part->expression().is_plain(i))
        throw ShapeError("is a vector and used without index", i);
      const int element = part ? part->expression().largest_element(i) : -1;
      if (element >= 0 && shape.inputs[i] > 0 && shape.inputs[i] <= element) {
        throw ShapeError(
            "has width " + std::to_string(shape.inputs[i]) + ", but element " + std::to_string(element) + " is used",
            i);
      }
    };
    for (const MachineState& state : states_) {
      for (const Action* action : {&state.entry, &state.during, &state.exit}) check(action->part());
      for (const Transition& one : state.transitions) {
        check(&one.guard);
        check(one.action.part());
      }
    }
  }

  MachineNames names_;
  std::vector<double> initial_;
  std::vector<MachineState> states_;
  SampleTime sample_time_;
  int crossings_ = 0;
  bool needs_major_ = false, has_delays_ = false;
  double time_ = 0.0;
};

/// "gear = 1; count = 0": names in their order and their initial values.
void read_initial(const std::string& text, MachineNames& names, std::vector<double>& initial) {
  if (trimmed(text).empty()) return;
  ExpressionNames known;
  known.constants = names.constants;
  const Expression expression(text, known);
  for (const Expression::Result& result : expression.results()) {
    if (result.name.empty() || !expression.graph().is_constant(result.node)) {
      throw std::invalid_argument("expected names with constant initial values: gear = 1; count = 0");
    }
    names.variables.push_back(result.name);
    initial.push_back(expression.graph()[result.node].value);
  }
}

BlockPointer make_state_machine(ParameterReader& p) {
  SampleTime sample_time{p.number("sample_time", 0.0), p.number("sample_offset", 0.0)};
  if (p.has("sample_time") && !(sample_time.period > 0.0))
    throw std::invalid_argument("\"sample_time\": must be above 0 s");
  if (!(sample_time.offset >= 0.0)) throw std::invalid_argument("\"sample_offset\": must not be below 0 s");
  MachineNames names;
  names.inputs = p.list("input_names");
  for (const std::string& name : p.number_names()) {
    if (name != "sample_time" && name != "sample_offset") names.constants[name] = p.vector(name);
  }
  std::vector<double> initial;
  in_place("\"output_values\"", [&] { read_initial(p.text("output_values", ""), names, initial); });
  names.outputs = static_cast<int>(names.variables.size());
  in_place("\"variables\"", [&] { read_initial(p.text("variables", ""), names, initial); });
  std::vector<std::string> outputs(names.variables.begin(), names.variables.begin() + names.outputs);
  outputs.push_back("state");
  std::vector<std::string> all = names.inputs;
  all.insert(all.end(), names.variables.begin(), names.variables.end());
  all.push_back("state");
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end())
    throw std::invalid_argument("\"" + *twice + "\": is the name of two things (\"state\" is the number of the state)");
  std::vector<MachineState> states = make_states(read_machine(p.text("machine", "")), names);
  return std::make_shared<StateMachine>(std::move(names), std::move(outputs), std::move(initial), std::move(states),
                                        sample_time);
}

}  // namespace

void add_state_machines(Registry& registry) { registry.add("state_machine", make_state_machine); }

}  // namespace counterpoint::diagram
