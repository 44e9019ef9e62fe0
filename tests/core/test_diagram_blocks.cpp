// Blocks in the core: what is saved is all that lasts.

#include <cmath>

#include "check.hpp"
#include "diagram/simulator.hpp"

using namespace counterpoint;
using namespace counterpoint::diagram;

namespace {

Array number(double value) { return {{value}, 1, 1}; }
Array row(std::vector<double> values) {
  const int count = static_cast<int>(values.size());
  return {std::move(values), 1, count};
}

int add(FlatDiagram& diagram, const std::string& kind, Parameters parameters, std::vector<int> sources) {
  FlatBlock added{kind + std::to_string(diagram.blocks.size()), registry().make(kind, parameters), {}};
  for (int source : sources) added.inputs.push_back({source, 0});
  diagram.blocks.push_back(std::move(added));
  return static_cast<int>(diagram.blocks.size()) - 1;
}

/// A sine and a square wave through one block and an integrator.
Simulator passing_through(const std::string& kind, const Parameters& parameters, int inputs, bool locates) {
  FlatDiagram diagram;
  const int sine = add(diagram, "sine", {{{"frequency", number(7.0)}, {"amplitude", number(1.3)}}, {}}, {});
  const int pulse = add(diagram, "pulse", {{{"period", number(0.31)}, {"low", number(-0.2)}}, {}}, {});
  std::vector<int> sources{sine, pulse, sine};
  sources.resize(inputs);
  const int block = add(diagram, kind, parameters, sources);
  const int integrator = add(diagram, "integrator", {}, {block});
  diagram.outputs = {{"y", {block, 0}}, {"x", {integrator, 0}}};
  SimulatorOptions options;
  options.locates = locates;
  return Simulator(std::move(diagram), options);
}

std::vector<double> outputs_until(Simulator& simulator, double end) {
  std::vector<double> values;
  while (simulator.time() < end - 1e-9) {
    simulator.advance(simulator.time() + 0.07, nullptr, false);
    for (int i = 0; i < 2; ++i) values.push_back(simulator.execution().output(i));
  }
  return values;
}

struct Case {
  const char* kind;
  Parameters parameters;
  int inputs = 1;
};

std::vector<Case> cases() {
  return {
      {"relay", {{{"switch_on", number(0.5)}, {"switch_off", number(-0.4)}}, {}}},
      {"backlash", {{{"width", number(0.6)}}, {}}},
      {"rate_limiter", {{{"rising", number(3.0)}}, {}}},
      {"hit_crossing", {{{"offset", number(0.2)}}, {}}},
      {"latch", {}, 2},
      {"noise", {{{"power", number(1.0)}, {"sample_time", number(0.11)}}, {}}, 0},
      {"table",
       {{{"times", row({0.0, 0.2, 0.2, 0.5})}, {"values", row({0.0, 1.0, 2.0, 0.0})}}, {{"after", "repeat"}}},
       0},
      {"saturation", {{{"upper", number(0.6)}}, {}}},
      {"floor", {}},
      {"max", {}, 2},
      {"switch", {}, 3},
      {"lookup_1d", {{{"x", row({-1.0, 0.0, 1.0})}, {"y", row({1.0, 2.0, 4.0})}}, {{"interpolation", "nearest"}}}},
  };
}

}  // namespace

TEST(a_restored_diagram_goes_on_bit_for_bit) {
  for (bool locates : {true, false}) {
    for (const Case& one : cases()) {
      Simulator simulator = passing_through(one.kind, one.parameters, one.inputs, locates);
      simulator.start(0.0, nullptr);
      outputs_until(simulator, 0.7);
      const auto saved = simulator.save();
      const std::vector<double> first = outputs_until(simulator, 2.1);
      simulator.restore(*saved);
      const std::vector<double> second = outputs_until(simulator, 2.1);
      if (first != second) check::fail(__FILE__, __LINE__, std::string(one.kind) + " differs after restore");
      CHECK(first.size() >= 38);
    }
  }
}

TEST(a_diagram_that_starts_again_begins_anew) {
  for (const Case& one : cases()) {
    Simulator simulator = passing_through(one.kind, one.parameters, one.inputs, true);
    simulator.start(0.0, nullptr);
    const std::vector<double> first = outputs_until(simulator, 2.1);
    simulator.start(0.0, nullptr);
    if (first != outputs_until(simulator, 2.1))
      check::fail(__FILE__, __LINE__, std::string(one.kind) + " differs in its second run");
  }
}

/// A step of any size gives the same integral where signals are straight lines between events.
TEST(every_known_jump_ends_a_step) {
  FlatDiagram diagram;
  const int pulse = add(diagram, "pulse", {{{"period", number(0.3)}, {"width", number(1.0 / 3.0)}}, {}}, {});
  const int integrator = add(diagram, "integrator", {}, {pulse});
  diagram.outputs = {{"x", {integrator, 0}}};
  Simulator simulator(std::move(diagram), {});
  simulator.start(0.0, nullptr);
  simulator.advance(30.0, nullptr, false);
  CHECK_CLOSE(10.0, simulator.execution().output(0), 1e-12);
}
