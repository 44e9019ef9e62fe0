// Blocks with memory, driven natively: what Python cannot see is seen by the sanitizers here. Closed forms are tested
// in tests/diagram.

#include "check.hpp"
#include "diagram/blocks/signal_record.hpp"
#include "diagram/simulator.hpp"

using namespace counterpoint::diagram;

namespace {

Parameters given(std::map<std::string, std::vector<double>> vectors, std::map<std::string, std::string> texts = {}) {
  Parameters made;
  made.texts = std::move(texts);
  for (auto& [name, values] : vectors) {
    const int size = static_cast<int>(values.size());
    made.numbers[name] = {std::move(values), 1, size};
  }
  return made;
}

/// A sine of width `width` and a control signal, and blocks that take them.
struct Bench {
  explicit Bench(int width) {
    add("constant", given({{"value", std::vector<double>(width, 1.0)}}), {});
    add("sine", given({{"frequency", {5.0}}}), {});
    add("product", given({}, {{"operations", "**"}}), {0, 1});
    add("sine", given({{"frequency", {7.3}}, {"phase", {0.4}}}), {});
  }
  int add(const std::string& kind, const Parameters& parameters, std::vector<int> sources) {
    BlockPointer block = registry().make(kind, parameters);
    FlatBlock entry{kind + std::to_string(diagram.blocks.size()), block, {}, -1};
    for (int source : sources) entry.inputs.push_back({source, 0});
    diagram.blocks.push_back(std::move(entry));
    const int number = static_cast<int>(diagram.blocks.size()) - 1;
    if (block->outputs() > 0) diagram.outputs.push_back({"y" + std::to_string(number), {number, 0}});
    return number;
  }
  FlatDiagram diagram;
};

constexpr int signal_port = 2, control = 3;

void add_continuous_blocks(Bench& b) {
  b.add("integrator", given({{"lower", {-0.1}}, {"upper", {0.1}}}), {signal_port});
  b.add("integrator", given({{"initial_is_input", {1.0}}}, {{"reset", "level"}}), {signal_port, control, signal_port});
  b.add("transfer_function", given({{"numerator", {1.0, 2.0}}, {"denominator", {1.0, 3.0, 4.0}}}), {signal_port});
  b.add("zero_pole", given({{"zeros", {-1.0, 0.0}}, {"poles", {-1.0, 2.0, -1.0, -2.0, -3.0, 0.0}}}), {signal_port});
  b.add("pid",
        given({{"integral", {3.0}}, {"derivative", {0.1}}, {"lower", {-0.6}}, {"upper", {0.6}}},
              {{"anti_windup", "clamping"}, {"reset", "either"}}),
        {signal_port, control});
}

void add_delays(Bench& b, int held) {
  b.add("memory", given({}), {signal_port});
  b.add("transport_delay", given({{"delay", {0.17}}}), {signal_port});
  b.add("transport_delay", given({{"delay", {0.01}}}, {{"interpolation", "cubic"}}), {held});
  const int lag = b.add("lag", given({{"time_constant", {0.1}}, {"initial", {0.5}}}), {control});
  b.add("variable_delay", given({{"maximum", {0.3}}}, {{"interpolation", "cubic"}}), {held, lag});
}

int add_sampled_blocks(Bench& b) {
  const int held = b.add("zero_order_hold", given({{"sample_time", {0.07}}}), {signal_port});
  b.add("first_order_hold", given({{"sample_time", {0.1}}}), {signal_port});
  b.add("integer_delay", given({{"sample_time", {0.03}}, {"samples", {4.0}}}), {signal_port});
  b.add("discrete_filter",
        given({{"sample_time", {0.11}}, {"numerator", {1.0, 0.5}}, {"denominator", {1.0, 0.2, 0.1}}}), {signal_port});
  b.add("discrete_integrator", given({{"sample_time", {0.05}}}, {{"reset", "rising"}, {"method", "trapezoidal"}}),
        {signal_port, control});
  b.add("discrete_pid",
        given({{"sample_time", {0.09}}, {"integral", {2.0}}, {"derivative", {0.1}}}, {{"reset", "falling"}}),
        {signal_port, control});
  b.add("discrete_derivative", given({{"sample_time", {0.13}}}), {held});
  b.add("counter", given({{"sample_time", {0.02}}, {"maximum", {9.0}}}), {});
  return held;
}

std::vector<double> outputs(const Simulator& simulator) {
  std::vector<double> all;
  for (int i = 0; i < simulator.execution().outputs(); ++i) all.push_back(simulator.execution().output(i));
  return all;
}

}  // namespace

TEST(every_block_with_memory_can_be_saved_and_restored_with_vectors_and_scalars) {
  for (const char* solver : {"ode4", "ode45"}) {
    for (int width : {1, 3}) {
      Bench bench(width);
      add_continuous_blocks(bench);
      add_delays(bench, add_sampled_blocks(bench));
      SimulatorOptions options;
      options.solver = counterpoint::ode_solver(solver);
      Simulator simulator(bench.diagram, options);
      simulator.start(0.0, nullptr);
      for (int k = 1; k <= 40; ++k) {
        const auto saved = simulator.save();
        simulator.advance(0.1 * k, nullptr, false);
        const std::vector<double> first = outputs(simulator);
        simulator.restore(*saved);
        simulator.advance(0.1 * k, nullptr, false);
        CHECK(outputs(simulator) == first);
      }
    }
  }
}

TEST(a_record_is_never_interpolated_over_a_jump) {
  SignalRecord record(1);
  for (int k = 0; k <= 4; ++k) {
    const double before = k <= 2 ? k : 10.0 + k;
    const double after = k < 2 ? k : 10.0 + k;
    record.add(k, &before, 1, false);
    record.set_right(&after, 1);
  }
  CHECK(record.is_jump(2));
  double y = 0.0;
  record.cubic(1.5, 0, 2, &y);
  CHECK_CLOSE(1.5, y, 1e-14);
  record.cubic(2.5, 2, 4, &y);
  CHECK_CLOSE(12.5, y, 1e-14);
}

TEST(a_record_forgets_what_is_too_old_and_keeps_the_rest) {
  SignalRecord record(2);
  for (int k = 0; k < 1000; ++k) {
    const double value[2] = {1.0 * k, -2.0 * k};
    record.add(k, value, 1, false);
    record.forget(k - 10.0, 3);
  }
  CHECK(record.size() < 200);
  double y[2];
  record.cubic(989.25, 0, record.size() - 1, y);
  CHECK_CLOSE(989.25, y[0], 1e-11);
  CHECK_CLOSE(-1978.5, y[1], 1e-11);
}
