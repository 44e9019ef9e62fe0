#include "check.hpp"
#include "models.hpp"
#include "ode/table.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

Matrix matrix(int rows, int columns, std::initializer_list<double> values) {
  Matrix m(rows, columns);
  auto value = values.begin();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) m(i, j) = *value++;
  }
  return m;
}

SubsystemPointer oscillator(double stiffness, double x0, OdeSolver solver) {
  return std::make_shared<OdeSubsystem>(
      std::make_shared<LinearRightHandSide>(matrix(2, 2, {0, 1, -stiffness, -0.1}), matrix(2, 1, {0, 1})),
      make_state_output(2), std::vector<double>{x0, 0.0}, solver, SolverOptions{});
}

ParticipantSpec participant(SubsystemPointer subsystem, double step, std::vector<int> waits_for = {}) {
  ParticipantSpec spec;
  spec.subsystem = std::move(subsystem);
  spec.step = step;
  spec.constants.resize(spec.subsystem->input_width());
  spec.waits_for = std::move(waits_for);
  return spec;
}

ConnectionSpec connection(int source, int target, ApproximationPointer approximation, int target_offset = 0) {
  ConnectionSpec spec;
  spec.source = source;
  spec.target = target;
  spec.target_offset = target_offset;
  spec.approximation = std::move(approximation);
  return spec;
}

/// What a run leaves behind.
struct Record {
  std::vector<double> signals;  ///< rows of all participants
  std::vector<double> defects;  ///< rows of all defects and their sums
};

Record record(Scheduler& scheduler) {
  Record all;
  for (Participant& p : scheduler.network().participants) {
    for (double value : flatten(p.take_rows())) all.signals.push_back(value);
    for (Comparison& comparison : p.comparisons) {
      Defect& defect = comparison.defect;
      for (double value : flatten(defect.take_rows())) all.defects.push_back(value);
      all.defects.insert(all.defects.end(),
                         {static_cast<double>(defect.count()), defect.maximum(), defect.rms(), defect.scale()});
    }
  }
  return all;
}

Record run(const RunSpec& spec, int threads, const std::vector<double>& stops = {}) {
  Scheduler scheduler(spec, threads);
  scheduler.start();
  for (double stop : stops) {
    while (!scheduler.advance(stop, 0.001)) {
    }
  }
  while (!scheduler.advance(spec.until, 0.01)) {
  }
  for (const Participant& p : scheduler.network().participants) {
    CHECK(p.finished());
    CHECK(p.t >= spec.until - scheduler.network().tolerance);  // one that stops early may stop that near
  }
  return record(scheduler);
}

/// A random system: walkers with fixed or changing steps, random connections and a random acyclic order.
RunSpec random_system(std::mt19937& random, bool variable) {
  std::uniform_real_distribution<double> step(0.011, 0.2);
  const int n = 2 + static_cast<int>(random() % 5);
  RunSpec spec;
  spec.until = 3.0;
  spec.tolerance = 1e-9;
  std::vector<int> rank(n);
  for (int i = 0; i < n; ++i) rank[i] = static_cast<int>(random() % 1000) * n + i;
  std::vector<std::vector<ConnectionSpec>> entering(n);
  for (int i = 0; i < n; ++i) {
    for (int s = 0; s < n; ++s) {
      if (s == i || random() % 2 != 0) continue;
      const int input = static_cast<int>(entering[i].size());
      const int order = static_cast<int>(random() % 5);
      entering[i].push_back(
          connection(s, i, random() % 4 == 0 ? make_mean(MeanKind::arithmetic) : make_lagrange(order), input));
    }
  }
  for (int i = 0; i < n; ++i) {
    std::vector<int> waits;
    for (const ConnectionSpec& c : entering[i]) {
      if (rank[c.source] < rank[i] && random() % 3 != 0) waits.push_back(c.source);
    }
    std::vector<double> wishes;
    for (int k = 0; k < 7; ++k) wishes.push_back(step(random));
    const bool varies = variable && random() % 2 == 0;
    auto walker = std::make_shared<Walker>(static_cast<int>(entering[i].size()), 1.0 - 0.2 * i, wishes);
    spec.participants.push_back(participant(walker, varies ? 0.0 : wishes[0], waits));
    spec.connections.insert(spec.connections.end(), entering[i].begin(), entering[i].end());
  }
  return spec;
}

/// Two oscillators, coupled both ways.
RunSpec two_masses(std::vector<int> first_waits, std::vector<int> second_waits) {
  RunSpec spec;
  spec.until = 5.0;
  spec.tolerance = 1e-9;
  spec.participants = {participant(oscillator(40.0, 1.0, OdeSolver::ode4), 0.01, std::move(first_waits)),
                       participant(oscillator(1.0, -1.0, OdeSolver::trapezoidal), 0.07, std::move(second_waits))};
  spec.connections = {connection(1, 0, make_lagrange(2)), connection(0, 1, make_lagrange(2))};
  return spec;
}

/// Returns before the end it was given.
class EarlyBird final : public Subsystem {
 public:
  EarlyBird(double wish, double share) : wish_(wish), share_(share) {}
  int input_width() const override { return 0; }
  int output_width() const override { return 1; }
  void start(double) override {}
  double step(double t, double t_end, Inputs&) override { return t + share_ * (t_end - t); }
  const double* output(double t, Inputs&) override {
    y_ = std::sin(9.0 * t);
    return &y_;
  }
  double preferred_step() const override { return wish_; }
  bool stops_early() const override { return true; }

 private:
  double wish_;
  double share_;
  double y_ = 0.0;
};

/// Returns whatever it is told to, as the time reached.
class Liar final : public Subsystem {
 public:
  Liar(double reached, double wish = 0.0, double value = 0.0) : reached_(reached), wish_(wish), value_(value) {}
  int input_width() const override { return 0; }
  int output_width() const override { return 1; }
  void start(double) override {}
  double step(double, double, Inputs&) override { return reached_; }
  const double* output(double t, Inputs&) override { return t > 0.0 ? &value_ : &zero_; }
  double preferred_step() const override { return wish_; }

 private:
  double reached_;
  double wish_;
  double value_;
  double zero_ = 0.0;
};

RunSpec alone(SubsystemPointer subsystem, double step) {
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-9;
  spec.participants = {participant(std::move(subsystem), step)};
  return spec;
}

}  // namespace

TEST(threads_change_no_bit) {
  for (const auto& [first, second] :
       std::vector<std::pair<std::vector<int>, std::vector<int>>>{{{1}, {}}, {{}, {0}}, {{}, {}}}) {
    const RunSpec spec = two_masses(first, second);
    const Record one = run(spec, 1);
    for (int threads : {2, 4}) CHECK(one.signals == run(spec, threads).signals);
  }
}

TEST(no_random_system_deadlocks_and_threads_and_stops_change_no_bit) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 120; ++trial) {
    const RunSpec spec = random_system(random, trial % 2 == 1);
    const Record one = run(spec, 1);
    CHECK(one.signals == run(spec, 3).signals);
    CHECK(one.signals == run(spec, 1, {0.1, 0.37, 0.370001, 2.2}).signals);
    CHECK(one.signals == run(spec, 2, {0.5, 1.0, 1.5, 2.0, 2.5}).signals);
  }
}

TEST(threads_and_stops_change_no_defect) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 120; ++trial) {
    const RunSpec spec = random_system(random, trial % 2 == 1);
    const Record one = run(spec, 1);
    CHECK(one.defects == run(spec, 3).defects);
    CHECK(one.defects == run(spec, 2, {0.5, 1.0, 1.5, 2.0, 2.5}).defects);
  }
}

TEST(a_source_that_stops_before_its_proposal_gives_the_same_bits_however_the_run_is_cut) {
  // It proposes 15 ms and stops after a third; the consumer does not wait and has a much finer step.
  RunSpec spec;
  spec.until = 4.0;
  spec.tolerance = 1e-9;
  spec.participants = {participant(std::make_shared<Walker>(1, 1.0), 0.001),
                       participant(std::make_shared<EarlyBird>(0.015, 0.3), 0.0)};
  spec.connections = {connection(1, 0, make_lagrange(1))};
  const Record one = run(spec, 1);
  std::vector<double> stops;
  for (double t = 0.0013; t < 4.0; t += 0.0013) stops.push_back(t);
  CHECK(one.signals == run(spec, 1, stops).signals);
  CHECK(one.signals == run(spec, 2).signals);
}

TEST(a_state_that_overflows_among_steps_made_in_a_row_stops_the_run_there) {
  // dx/dt = 50 x overflows after some hundred steps, far from the samples of the source and its own first step.
  for (double wave_step : {0.37, 5.0, 1000.0}) {
    auto growing = std::make_shared<OdeSubsystem>(
        std::make_shared<LinearRightHandSide>(matrix(2, 2, {50, 0, 0, -1}), matrix(2, 1, {1, 1})), make_state_output(2),
        std::vector<double>{1.0, 1.0}, OdeSolver::ode4, SolverOptions{});
    RunSpec spec;
    spec.until = 1000.0;
    spec.tolerance = 1e-9;
    spec.participants = {participant(growing, 0.1, {1}),
                         participant(std::make_shared<Wave>([](double t) { return t; }), wave_step)};
    spec.connections = {connection(1, 0, make_lagrange(1))};
    Scheduler scheduler(spec, 1);
    scheduler.start();
    bool failed = false;
    try {
      while (!scheduler.advance(spec.until, 1.0)) {
      }
    } catch (const StepFailure&) {
      failed = true;
    }
    CHECK(failed);
    Participant& p = scheduler.network().participants[0];
    const std::vector<double> rows = flatten(p.take_rows());
    const Failure& failure = scheduler.network().failure;
    CHECK(failure.kind == Failure::Kind::not_finite);
    CHECK(failure.port == 0);
    CHECK(rows.size() == 3 * static_cast<std::size_t>(p.steps + 1));
    CHECK(p.steps > 100);
    CHECK(failure.start == rows[rows.size() - 3]);
    CHECK(failure.end == 0.1 * static_cast<double>(p.steps + 1));
    for (double value : rows) CHECK(std::isfinite(value));
    CHECK(rows[rows.size() - 2] > 1e300);
  }
}

TEST(a_fixed_step_is_counted_and_ends_exactly_at_the_end) {
  RunSpec spec = alone(std::make_shared<Wave>([](double t) { return t; }), 0.1);
  spec.until = 1000.0;
  Scheduler scheduler(spec, 1);
  scheduler.start();
  while (!scheduler.advance(1000.0, 1.0)) {
  }
  Participant& p = scheduler.network().participants[0];
  const std::vector<double> rows = flatten(p.take_rows());
  CHECK(p.steps == 10000);
  CHECK(rows.size() == 2 * 10001);
  for (int k = 0; k <= 10000; ++k) CHECK(rows[2 * k] == (k == 10000 ? 1000.0 : 0.1 * k));
}

TEST(the_last_step_is_cut_to_the_end_and_a_remainder_of_rounding_is_taken_along) {
  for (const auto& [step, count] :
       std::vector<std::pair<double, long>>{{0.3, 4}, {1.0 / 3.0, 3}, {0.1, 10}, {1.0, 1}, {0.7, 2}}) {
    Scheduler scheduler(alone(std::make_shared<Wave>([](double t) { return t; }), step), 1);
    scheduler.start();
    while (!scheduler.advance(1.0, 1.0)) {
    }
    CHECK(scheduler.network().participants[0].steps == count);
    CHECK(scheduler.network().participants[0].t == 1.0);
  }
}

TEST(a_waiting_consumer_interpolates_and_one_that_does_not_wait_extrapolates) {
  for (bool waits : {true, false}) {
    auto watcher = std::make_shared<Watcher>();
    RunSpec spec;
    spec.until = 1.0;
    spec.tolerance = 1e-9;
    spec.participants = {participant(std::make_shared<Wave>([](double t) { return t * t; }), 0.5),
                         participant(watcher, 0.25, waits ? std::vector<int>{0} : std::vector<int>{})};
    spec.connections = {connection(0, 1, make_lagrange(1))};
    run(spec, 1);
    // Chords 0 .. 0.25 .. 1 at 0.25, 0.5, 0.75, 1; or hold of 0, then the line 0 -> 0.25 continued.
    const std::vector<double> expected =
        waits ? std::vector<double>{0.125, 0.25, 0.625, 1.0} : std::vector<double>{0.0, 0.0, 0.375, 0.5};
    CHECK(watcher->seen.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) CHECK_CLOSE(expected[k], watcher->seen[k], 1e-14);
  }
}

TEST(a_step_shorter_than_the_one_before_still_sees_no_sample_beyond_the_first_that_reaches_its_end) {
  // The consumer proposes 0..1, stops at 0.2 and then proposes 0.1: of the source (step 0.1) the sample at
  // 0.3 reaches the end of that step; those at 0.4 .. 1.0 exist but are not to be seen.
  class Shrinking final : public Subsystem {
   public:
    int input_width() const override { return 1; }
    int output_width() const override { return 1; }
    void start(double) override { first_ = true; }
    double step(double t, double t_end, Inputs& u) override {
      if (!first_) {
        if (seen.empty())
          seen.assign({u.connections()[0].samples.time(u.connections()[0].samples.last()), u.at(t_end)[0]});
        return t_end;
      }
      first_ = false;
      return t + 0.2;
    }
    const double* output(double, Inputs&) override { return &y_; }
    double preferred_step() const override { return first_ ? 1.0 : 0.1; }
    bool stops_early() const override { return true; }
    std::vector<double> seen;

   private:
    bool first_ = true;
    double y_ = 0.0;
  };
  auto consumer = std::make_shared<Shrinking>();
  RunSpec spec;
  spec.until = 2.0;
  spec.tolerance = 1e-9;
  spec.participants = {participant(std::make_shared<Wave>([](double t) { return t; }), 0.1),
                       participant(consumer, 0.0, {0})};
  spec.connections = {connection(0, 1, make_hold(HoldSide::ahead))};
  run(spec, 1);
  CHECK_CLOSE(0.3, consumer->seen[0], 1e-9);
  CHECK_CLOSE(0.3, consumer->seen[1], 1e-9);
}

TEST(times_that_differ_by_exactly_the_tolerance_do_not_block) {
  // In floating point (b - tolerance) + tolerance may be less than b: then neither may wait for the other. It
  // happens at negative times, where b - tolerance has a larger exponent than b.
  std::mt19937 random(9);
  std::uniform_real_distribution<double> some(1e-7, 2e-7);
  int tried = 0;
  for (int trial = 0; trial < 100000 && tried < 10; ++trial) {
    const double tolerance = some(random);
    const double b = some(random) - 1e-7 - 0.5;
    const double s = b - tolerance;
    if (!(s + tolerance < b)) continue;
    ++tried;
    RunSpec spec;
    spec.start = -1.0;
    spec.until = 1.0;
    spec.tolerance = tolerance;
    spec.participants = {participant(std::make_shared<Walker>(0, 1.0, std::vector<double>{s + 1.0}), 0.0),
                         participant(std::make_shared<Walker>(1, 1.0, std::vector<double>{b + 1.0}), 0.0, {0})};
    spec.connections = {connection(0, 1, make_lagrange(1))};
    run(spec, 1);
  }
  CHECK(tried > 0);
}

TEST(a_table_that_has_ended_blocks_no_subsystem_in_a_run_without_end) {
  RunSpec spec;
  spec.until = Polynomial::infinity;
  spec.tolerance = 1e-9;
  auto watcher = std::make_shared<Watcher>();
  spec.participants = {participant(std::make_shared<Table>(std::vector<double>{0.0, 1.0}, std::vector<double>{2.0, 4.0},
                                                           1, Table::Kind::linear),
                                   0.0),
                       participant(watcher, 0.25, {0})};
  spec.connections = {connection(0, 1, make_lagrange(1))};
  Scheduler scheduler(spec, 1);
  scheduler.start();
  while (!scheduler.advance(2.0, 1.0)) {
  }
  CHECK_CLOSE(4.0, watcher->seen.back(), 1e-12);
}

TEST(an_independent_subsystem_does_not_keep_the_second_rule_from_its_turn) {
  // Three that can block each other need the second rule; a fourth, unconnected one may always step. Without
  // an end it would go on for ever before the others get theirs.
  std::mt19937 random(3);
  for (int trial = 0; trial < 10; ++trial) {
    RunSpec spec = random_system(random, true);
    spec.participants.push_back(participant(std::make_shared<Walker>(0, 1.0), 0.05));
    spec.until = Polynomial::infinity;
    Scheduler scheduler(spec, 1);
    scheduler.start();
    bool done = false;
    for (int slice = 0; slice < 20 && !done; ++slice) done = scheduler.advance(3.0, 0.01);
    if (!done) check::fail(__FILE__, __LINE__, "trial " + std::to_string(trial) + " does not reach 3 s");
    const double ahead = scheduler.network().participants.back().t;
    CHECK(ahead < 10.0);
  }
}

TEST(nan_stops_the_run_and_names_the_output) {
  for (double bad : {double(NAN), Polynomial::infinity, -Polynomial::infinity}) {
    Scheduler scheduler(alone(std::make_shared<Liar>(0.5, 0.5, bad), 0.0), 1);
    scheduler.start();
    CHECK_THROWS(StepFailure, std::isnan(bad) ? "NaN" : "infinite", scheduler.advance(1.0, 1.0));
    const Failure& failure = scheduler.network().failure;
    CHECK(failure.kind == Failure::Kind::not_finite);
    CHECK(failure.participant == 0);
    CHECK(failure.port == 0);
    CHECK_CLOSE(0.0, failure.start, 0.0);
    CHECK_CLOSE(0.5, failure.end, 0.0);
  }
}

TEST(a_time_outside_the_step_breaks_the_contract) {
  for (double reached : {0.0, -1.0, 0.25, 0.51, double(NAN), Polynomial::infinity}) {
    Scheduler scheduler(alone(std::make_shared<Liar>(reached), 0.5), 1);
    scheduler.start();
    CHECK_THROWS(StepFailure, "step returned time", scheduler.advance(1.0, 1.0));
    CHECK(scheduler.network().failure.kind == Failure::Kind::contract);
  }
}

TEST(a_proposal_that_is_not_positive_breaks_the_contract) {
  for (double wish : {0.0, -0.1, double(NAN)}) {
    Scheduler scheduler(alone(std::make_shared<Liar>(0.5, wish), 0.0), 1);
    CHECK_THROWS(StepFailure, "positive proposal", scheduler.start());
    CHECK(scheduler.network().failure.kind == Failure::Kind::contract);
    CHECK(scheduler.network().failure.activity == Failure::Activity::preferred_step);
    CHECK(scheduler.network().failure.participant == 0);
  }
}

TEST(an_exception_of_a_model_on_a_worker_thread_reaches_the_caller) {
  const auto thrower = [](double t) -> double { return t > 0.35 ? throw std::runtime_error("tyre burst") : t; };
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-9;
  spec.participants = {participant(std::make_shared<Wave>([](double t) { return t; }), 0.1),
                       participant(std::make_shared<Wave>(thrower), 0.1),
                       participant(std::make_shared<Wave>([](double t) { return t; }), 0.1)};
  for (int threads : {1, 4}) {
    Scheduler scheduler(spec, threads);
    scheduler.start();
    CHECK_THROWS(std::runtime_error, "tyre burst", while (!scheduler.advance(1.0, 1.0)){});
    CHECK(scheduler.network().failure.participant == 1);
    CHECK(scheduler.network().failure.kind == Failure::Kind::model);
    CHECK_CLOSE(0.3, scheduler.network().failure.start, 1e-12);
  }
}

TEST(several_outputs_add_up_in_one_input_with_gains_and_an_offset) {
  auto watcher = std::make_shared<Watcher>();
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-9;
  spec.participants = {participant(std::make_shared<Wave>([](double t) { return t; }), 0.5),
                       participant(std::make_shared<Wave>([](double) { return 7.0; }), 0.3),
                       participant(watcher, 0.25, {0, 1})};
  spec.connections = {connection(0, 2, make_lagrange(1)), connection(1, 2, make_lagrange(1))};
  spec.connections[0].gain = 2.0;
  spec.connections[0].offset = 100.0;
  spec.connections[1].gain = -1.0;
  run(spec, 1);
  for (std::size_t k = 0; k < 4; ++k) CHECK_CLOSE(0.5 * static_cast<double>(k + 1) + 93.0, watcher->seen[k], 1e-12);
}

TEST(a_law_makes_an_input_from_several_signals) {
  struct Product final : CouplingLaw {
    void evaluate(double, const double* s, double* out) const override { out[0] = s[0] * s[1]; }
  };
  auto watcher = std::make_shared<Watcher>();
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-9;
  spec.participants = {participant(std::make_shared<Wave>([](double t) { return 1.0 + t; }), 0.5),
                       participant(std::make_shared<Wave>([](double t) { return 1.0 - t; }), 0.3),
                       participant(watcher, 0.25, {0, 1})};
  spec.laws = {{std::make_shared<Product>(), 2, 0}};
  spec.connections = {connection(0, 2, make_lagrange(1)), connection(1, 2, make_lagrange(1))};
  spec.connections[0].law = spec.connections[1].law = 0;
  run(spec, 1);
  for (std::size_t k = 0; k < 4; ++k) {
    const double t = 0.25 * static_cast<double>(k + 1);
    CHECK_CLOSE(1.0 - t * t, watcher->seen[k], 1e-12);
  }
}

TEST(a_long_run_keeps_its_histories_short) {
  RunSpec spec = two_masses({1}, {});
  spec.until = 2000.0;
  Scheduler scheduler(spec, 1);
  scheduler.start();
  while (!scheduler.advance(2000.0, 0.05)) record(scheduler);
  for (const Participant& p : scheduler.network().participants)
    CHECK(p.history.end() - p.history.begin() + p.history.room() <= 2048);
}
