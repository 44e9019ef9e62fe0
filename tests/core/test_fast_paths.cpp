// Every fast path against the definition: the same run with RunSpec::fast_paths and without, bit for bit.

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "check.hpp"
#include "coupling/fast/groups.hpp"
#include "coupling/windowed_scheduler.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

std::vector<ApproximationPointer> approximations() {
  std::vector<ApproximationPointer> all{make_hold(HoldSide::behind),
                                        make_hold(HoldSide::ahead),
                                        make_hermite(),
                                        make_taylor(2),
                                        make_least_squares(1, 4),
                                        make_transition(1),
                                        make_mean(MeanKind::arithmetic),
                                        make_mean(MeanKind::time_weighted)};
  for (int order = 0; order <= 4; ++order) all.push_back(make_lagrange(order));
  return all;
}

enum class Scheme { parallel, forwards, backwards };

std::vector<int> waits_for(Scheme scheme, int i, int count) {
  std::vector<int> all;
  for (int j = 0; j < count; ++j) {
    if ((scheme == Scheme::forwards && j < i) || (scheme == Scheme::backwards && j > i)) all.push_back(j);
  }
  return all;
}

/// An oscillator whose outputs are its states: its steps can be made in batches.
SubsystemPointer oscillator(int inputs, double stiffness, double x0) {
  Matrix a(2, 2), b = Matrix::Zero(2, inputs);
  a << 0.0, 1.0, -stiffness, -0.3;
  for (int j = 0; j < inputs; ++j) b(1, j) = 2.0 - j;
  auto f = std::make_shared<LinearRightHandSide>(a, b);
  return std::make_shared<OdeSubsystem>(f, make_state_output(2), std::vector<double>{x0, 0.0}, OdeSolver::ode4,
                                        SolverOptions{});
}

/// Holds its inputs, and says so.
class Holding final : public Subsystem, public HeldStepper {
 public:
  explicit Holding(double stiffness) : stiffness_(stiffness) {}
  int input_width() const override { return 2; }
  int output_width() const override { return 2; }
  void start(double) override { y_[0] = 1.0, y_[1] = 0.0; }
  double step(double t, double t_end, Inputs& u) override {
    advance(t, t_end, u.at(t), y_);
    return t_end;
  }
  const double* output(double, Inputs&) override { return y_; }
  HeldStep held_step() override {
    return {[](void* model, double t, double t_end, const double* u, double* y) {
              static_cast<Holding*>(model)->advance(t, t_end, u, y);
            },
            this};
  }
  void stand_at(double) override {}

 private:
  void advance(double t, double t_end, const double* u, double* y) {
    const double h = t_end - t, x = y_[0];
    y_[0] += h * y_[1];
    y_[1] += h * (u[0] - stiffness_ * x + 0.1 * (u[1] - y_[1]));
    y[0] = y_[0];
    y[1] = y_[1];
  }
  double stiffness_;
  double y_[2] = {};
};

enum class Kind { batch, single, held, mixed, own_pace, law };
constexpr Kind kinds[] = {Kind::batch, Kind::single, Kind::held, Kind::mixed, Kind::own_pace, Kind::law};

class SumOfSquares final : public CouplingLaw {
 public:
  void evaluate(double, const double* signals, double* out) const override {
    out[0] = 0.1 * (signals[0] * signals[0] + signals[1] * signals[1]);
  }
};

ParticipantSpec participant(Kind kind, int i) {
  ParticipantSpec p;
  const int inputs = kind == Kind::batch || kind == Kind::single ? 1 : 2;
  p.constants.resize(inputs, 0.25);
  p.step = 0.01;
  if (kind == Kind::batch && i % 2 == 1) p.step = 0.037;
  if (kind == Kind::mixed) p.step = 0.01 + 0.003 * i;
  switch (kind) {
    case Kind::held:
      p.subsystem = std::make_shared<Holding>(10.0 + i);
      break;
    case Kind::own_pace:
      if (i == 1) p.step = 0.0;
      p.subsystem = std::make_shared<Walker>(2, 1.0 / (1 + i), std::vector<double>{0.013, 0.02, 0.007});
      break;
    default:
      p.subsystem = oscillator(inputs, 10.0 + i, 1.0 / (1 + i));
  }
  return p;
}

/// A ring of four; with two inputs each listens to both neighbours.
RunSpec ring(Kind kind, Scheme scheme, const ApproximationPointer& approximation) {
  constexpr int count = 4;
  RunSpec spec;
  spec.until = 0.7;
  spec.tolerance = 1e-9;
  for (int i = 0; i < count; ++i) {
    spec.participants.push_back(participant(kind, i));
    spec.participants.back().waits_for = waits_for(scheme, i, count);
    const int inputs = spec.participants.back().subsystem->input_width();
    for (int j = 0; j < inputs; ++j) {
      ConnectionSpec c;
      c.source = (i + (j == 0 ? count - 1 : 1)) % count;
      c.target = i;
      c.target_offset = j;
      c.approximation = approximation;
      if (j == 1) c.gain = -0.5, c.offset = 0.1;
      spec.connections.push_back(c);
    }
  }
  if (kind == Kind::law) {
    spec.laws.push_back({std::make_shared<SumOfSquares>(), 2, 0});
    for (ConnectionSpec& c : spec.connections) {
      if (c.target == 2) c.law = 0, c.target_offset = 0;
    }
    spec.connections.push_back(spec.connections[0]);  // and a sum of two outputs
  }
  return spec;
}

template <class Driver>
std::vector<double> recorded(Driver& driver, const std::vector<double>& stops, double until) {
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& rows) { all.insert(all.end(), rows.begin(), rows.end()); };
  std::vector<std::vector<double>> rows(driver.network().participants.size()), defects;
  driver.start();
  const auto take = [&] {
    std::size_t k = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<double> more = flatten(driver.network().participants[i].take_rows());
      rows[i].insert(rows[i].end(), more.begin(), more.end());
    }
    for (Participant& p : driver.network().participants) {
      for (Comparison& comparison : p.comparisons) {
        if (k == defects.size()) defects.emplace_back();
        const std::vector<double> more = flatten(comparison.defect.take_rows());
        defects[k].insert(defects[k].end(), more.begin(), more.end());
        ++k;
      }
    }
  };
  for (double stop : stops) {
    while (!driver.advance(stop, 1.0)) {
    }
    take();
  }
  while (!driver.advance(until, 1.0)) {
  }
  take();
  for (const auto& table : rows) add(table);
  for (const auto& table : defects) add(table);
  for (const Participant& p : driver.network().participants) {
    for (const Comparison& comparison : p.comparisons) {
      const Defect& d = comparison.defect;
      add({static_cast<double>(d.count()), d.maximum(), d.time_of_maximum(), d.rms(), d.scale(), d.magnitude()});
    }
  }
  return all;
}

constexpr fast::Choice all_paths;
constexpr fast::Choice no_path = fast::Choice::none();

std::vector<double> run(RunSpec spec, fast::Choice allowed, int threads, const std::vector<double>& stops = {}) {
  spec.fast_paths = allowed;
  Scheduler scheduler(spec, threads);
  return recorded(scheduler, stops, spec.until);
}

bool equal_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

constexpr bool fast::Choice::* paths[] = {&fast::Choice::single_scalar,
                                          &fast::Choice::newest_points,
                                          &fast::Choice::lines,
                                          &fast::Choice::rounds,
                                          &fast::Choice::held_rounds,
                                          &fast::Choice::sampled_rounds,
                                          &fast::Choice::batches,
                                          &fast::Choice::polynomial_batches,
                                          &fast::Choice::derived_comparisons,
                                          &fast::Choice::derived_rows,
                                          &fast::Choice::joint_steps,
                                          &fast::Choice::joint_passes,
                                          &fast::Choice::newest_comparisons};

}  // namespace

TEST(fast_paths_give_the_bits_of_the_definition) {
  for (Kind kind : kinds) {
    for (Scheme scheme : {Scheme::parallel, Scheme::forwards, Scheme::backwards}) {
      for (const ApproximationPointer& approximation : approximations()) {
        const RunSpec spec = ring(kind, scheme, approximation);
        const std::vector<double> defined = run(spec, no_path, 1);
        CHECK(defined.size() > 500);
        CHECK(equal_bits(defined, run(spec, all_paths, 1)));
        CHECK(equal_bits(defined, run(spec, all_paths, 3)));
        CHECK(equal_bits(defined, run(spec, all_paths, 1, {0.004, 0.37, 0.695})));
        CHECK(equal_bits(defined, run(spec, no_path, 2, {0.37})));
        for (bool fast::Choice::* path : paths) {
          fast::Choice without = all_paths;
          without.*path = false;
          CHECK(equal_bits(defined, run(spec, without, 1)));
        }
      }
    }
  }
}

TEST(fast_paths_give_the_bits_of_the_definition_in_windows) {
  const WindowSpec once{0.1, 1}, not_on_the_grid{0.0437, 2}, converged{0.1, 3, 1e-9}, centred{0.06, 1, 0.0, true};
  for (Kind kind : {Kind::batch, Kind::mixed}) {  // the others cannot save
    for (Scheme scheme : {Scheme::parallel, Scheme::forwards, Scheme::backwards}) {
      for (const ApproximationPointer& approximation : approximations()) {
        for (const WindowSpec& window : {once, not_on_the_grid, converged, centred}) {
          const auto windows = [&](fast::Choice allowed) {
            RunSpec spec = ring(kind, scheme, approximation);
            spec.fast_paths = allowed;
            spec.until = 0.4;
            WindowedScheduler scheduler(spec, window, 1);
            return recorded(scheduler, {0.37}, spec.until);
          };
          CHECK(equal_bits(windows(no_path), windows(all_paths)));
        }
      }
    }
  }
}

TEST(the_kinds_are_served_by_the_paths_that_they_are_here_for) {
  const ApproximationPointer hold = make_hold(HoldSide::behind);
  const auto started = [](const RunSpec& spec) {
    auto scheduler = std::make_unique<Scheduler>(spec, 1);
    scheduler->start();
    return scheduler;
  };
  const auto batch = started(ring(Kind::batch, Scheme::forwards, make_lagrange(1)));
  CHECK(batch->network().participants[2].fast.batches != nullptr);  // it waits for its only source
  const auto held = started(ring(Kind::held, Scheme::parallel, hold));
  for (const Participant& p : held->network().participants) {
    CHECK(p.fast.in_step && p.fast.held != nullptr);
    CHECK(p.comparisons[0].defect.derived.is_used());
  }
  RunSpec slow = ring(Kind::held, Scheme::parallel, hold);
  slow.fast_paths = no_path;
  const auto generic = started(slow);
  for (const Participant& p : generic->network().participants) {
    CHECK(!p.fast.in_step && p.fast.held == nullptr && p.fast.batches == nullptr);
    CHECK(!p.comparisons[0].defect.derived.is_used());
    CHECK(p.inputs->connections()[0].fast.newest_points == 0);
    CHECK(!p.inputs->fast_paths().is_single());
  }
}

namespace {

/// Takes longer than a cheap step, and counts how often it is asked whether it still holds its inputs.
class Costly final : public Subsystem, public HeldStepper {
 public:
  explicit Costly(long& asked) : asked_(asked) {}
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override { y_ = 1.0; }
  double step(double, double t_end, Inputs& u) override {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    y_ = 0.5 * *u.at(t_end);
    return t_end;
  }
  const double* output(double, Inputs&) override { return &y_; }
  HeldStep held_step() override {
    ++asked_;
    return {[](void* model, double, double, const double* u, double* y) {
              *y = static_cast<Costly*>(model)->y_ = 0.5 * *u;
            },
            this};
  }
  void stand_at(double) override {}

 private:
  long& asked_;
  double y_ = 0.0;
};

}  // namespace

TEST(members_of_a_round_are_asked_once_per_round_where_their_steps_are_costly) {
  constexpr int members = 40, rounds = 5;
  long asked = 0;
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-12;
  for (int i = 0; i < members; ++i) {
    ParticipantSpec p;
    p.subsystem = std::make_shared<Costly>(asked);
    p.step = 0.01;
    p.constants = {0.0};
    spec.participants.push_back(std::move(p));
    ConnectionSpec c;
    c.source = i;
    c.target = (i + 1) % members;
    c.approximation = make_hold(HoldSide::behind);
    spec.connections.push_back(std::move(c));
  }
  Scheduler scheduler(spec, 1);
  scheduler.start();
  asked = 0;
  CHECK(scheduler.advance(rounds * 0.01, 60.0));
  CHECK(asked <= 3 * members * rounds);
}
