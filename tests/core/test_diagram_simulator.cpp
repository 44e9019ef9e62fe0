// The simulator of diagrams: events, borders, chattering, save and restore, counted natively.

#include "check.hpp"
#include "diagram/parameters.hpp"
#include "diagram/simulator.hpp"

using namespace counterpoint;
using namespace counterpoint::diagram;

namespace {

Array numbers(std::vector<double> values) {
  const int count = static_cast<int>(values.size());
  return {std::move(values), 1, count};
}

int add(FlatDiagram& diagram, const std::string& name, const std::string& kind, std::vector<Source> inputs,
        std::map<std::string, Array> values = {}, std::map<std::string, std::string> texts = {}) {
  diagram.blocks.push_back({name, registry().make(kind, {std::move(values), std::move(texts)}), std::move(inputs), -1});
  return static_cast<int>(diagram.blocks.size()) - 1;
}

/// dx/dt = 1, back to zero whenever x reaches `height`; y integrates x.
FlatDiagram sawtooth(double height) {
  FlatDiagram diagram;
  const int one = add(diagram, "one", "constant", {}, {{"value", numbers({1.0})}});
  const int level = add(diagram, "level", "constant", {}, {{"value", numbers({height})}});
  const int x = add(diagram, "x", "integrator", {{one, 0}, {}}, {}, {{"reset", "rising"}});
  const int over = add(diagram, "over", "sum", {{x, 0}, {level, 0}}, {}, {{"signs", "+-"}});
  diagram.blocks[x].inputs[1] = {over, 0};
  const int y = add(diagram, "y", "integrator", {{x, 0}});
  diagram.outputs = {{"x", {x, 0}}, {"y", {y, 0}}};
  return diagram;
}

/// dx/dt = -sign(x).
FlatDiagram relay() {
  FlatDiagram diagram;
  const int x = add(diagram, "x", "integrator", {{}}, {{"initial", numbers({0.105})}});
  const int sign = add(diagram, "relay", "sign", {{x, 0}});
  const int back = add(diagram, "back", "gain", {{sign, 0}}, {{"gain", numbers({-1.0})}});
  diagram.blocks[x].inputs[0] = {back, 0};
  diagram.outputs = {{"x", {x, 0}}};
  return diagram;
}

SimulatorOptions with(const std::string& solver) {
  SimulatorOptions options;
  options.solver = ode_solver(solver);
  return options;
}

const std::vector<std::string> solvers{"ode1",        "ode2",  "ode3",  "ode4",  "ode5",
                                       "trapezoidal", "ode23", "ode45", "ode23s"};

}  // namespace

TEST(every_solver_resets_a_sawtooth_where_it_reaches_its_height) {
  for (const std::string& solver : solvers) {
    Simulator simulator(sawtooth(0.3), with(solver));
    simulator.start(0.0, nullptr);
    for (int k = 1; k <= 10; ++k) simulator.advance(0.25 * k, nullptr, false);
    CHECK(simulator.statistics().events == 8);
    CHECK_CLOSE(0.1, simulator.execution().output(0), 1e-8);  // 2.5 = 8 * 0.3 + 0.1
    // Eight triangles and a bit; Euler alone does not integrate a line exactly.
    if (solver != "ode1") CHECK_CLOSE(8 * 0.045 + 0.005, simulator.execution().output(1), 1e-6);
  }
}

TEST(a_fixed_step_solver_locates_an_event_with_few_steps) {
  Simulator simulator(sawtooth(0.3), with("ode4"));
  simulator.start(0.0, nullptr);
  for (int k = 1; k <= 10; ++k) simulator.advance(0.25 * k, nullptr, false);
  CHECK(simulator.statistics().located_steps <= 2 * simulator.statistics().events);
}

TEST(saving_between_two_events_of_a_step_and_going_on_gives_the_same_bits) {
  for (const std::string& solver : solvers) {
    Simulator simulator(sawtooth(0.3), with(solver));
    simulator.start(0.0, nullptr);
    simulator.advance(1.0, nullptr, true);  // stops at the first event
    CHECK_CLOSE(0.3, simulator.time(), 1e-8);
    const auto saved = simulator.save();
    const auto go_on = [&](Simulator& one) {
      std::vector<double> log;
      for (double end : {0.35, 0.9, 1.0, 1.7, 2.5}) {
        while (one.time() < end) {
          one.advance(end, nullptr, true);
          log.insert(log.end(),
                     {one.time(), one.execution().output(0), one.execution().output(1), one.preferred_step()});
        }
      }
      return log;
    };
    const std::vector<double> first = go_on(simulator);
    simulator.restore(*saved);
    CHECK(first == go_on(simulator));
    Simulator other(sawtooth(0.3), with(solver));
    other.start(0.0, nullptr);
    other.restore(*saved);
    CHECK(first == go_on(other));
  }
}

TEST(a_relay_without_hysteresis_is_a_failure_that_names_it) {
  for (const std::string& solver : solvers) {
    Simulator simulator(relay(), with(solver));
    simulator.start(0.0, nullptr);
    CHECK_THROWS(SolverFailure, "too many events of block \"relay\"", simulator.advance(1.0, nullptr, false));
  }
}

TEST(without_location_the_relay_is_not_stopped) {
  SimulatorOptions options = with("ode4");
  options.locates = false;
  Simulator simulator(relay(), options);
  simulator.start(0.0, nullptr);
  for (int k = 1; k <= 100; ++k) simulator.advance(0.01 * k, nullptr, false);
  CHECK(simulator.statistics().events == 0);
  CHECK(std::abs(simulator.execution().output(0)) < 0.02);
}

TEST(narrowing_finds_the_first_of_several_crossings) {
  const std::vector<double> from{-1.0, 1.0, -1.0};
  int calls = 0;
  const auto at = [&](double t, std::vector<double>& g) {
    ++calls;
    g = {std::pow(t, 3) - 0.2, 0.5 - t, t - 2.0};  // 0.585, 0.5, never
  };
  Bracket bracket{0.0, 1.0, from, {}};
  at(1.0, bracket.g_b);
  calls = 0;
  narrow(bracket, from, 1e-10, at);
  CHECK(bracket.a <= 0.5 && bracket.b > 0.5 && bracket.b - bracket.a <= 1.1e-10);
  CHECK(calls < 25);
}
