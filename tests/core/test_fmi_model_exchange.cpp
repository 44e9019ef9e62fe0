// FMUs for model exchange in the core: states that are saved and restored, derivatives of outputs, order of calls (the
// test FMUs refuse what FMI does not allow).

#include <cmath>

#include "../../core/check.hpp"

#include "check.hpp"
#include "fmi/fmu_subsystem.hpp"
#include "fmi/model_exchange.hpp"
#include "test_fmus.hpp"

using namespace counterpoint;
using namespace counterpoint::fmi;
using testing::library;

namespace {

FmuSetup base(int version, const std::string& model, const std::string& solver) {
  FmuSetup setup;
  setup.major = version;
  setup.instance.name = "test";
  setup.instance.token = "{counterpoint-test-" + model + "}";
  setup.can_save = true;
  setup.integration.solver = ode_solver(solver);
  return setup;
}

FmuSetup oscillator(int version, const std::string& solver) {
  FmuSetup setup = base(version, "oscillator", solver);
  setup.inputs = {{Type::float64, 7, 1, true}};
  setup.outputs = {{Type::float64, 10, 1, true}, {Type::float64, 11, 1, true}, {Type::float64, 13, 1, true}};
  setup.integration.states = 2;
  setup.integration.state_variables = {{"x", 10, 1}, {"v", 11, 1}};
  return setup;
}

FmuSetup ball(int version, const std::string& solver) {
  FmuSetup setup = base(version, "bouncing-ball", solver);
  setup.outputs = {{Type::float64, 4, 1, true}, {Type::float64, 5, 1, true}, {Type::int32, 8, 1, false}};
  setup.integration.states = 2;
  setup.integration.indicators = 1;
  setup.integration.publishes_events = true;
  setup.integration.state_variables = {{"h", 4, 1}, {"v", 5, 1}};
  return setup;
}

FmuSetup sampler(int version) {
  FmuSetup setup = base(version, "sampler", "ode45");
  setup.inputs = {{Type::float64, 5, 1, true}, {Type::boolean, 6, 1, false}, {Type::float64, 7, 1, false}};
  setup.outputs = {{Type::float64, 8, 1, true}, {Type::int32, 11, 1, false}};
  setup.integration.states = 1;
  setup.integration.state_variables = {{"x", 8, 1}};
  return setup;
}

/// An FMU alone, with constant inputs.
struct Bench {
  Bench(const std::string& model, const FmuSetup& setup, std::vector<double> inputs)
      : fmu(library(model, setup.major), setup), u(std::move(inputs)) {
    fmu.start(0.0);
    u.start(0.0);
    fmu.output(0.0, u);
    fmu.begin(0.0, u);
  }
  /// To `end` in steps that a grid of 0.05 s gives, over as many events as there are.
  void go(double end) {
    while (t < end) t = fmu.step(t, std::min(end, 0.05 * std::floor(t / 0.05 + 1.000001)), u);
  }
  double output(int k) { return fmu.output(t, u)[k]; }
  ModelExchangeSubsystem fmu;
  Inputs u;
  double t = 0.0;
};

}  // namespace

TEST(the_same_steps_give_the_same_bits_after_a_state_was_restored) {
  for (int version : {2, 3}) {
    for (const char* solver : {"ode45", "ode23s", "ode4"}) {
      Bench bench("bouncing_ball", ball(version, solver), {});
      bench.go(0.7);
      const std::unique_ptr<SavedState> saved = bench.fmu.save();
      CHECK(saved != nullptr);
      bench.go(2.0);
      const double height = bench.output(0);
      const double bounces = bench.output(2);
      bench.fmu.restore(*saved);
      bench.t = 0.7;
      CHECK_CLOSE(1.0, bench.output(2), 0.0);
      bench.go(2.0);
      CHECK(height == bench.output(0));
      CHECK(bounces == bench.output(2));
      CHECK(bounces > 3.0);
    }
  }
}

TEST(a_serialised_state_begins_another_run) {
  for (int version : {2, 3}) {
    Bench bench("sampler", sampler(version), {2.0, 1.0, 0.5});
    bench.go(0.35);
    FmuSetup setup = sampler(version);
    setup.state = bench.fmu.serialize();
    setup.memory = bench.fmu.memory();
    bench.go(1.0);

    ModelExchangeSubsystem other(library("sampler", version), setup);
    Inputs u({2.0, 1.0, 0.5});
    u.start(0.35);
    other.start(0.35);
    CHECK(!other.begin(0.35, u));
    CHECK_CLOSE(2.5 * 0.35, other.output(0.35, u)[0], 1e-12);
    for (double t = 0.35; t < 1.0;) t = other.step(t, std::min(1.0, 0.05 * std::floor(t / 0.05 + 1.000001)), u);
    CHECK(bench.output(0) == other.output(1.0, u)[0]);
    CHECK_CLOSE(11.0, other.output(1.0, u)[1], 0.0);
    CHECK_THROWS(ComponentFailure, "was saved at t = 0.35 s, and the run begins at t = 0.4 s", other.start(0.4));
    setup.memory.pop_back();
    CHECK_THROWS(ComponentFailure, "does not fit this FMU",
                 ModelExchangeSubsystem(library("sampler", version), setup).start(0.35));
  }
}

TEST(an_fmu_that_cannot_save_says_so) {
  FmuSetup setup = oscillator(2, "ode4");
  setup.can_save = false;
  CHECK(Bench("oscillator", setup, {0.0}).fmu.save() == nullptr);
}

TEST(slopes_of_outputs_are_those_of_the_states_or_follow_by_the_chain_rule) {
  for (int version : {2, 3}) {
    FmuSetup setup = oscillator(version, "ode4");
    setup.output_slopes = true;
    const double stiffness = 5.0, damping = 0.2;
    const auto number = [](double value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
    setup.values = {{Type::float64, 4, number(stiffness), {}}, {Type::float64, 5, number(damping), {}}};
    Bench bench("oscillator", setup, {0.5});
    bench.go(0.3);
    const double x = bench.output(0), v = bench.output(1), f = bench.output(2);
    const double a = 0.5 + f - 100.0 * x;
    CHECK_CLOSE(-stiffness * x - damping * v, f, 1e-12);
    const double* slopes = bench.fmu.output_derivative(0.3, bench.u);
    CHECK_CLOSE(v, slopes[0], 1e-12);
    CHECK_CLOSE(a, slopes[1], 1e-12);
    CHECK_CLOSE(-stiffness * v - damping * a, slopes[2], 1e-9);
  }
}

TEST(a_step_ends_at_an_event_and_is_not_longer_than_the_next_time_event_allows) {
  for (int version : {2, 3}) {
    Bench bouncing("bouncing_ball", ball(version, "ode4"), {});
    CHECK(bouncing.fmu.stops_early());
    CHECK_CLOSE(0.4, bouncing.fmu.step(0.0, 0.4, bouncing.u), 0.0);
    CHECK_CLOSE(std::sqrt(2.0 / 9.81), bouncing.fmu.step(0.4, 0.5, bouncing.u), 1e-10);

    Bench sampling("sampler", sampler(version), {2.0, 1.0, 0.0});
    CHECK(!sampling.fmu.stops_early());
    CHECK(sampling.fmu.preferred_step() <= 0.1);
    sampling.go(0.95);
    CHECK(sampling.fmu.preferred_step() <= 0.05 + 1e-12);
    CHECK_CLOSE(2.0 * 0.95, sampling.output(0), 1e-12);
  }
}

TEST(clocks_tick_in_both_kinds_and_after_a_state_was_restored) {
  FmuSetup setup = base(3, "clocked", "ode45");
  setup.inputs = {{Type::float64, 2, 1, false, {0}}};
  setup.outputs = {{Type::int32, 4, 1, false, {0}}, {Type::int32, 5, 1, false, {1}}, {Type::int32, 7, 1, false, {3}}};
  setup.clocks = {{9, ClockKind::periodic, 0.1, 0.05},
                  {10, ClockKind::periodic},
                  {11, ClockKind::changing},
                  {12, ClockKind::countdown},
                  {13, ClockKind::output}};
  for (Kind kind : {Kind::co_simulation, Kind::model_exchange}) {
    setup.instance.kind = kind;
    setup.instance.event_mode = kind == Kind::co_simulation;
    const std::unique_ptr<FmuBase> fmu = make_fmu(library("clocked", 3), setup);
    Inputs u({3.0});
    fmu->start(0.0);
    fmu->output(0.0, u);
    fmu->begin(0.0, u);
    const auto go = [&](double t, double end) {
      while (t < end) t = fmu->step(t, std::min(end, t + 0.03), u);
    };
    go(0.0, 0.5);
    const std::unique_ptr<SavedState> saved = fmu->save();
    for (int time : {1, 2}) {
      go(0.5, 1.0);
      const double* ticks = fmu->output(1.0, u);
      CHECK_CLOSE(10.0, ticks[0], 0.0);
      CHECK_CLOSE(5.0, ticks[1], 0.0);
      CHECK_CLOSE(3.0, ticks[2], 0.0);
      if (time == 1) fmu->restore(*saved);
    }
  }
}

TEST(an_unknown_solver_is_refused_before_anything_is_started) {
  CHECK_THROWS(UserError, "no solver \"ode9\"", ModelExchangeSubsystem(library("relay", 2), base(2, "relay", "ode9")));
  CHECK_THROWS(UserError, "no solver \"bdf2\" for models with events",
               ModelExchangeSubsystem(library("relay", 2), base(2, "relay", "bdf2")));
}

TEST(a_call_before_the_run_has_begun_is_an_error) {
  ModelExchangeSubsystem fmu(library("oscillator", 3), oscillator(3, "ode4"));
  Inputs u({0.0});
  CHECK_THROWS(ComponentFailure, "not running", fmu.output(0.0, u));
  fmu.start(0.0);
  CHECK_THROWS(ComponentFailure, "has not begun", fmu.step(0.0, 0.1, u));
  CHECK_THROWS(ComponentFailure, "has not begun", fmu.serialize());
}
