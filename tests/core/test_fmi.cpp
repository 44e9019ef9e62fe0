// The call layer with test FMUs; what needs an archive and a description is tested from Python.

#include "check.hpp"
#include "coupling/scheduler.hpp"
#include "fmi/fmu_subsystem.hpp"
#include "test_fmus.hpp"

using namespace counterpoint;
using namespace counterpoint::fmi;
using testing::library;

namespace {

enum Oscillator : ValueReference { force = 7, x_other = 8, x = 10, v = 11 };

FmuSetup oscillator(int version) {
  FmuSetup setup;
  setup.major = version;
  setup.instance.name = "test";
  setup.instance.token = "{counterpoint-test-oscillator}";
  setup.inputs = {{Type::float64, force, 1, true}, {Type::float64, x_other, 1, true}};
  setup.outputs = {{Type::float64, x, 1, true}, {Type::float64, v, 1, true}};
  setup.can_save = true;
  setup.output_slopes = true;
  return setup;
}

/// An FMU alone, with constant inputs.
struct Bench {
  explicit Bench(int version, FmuSetup setup) : fmu(library("oscillator", version), std::move(setup)), u({0.5, 0.0}) {
    fmu.start(0.0);
    u.start(0.0);
    fmu.begin(0.0, u);
  }
  void go(int from, int to) {
    for (int k = from; k < to; ++k) fmu.step(0.01 * k, 0.01 * (k + 1), u);
  }
  double output(int k) { return fmu.output(0.0, u)[k]; }
  FmuSubsystem fmu;
  Inputs u;
};

}  // namespace

TEST(the_same_steps_give_the_same_bits_after_a_state_was_restored) {
  for (int version : {2, 3}) {
    Bench bench(version, oscillator(version));
    bench.go(0, 50);
    const std::unique_ptr<SavedState> saved = bench.fmu.save();
    CHECK(saved != nullptr);
    bench.go(50, 100);
    const double position = bench.output(0);
    const double velocity = bench.output(1);
    bench.fmu.restore(*saved);
    bench.go(50, 100);
    CHECK(position == bench.output(0));
    CHECK(velocity == bench.output(1));
    Bench unbroken(version, oscillator(version));
    unbroken.go(0, 100);
    CHECK(position == unbroken.output(0));
  }
}

TEST(a_saved_state_may_be_the_last_thing_left_of_a_run) {
  for (int version : {2, 3}) {
    std::unique_ptr<SavedState> saved;
    {
      Bench bench(version, oscillator(version));
      bench.go(0, 5);
      saved = bench.fmu.save();
      bench.fmu.finish();
      CHECK_THROWS(ComponentFailure, "not running", bench.fmu.output(0.0, bench.u));
      bench.fmu.start(0.0);
      CHECK_THROWS(ComponentFailure, "belongs to another run", bench.fmu.restore(*saved));
    }
  }
}

TEST(an_fmu_that_cannot_save_says_so) {
  FmuSetup setup = oscillator(2);
  setup.can_save = false;
  CHECK(Bench(2, setup).fmu.save() == nullptr);
}

TEST(slopes_of_outputs_are_those_of_the_states) {
  for (int version : {2, 3}) {
    Bench bench(version, oscillator(version));
    bench.go(0, 7);
    const double position = bench.output(0);
    const double velocity = bench.output(1);
    const double* slopes = bench.fmu.output_derivative(0.07, bench.u);
    CHECK_CLOSE(velocity, slopes[0], 0.0);
    CHECK_CLOSE(0.5 - 100.0 * position, slopes[1], 1e-12);
  }
}

TEST(a_step_out_of_order_is_an_error_with_the_fmus_words) {
  for (int version : {2, 3}) {
    Bench bench(version, oscillator(version));
    bench.go(0, 2);
    CHECK_THROWS(ComponentFailure, "does not continue at", bench.fmu.step(0.5, 0.6, bench.u));
  }
}

TEST(an_instance_that_cannot_be_made_counts_as_dead) {
  FmuSetup setup = oscillator(3);
  setup.instance.token = "wrong";
  FmuSubsystem fmu(library("oscillator", 3), setup);
  try {
    fmu.start(0.0);
    CHECK(false);
  } catch (const ComponentFailure& failure) {
    CHECK(failure.died);
  }
}

TEST(a_library_that_is_not_there_is_told_by_name) {
  CHECK_THROWS(std::runtime_error, "nowhere", Library("/nowhere/x.so"));
}

TEST(a_ball_stops_at_its_impact_and_bounces_in_event_mode) {
  FmuSetup setup;
  setup.major = 3;
  setup.instance.token = "{counterpoint-test-bouncing-ball}";
  setup.instance.event_mode = setup.instance.early_return = true;
  setup.outputs = {{Type::float64, 4, 1, true},
                   {Type::float64, 5, 1, true},
                   {Type::int32, 8, 1, false},
                   {Type::boolean, 9, 1, false}};
  FmuSubsystem ball(library("bouncing_ball", 3), setup);
  Inputs none{std::vector<double>{}};
  ball.start(0.0);
  ball.begin(0.0, none);
  const double impact = std::sqrt(2.0 / 9.81);
  CHECK(ball.stops_early());
  CHECK_CLOSE(0.4, ball.step(0.0, 0.4, none), 0.0);
  const double reached = ball.step(0.4, 0.5, none);
  CHECK_CLOSE(impact, reached, 1e-12);
  CHECK_CLOSE(0.7 * 9.81 * impact, ball.output(reached, none)[1], 1e-12);
  CHECK_CLOSE(1.0, ball.output(reached, none)[2], 0.0);
  CHECK_CLOSE(0.5, ball.step(reached, 0.5, none), 0.0);
}
