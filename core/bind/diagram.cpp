#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/python_values.hpp"
#include "diagram/diagram_subsystem.hpp"
#include "diagram/recipes.hpp"

namespace counterpoint::bind {

using namespace counterpoint::diagram;

namespace {

using NumberArray = nb::ndarray<const double, nb::ro, nb::c_contig, nb::device::cpu>;

Parameters parameters(const std::map<std::string, NumberArray>& numbers,
                      const std::map<std::string, std::string>& texts) {
  Parameters made;
  made.texts = texts;
  for (const auto& [name, array] : numbers) {
    Array& one = made.numbers[name];
    one.values.assign(array.data(), array.data() + array.size());
    one.rows = array.ndim() == 2 ? static_cast<int>(array.shape(0)) : 1;
    one.columns = array.ndim() == 2 ? static_cast<int>(array.shape(1)) : static_cast<int>(array.size());
  }
  return made;
}

int add_block(FlatDiagram& diagram, const std::string& name, BlockPointer block, int gate) {
  const int inputs = block->inputs();
  diagram.blocks.push_back({name, std::move(block), std::vector<Source>(inputs), gate});
  return static_cast<int>(diagram.blocks.size()) - 1;
}

SimulatorOptions simulator_options(const std::string& solver, const std::map<std::string, double>& settings) {
  SimulatorOptions options;
  options.solver = ode_solver(solver);
  const auto read = [&](const char* name, auto& value) {
    const auto found = settings.find(name);
    if (found != settings.end()) value = static_cast<std::remove_reference_t<decltype(value)>>(found->second);
  };
  read("rtol", options.solver_options.relative_tolerance);
  read("atol", options.solver_options.absolute_tolerance);
  read("first_step", options.solver_options.first_step);
  read("max_step", options.solver_options.max_step);
  read("inner_step", options.inner_step);
  read("locate_events", options.locates);
  read("solve_loops", options.loops.solves);
  return options;
}

std::map<std::string, long> statistics(const DiagramSubsystem& subsystem) {
  const SimulatorStatistics& s = subsystem.simulator().statistics();
  return {{"steps", s.steps},
          {"rejected", s.rejected},
          {"evaluations", s.evaluations},
          {"events", s.events},
          {"located_steps", s.located_steps}};
}

using Values = std::vector<double>;

/// Initial states, and values of the outputs with them.
std::tuple<Values, Values> initial_state(DiagramSubsystem& subsystem, double t, const Values& u) {
  Inputs inputs(u);
  Execution& execution = subsystem.simulator().execution();
  subsystem.simulator().start(t, &inputs);
  Values y;
  for (int i = 0; i < execution.outputs(); ++i) y.push_back(execution.output(i));
  return {Values(execution.x(), execution.x() + execution.states()), y};
}

/// dx/dt and outputs at a state.
std::tuple<Values, Values> evaluate(DiagramSubsystem& subsystem, double t, const Values& x, const Values& u) {
  Inputs inputs(u);
  Execution& execution = subsystem.simulator().execution();
  if (static_cast<int>(x.size()) != execution.states()) throw std::invalid_argument("x: wrong number of states");
  Values dx(x.size()), y;
  subsystem.simulator().probe(t, x, &inputs, dx);
  for (int i = 0; i < execution.outputs(); ++i) y.push_back(execution.output(i));
  return {dx, y};
}

/// Pairs (output, inlet in order) where an inlet reaches an output in the same instant.
std::vector<std::tuple<int, int>> reaching_pairs(const FlatDiagram& diagram, const Graph& graph) {
  std::vector<std::tuple<int, int>> pairs;
  int inlet = 0;
  for (std::size_t b = 0; b < diagram.blocks.size(); ++b) {
    if (!diagram.blocks[b].block->is_inlet()) continue;
    const std::vector<bool> reached = reaches_outputs(diagram, graph, static_cast<int>(b));
    for (std::size_t j = 0; j < reached.size(); ++j) {
      if (reached[j]) pairs.emplace_back(static_cast<int>(j), inlet);
    }
    ++inlet;
  }
  return pairs;
}

std::vector<std::tuple<int, int>> feedthrough_pairs(const FlatDiagram& diagram) {
  return reaching_pairs(diagram, make_graph(diagram));
}

std::vector<std::tuple<int, int>> initial_feedthrough_pairs(const FlatDiagram& diagram) {
  return reaching_pairs(diagram, ordered_graph(diagram));
}

/// A diagram led by hand, its inputs constant: start, step, look, save, restore.
struct Stepper {
  Stepper(std::shared_ptr<DiagramSubsystem> s, std::vector<double> constants)
      : subsystem(std::move(s)), inputs(std::move(constants)) {}
  void start(double t) {
    time = t;
    inputs.start(t);
    subsystem->start(t);
    subsystem->output(t, inputs);
  }
  double step(double t_end) { return time = subsystem->step(time, t_end, inputs); }
  std::vector<double> outputs() {
    const double* y = subsystem->output(time, inputs);
    return {y, y + subsystem->output_width()};
  }

  std::shared_ptr<DiagramSubsystem> subsystem;
  Inputs inputs;
  double time = 0.0;
};

struct StepperState {
  std::shared_ptr<SavedState> state;
  double time;
};

}  // namespace

void bind_diagram(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("diagram", "Block diagrams: blocks, execution, events.");

  nb::class_<Block>(m, "Block", "One block of a flattened diagram.")
      .def_prop_ro("input_names", &Block::input_names)
      .def_prop_ro("output_names", &Block::output_names);
  m.def(
      "make_block",
      [](const std::string& kind, const std::map<std::string, NumberArray>& numbers,
         const std::map<std::string, std::string>& texts) {
        return recipe::make(recipe::block_factory, kind, parameters(numbers, texts));
      },
      nb::arg("kind"), nb::arg("numbers"), nb::arg("texts"));
  m.def(
      "mistakes",
      [](const std::string& kind, const std::map<std::string, NumberArray>& numbers,
         const std::map<std::string, std::string>& texts) {
        const MadeBlock made = registry().try_make(kind, parameters(numbers, texts));
        std::vector<std::tuple<std::string, std::string, bool>> mistakes;
        for (const Mistake& m : made.mistakes) mistakes.emplace_back(m.parameter, m.text, m.is_unknown);
        return std::make_pair(mistakes, made.asked);
      },
      nb::arg("kind"), nb::arg("numbers"), nb::arg("texts"),
      "All problems of a block's parameters (name, sentence, whether there is no such parameter), and the "
      "names of its parameters.");
  m.def("kinds", [] { return registry().kinds(); }, "Kinds of blocks of the core.");
  m.def(
      "defaults",
      [](const std::string& kind, const std::map<std::string, NumberArray>& numbers,
         const std::map<std::string, std::string>& texts) {
        const Parameters found = registry().defaults(kind, parameters(numbers, texts));
        std::map<std::string, std::vector<double>> values;
        for (const auto& [name, array] : found.numbers) values[name] = array.values;
        return std::make_pair(values, found.texts);
      },
      nb::arg("kind"), nb::arg("numbers"), nb::arg("texts"),
      "Defaults (numbers and texts) of the parameters that are not given, for a block with these parameters.");

  nb::class_<FlatDiagram>(m, "FlatDiagram", "A diagram without superblocks.")
      .def(nb::init<>())
      .def("add", &add_block, nb::arg("name"), nb::arg("block"), nb::arg("gate") = -1)
      .def(
          "connect",
          [](FlatDiagram& d, int from, int port, int to, int input) {
            d.blocks.at(to).inputs.at(input) = {from, port};
          },
          nb::arg("source"), nb::arg("port"), nb::arg("target"), nb::arg("input"))
      .def(
          "add_output",
          [](FlatDiagram& d, const std::string& name, int block, int port) {
            d.outputs.push_back({name, {block, port}});
          },
          nb::arg("name"), nb::arg("block"), nb::arg("port"))
      .def(
          "widths",
          [](const FlatDiagram& d) {
            std::vector<std::tuple<std::vector<int>, std::vector<int>>> widths;
            for (const Shape& shape : find_shapes(d)) widths.emplace_back(shape.inputs, shape.outputs);
            return widths;
          },
          "Widths of inputs and outputs, per block.")
      .def("feedthrough", &feedthrough_pairs, "Pairs (output, input) with direct feedthrough.")
      .def("follows_time", &follows_time, "Whether an output is a function of time, which bends between steps.")
      .def("initial_feedthrough", &initial_feedthrough_pairs, "The same at the start, with initial values.");

  nb::class_<DiagramSubsystem, Subsystem>(m, "DiagramSubsystem")
      .def("statistics", &statistics)
      .def("state_names", [](const DiagramSubsystem& s) { return s.simulator().execution().state_names(); })
      .def_prop_ro(
          "finest_sample", [](const DiagramSubsystem& s) { return s.simulator().execution().finest_sample(); },
          "Shortest sample time of its blocks, s; 0 if none is sampled.")
      .def_prop_ro("state",
                   [](DiagramSubsystem& s) {
                     Execution& e = s.simulator().execution();
                     return Values(e.x(), e.x() + e.states());
                   })
      .def("initial_state", &initial_state, nb::arg("t"), nb::arg("u"))
      .def("evaluate", &evaluate, nb::arg("t"), nb::arg("x"), nb::arg("u"));
  nb::class_<StepperState>(m, "StepperState", "The complete state at one time.");
  nb::class_<Stepper>(m, "Stepper", "A diagram that is stepped from outside, with constant inputs.")
      .def(nb::init<std::shared_ptr<DiagramSubsystem>, std::vector<double>>(), nb::arg("subsystem"), nb::arg("inputs"))
      .def_ro("time", &Stepper::time)
      .def("start", &Stepper::start, nb::arg("time"))
      .def("step", &Stepper::step, nb::arg("end"),
           "Advance to a time, or to the first event if the diagram publishes events.")
      .def("outputs", &Stepper::outputs)
      .def("save", [](const Stepper& s) { return StepperState{s.subsystem->save(), s.time}; })
      .def(
          "restore",
          [](Stepper& s, const StepperState& saved) {
            s.subsystem->restore(*saved.state);
            s.time = saved.time;
          },
          nb::arg("state"));
  m.def(
      "subsystem",
      [](const FlatDiagram& diagram, const std::string& solver, const std::map<std::string, double>& settings,
         bool publishes_events, double preferred_step) {
        return std::static_pointer_cast<DiagramSubsystem>(recipe::make(
            recipe::diagram_factory, diagram, simulator_options(solver, settings), publishes_events, preferred_step));
      },
      nb::arg("diagram"), nb::arg("solver"), nb::arg("settings"), nb::arg("publishes_events") = false,
      nb::arg("preferred_step") = 0.0);
  bind_diagram_functions(m);
  bind_cosimulation(m);
}

}  // namespace counterpoint::bind
