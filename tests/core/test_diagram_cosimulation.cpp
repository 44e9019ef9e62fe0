// Taking back: the embedded interface and the co-simulation block of a diagram.

#include "check.hpp"
#include "diagram/blocks/cosimulation.hpp"
#include "diagram/diagram_subsystem.hpp"
#include "models.hpp"
#include "ode/ode_subsystem.hpp"

using namespace counterpoint;
using namespace counterpoint::diagram;
using namespace counterpoint::testing;

namespace {

/// x' = u - x by Euler; saves when told so.
class Lag final : public Subsystem {
 public:
  explicit Lag(bool saves) : saves_(saves) {}
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override {
    x_ = 1.0;
    steps = 0;
  }
  double step(double t, double t_end, Inputs& u) override {
    x_ += (t_end - t) * (u.at(t)[0] - x_);
    ++steps;
    return t_end;
  }
  const double* output(double, Inputs&) override { return &x_; }
  struct Saved final : SavedState {
    explicit Saved(double value) : x(value) {}
    double x;
  };
  std::unique_ptr<SavedState> save() const override { return saves_ ? std::make_unique<Saved>(x_) : nullptr; }
  void restore(const SavedState& state) override { x_ = static_cast<const Saved&>(state).x; }

  long steps = 0;  ///< ever made, also those that were taken back

 private:
  bool saves_;
  double x_ = 0.0;
};

RunSpec host_and(SubsystemPointer external, double step, bool fastest_first) {
  RunSpec spec;
  spec.until = Polynomial::infinity;
  spec.tolerance = 1e-9;
  ParticipantSpec host{std::make_shared<HostPorts>(1, 1), 0.0, {0.0}, {}, true, false};
  ParticipantSpec other{std::move(external), step, {0.0}, {}, true, true};
  if (fastest_first)
    other.waits_for = {0};
  else
    host.waits_for = {1};
  spec.participants = {host, other};
  ConnectionSpec back, forth;
  back.source = 1;
  back.target = 0;
  forth.source = 0;
  forth.target = 1;
  back.approximation = forth.approximation = make_lagrange(2);
  spec.connections = {back, forth};
  return spec;
}

/// Evaluations of a host that tries ahead before each of its steps, or does not.
std::vector<double> walk(EmbeddedInterface& interface, bool tries) {
  using Reach = EmbeddedInterface::Reach;
  std::vector<double> values;
  interface.start();
  for (int k = 0; k < 400; ++k) {
    const double t = 0.03 * k, y = std::cos(t);
    values.push_back(interface.evaluate(t, &y, true)[0]);
    if (tries) {
      for (double ahead : {0.3, 2.0}) interface.inputs(t + ahead, Reach::restorably);
      interface.give_up();
    }
    values.push_back(interface.inputs(t + 0.015, Reach::restorably)[0]);
  }
  return values;
}

}  // namespace

TEST(an_attempt_that_is_given_up_leaves_the_same_bits) {
  for (bool fastest_first : {false, true}) {
    EmbeddedInterface plain(host_and(std::make_shared<Lag>(true), 0.1, fastest_first), 0);
    EmbeddedInterface busy(host_and(std::make_shared<Lag>(true), 0.1, fastest_first), 0);
    CHECK(walk(plain, false) == walk(busy, true));
    for (int i : {0, 1}) {
      const Participant& a = plain.network().participants[i];
      const Participant& b = busy.network().participants[i];
      CHECK(a.steps == b.steps);
      CHECK(a.row_count() == b.row_count());
      for (std::size_t k = 0; k < a.comparisons.size(); ++k) {
        CHECK(a.comparisons[k].defect.count() == b.comparisons[k].defect.count());
        CHECK(a.comparisons[k].defect.rms() == b.comparisons[k].defect.rms());
        CHECK(a.comparisons[k].defect.row_count() == b.comparisons[k].defect.row_count());
      }
    }
  }
}

TEST(who_cannot_save_is_advanced_with_accepted_data_only) {
  auto lag = std::make_shared<Lag>(false);
  EmbeddedInterface interface(host_and(lag, 0.1, false), 0);
  walk(interface, true);
  CHECK(!interface.can_save());
  CHECK(interface.network().participants[1].steps == lag->steps);
}

TEST(memory_stays_bounded_however_often_attempts_are_given_up) {
  EmbeddedInterface interface(host_and(std::make_shared<Lag>(true), 0.1, false), 0);
  interface.start();
  for (int k = 0; k < 20000; ++k) {
    const double t = 0.03 * k, y = 0.0;
    interface.evaluate(t, &y, true);
    interface.inputs(t + 0.5, EmbeddedInterface::Reach::restorably);
    interface.give_up();
  }
  const History& history = interface.network().participants[0].history;
  CHECK(history.end() - history.begin() <= 512);
}

namespace {

/// x' = -u in a diagram with the lag in a co-simulation block.
FlatDiagram coupled(const SubsystemPointer& external) {
  CosimulationSpec spec;
  spec.run = host_and(external, 0.1, false);
  spec.gives = {{"y", 1}};
  spec.gets = {{"u", 1}};
  spec.names = {"host", "lag"};
  spec.signals = {{"y"}, {"x"}};
  FlatDiagram diagram;
  Parameters initial, gain;
  initial.numbers["initial"] = {{1.0}};
  gain.numbers["gain"] = {{-1.0}};
  diagram.blocks.push_back({"x", registry().make("integrator", initial), {{1, 0}}, -1});
  diagram.blocks.push_back({"gain", registry().make("gain", gain), {{2, 0}}, -1});
  diagram.blocks.push_back({"coupled", std::make_shared<CosimulationBlock>(std::move(spec)), {{0, 0}}, -1});
  diagram.outputs = {{"x", {0, 0}}, {"u", {2, 0}}};
  return diagram;
}

}  // namespace

TEST(a_diagram_with_the_block_saves_and_restores_all_that_is_inside) {
  SimulatorOptions options;
  DiagramSubsystem model(coupled(std::make_shared<Lag>(true)), options, false, 0.0);
  Inputs none{std::vector<double>{}};
  model.start(0.0);
  model.step(0.0, 0.25, none);
  const std::unique_ptr<SavedState> saved = model.save();
  CHECK(saved != nullptr);
  std::vector<double> first, second;
  for (std::vector<double>* values : {&first, &second}) {
    for (int k = 0; k < 40; ++k) {
      model.step(0.25 + 0.05 * k, 0.25 + 0.05 * (k + 1), none);
      const double* y = model.output(0.0, none);
      values->insert(values->end(), y, y + 2);
    }
    model.restore(*saved);
  }
  CHECK(first == second);
}

TEST(a_diagram_cannot_save_when_what_is_inside_cannot) {
  DiagramSubsystem model(coupled(std::make_shared<Lag>(false)), SimulatorOptions{}, false, 0.0);
  Inputs none{std::vector<double>{}};
  model.start(0.0);
  model.step(0.0, 0.25, none);
  CHECK(model.save() == nullptr);
}
