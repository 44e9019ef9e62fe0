// Windows of the core: the same bits for any number of threads and any cut of the run into slices.

#include <chrono>

#include "check.hpp"
#include "coupling/repeated_start.hpp"
#include "coupling/windowed_scheduler.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;
using namespace std::chrono_literals;

namespace {

/// A walker that can go back. Unless it is told not to, it takes its time: a slice then ends after each of its steps,
/// within a window.
class Returner final : public Subsystem {
 public:
  Returner(int inputs, double x0, std::vector<double> wishes, std::chrono::microseconds work = 30us)
      : walker_(inputs, x0, std::move(wishes)), work_(work) {}
  int input_width() const override { return walker_.input_width(); }
  int output_width() const override { return 1; }
  void start(double t) override { walker_.start(t); }
  double step(double t, double t_end, Inputs& u) override {
    using clock = std::chrono::steady_clock;
    if (work_ > 0us) {
      for (const auto end = clock::now() + work_; clock::now() < end;) {
      }
    }
    return walker_.step(t, t_end, u);
  }
  const double* output(double t, Inputs& u) override { return walker_.output(t, u); }
  double preferred_step() const override { return walker_.preferred_step(); }
  std::unique_ptr<SavedState> save() const override { return std::make_unique<Saved>(walker_); }
  void restore(const SavedState& state) override { walker_ = static_cast<const Saved&>(state).walker; }

 private:
  struct Saved final : SavedState {
    explicit Saved(const Walker& now) : walker(now) {}
    Walker walker;
  };
  Walker walker_;
  std::chrono::microseconds work_;
};

/// Random walkers with fixed or changing steps, random connections and a random acyclic order.
RunSpec random_system(std::mt19937& random) {
  const bool all_equal = random() % 3 == 0;  // who is connected then goes in step
  const bool lines = all_equal && random() % 2 == 0;
  std::uniform_real_distribution<double> step(0.011, 0.2);
  const int n = 2 + static_cast<int>(random() % 4);
  RunSpec spec;
  spec.until = 2.0;
  spec.tolerance = 1e-9;
  std::vector<std::vector<ConnectionSpec>> entering(n);
  for (int i = 0; i < n; ++i) {
    for (int s = 0; s < n; ++s) {
      if (s == i || random() % 2 != 0) continue;
      ConnectionSpec connection;
      connection.source = s;
      connection.target = i;
      connection.target_offset = static_cast<int>(entering[i].size());
      const int order = static_cast<int>(random() % 5);
      connection.approximation = random() % 4 == 0 ? make_mean(MeanKind::arithmetic) : make_lagrange(order);
      if (lines) connection.approximation = order < 2 ? make_hold(static_cast<HoldSide>(order)) : make_lagrange(1);
      connection.gain = 0.3;
      entering[i].push_back(connection);
    }
  }
  for (int i = 0; i < n; ++i) {
    ParticipantSpec p;
    for (const ConnectionSpec& c : entering[i]) {
      if (c.source < i && random() % 3 != 0) p.waits_for.push_back(c.source);
    }
    std::vector<double> wishes;
    for (int k = 0; k < 7; ++k) wishes.push_back(step(random));
    p.step = all_equal ? 0.05 : random() % 2 == 0 ? 0.0 : wishes[0];
    p.subsystem = std::make_shared<Returner>(static_cast<int>(entering[i].size()), 1.0 - 0.2 * i, wishes);
    p.constants.resize(entering[i].size());
    spec.participants.push_back(p);
    spec.connections.insert(spec.connections.end(), entering[i].begin(), entering[i].end());
  }
  return spec;
}

/// Everything a run leaves behind, in one list.
std::vector<double> run(WindowedScheduler& scheduler, const RunSpec& spec, double slice) {
  scheduler.start();
  double before = scheduler.time();
  while (!scheduler.advance(spec.until, slice)) {
    CHECK(scheduler.time() >= before);
    before = scheduler.time();
  }
  CHECK(!scheduler.has_open_window());
  CHECK(scheduler.time() == spec.until);
  std::vector<double> all{static_cast<double>(scheduler.tally().passes), scheduler.tally().largest_change};
  for (Participant& p : scheduler.network().participants) {
    for (double value : flatten(p.take_rows())) all.push_back(value);
  }
  for (Participant& p : scheduler.network().participants) {  // defects may be derived from rows that were given away
    for (Comparison& comparison : p.comparisons) {
      Defect& defect = comparison.defect;
      for (double value : flatten(defect.take_rows())) all.push_back(value);
      all.insert(all.end(), {defect.maximum(), defect.rms(), defect.scale()});
    }
  }
  return all;
}

std::vector<double> run(const RunSpec& spec, const WindowSpec& window, int threads, double slice) {
  WindowedScheduler scheduler(spec, window, threads);
  return run(scheduler, spec, slice);
}

std::vector<double> run_with_repeated_start(const RunSpec& spec, double end, int threads, double slice) {
  WindowedScheduler scheduler(spec, std::make_unique<RepeatedStart>(end, 1e-9, false), threads);
  return run(scheduler, spec, slice);
}

}  // namespace

TEST(a_repeated_start_gives_the_same_bits_with_threads_slices_and_without_fast_paths) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 60; ++trial) {
    RunSpec spec = random_system(random);
    const double end = 0.05 * (1 + trial % 6);
    const std::vector<double> one = run_with_repeated_start(spec, end, 1, 1.0);
    CHECK(one == run_with_repeated_start(spec, end, 3, 1.0));
    CHECK(one == run_with_repeated_start(spec, end, 1, 0.0));
    spec.fast_paths = fast::Choice::none();
    CHECK(one == run_with_repeated_start(spec, end, 1, 1.0));
  }
}

TEST(threads_slices_and_fast_paths_change_no_bit) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 60; ++trial) {
    RunSpec spec = random_system(random);
    WindowSpec window{0.21 + 0.1 * (trial % 7), 1 + trial % 3, trial % 2 == 0 ? 0.0 : 1e-7, trial % 4 < 2};
    window.method = static_cast<WindowSpec::Method>(trial % 5);
    const std::vector<double> one = run(spec, window, 1, 1.0);
    CHECK(one == run(spec, window, 3, 1.0));
    CHECK(one == run(spec, window, 1, 0.0));
    CHECK(one == run(spec, window, 2, 0.0));
    spec.fast_paths = fast::Choice::none();
    CHECK(one == run(spec, window, 1, 1.0));
  }
}

TEST(a_slice_ends_within_a_pass_of_many_cheap_steps) {
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-12;
  for (int i = 0; i < 2; ++i) {
    ConnectionSpec connection;
    connection.source = i;
    connection.target = 1 - i;
    connection.approximation = make_lagrange(1);
    connection.gain = 0.3;
    spec.connections.push_back(connection);
  }
  for (int i = 0; i < 2; ++i) {
    ParticipantSpec p;
    p.step = i == 0 ? 0.01 : 8e-7;
    if (i == 1) p.waits_for.push_back(0);
    p.subsystem = std::make_shared<Returner>(1, 1.0 - 0.2 * i, std::vector<double>{}, 0us);
    p.constants.resize(1);
    spec.participants.push_back(p);
  }
  constexpr double no_end = 1e9;  // s, the slice ends by its number of steps alone
  WindowedScheduler windows(spec, WindowSpec{0.25, 1, 0.0}, 1);
  windows.start();
  int slices = 0;
  while (!windows.advance(spec.until, no_end)) ++slices;
  CHECK(slices >= 8);  // one in each pass: there are two in each of four windows
  WindowedScheduler after_the_first_steps(spec, std::make_unique<RepeatedStart>(0.05, 1e-9, false), 1);
  after_the_first_steps.start();
  CHECK(!after_the_first_steps.advance(spec.until, no_end));
  CHECK(after_the_first_steps.time() < spec.until);
}

TEST(a_run_that_is_given_up_within_a_window_stands_at_its_beginning) {
  std::mt19937 random(8);
  int within = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const RunSpec spec = random_system(random);
    WindowedScheduler scheduler(spec, {0.5, 2, 0.0}, 1);
    scheduler.start();
    for (int slice = 0; slice <= trial; ++slice) scheduler.advance(spec.until, 0.0);
    within += scheduler.has_open_window() ? 1 : 0;
    const double time = scheduler.time();
    scheduler.give_up();
    CHECK(scheduler.time() == time);
    for (Participant& p : scheduler.network().participants) {
      const std::vector<double> rows = flatten(p.take_rows());
      CHECK(rows[rows.size() - 2] == p.t);
      CHECK(static_cast<long>(rows.size()) == 2 * (p.steps + 1));
    }
  }
  CHECK(within > 0);
}
