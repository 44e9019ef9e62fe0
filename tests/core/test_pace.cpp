// Paces: lengths of steps by laws, within limits, at events; the same bits with threads and in windows; rejected steps.

#include <cmath>

#include "check.hpp"
#include "coupling/paced_window.hpp"
#include "coupling/step_laws.hpp"
#include "coupling/windowed_scheduler.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

/// x' = rate (u - x), exactly for held inputs; it can be taken back.
class Lag final : public Subsystem {
 public:
  explicit Lag(double rate, double x0) : rate_(rate), x0_(x0) {}
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override { x_ = x0_; }
  double step(double t, double t_end, Inputs& u) override {
    const double middle = u.at(0.5 * (t + t_end))[0];
    x_ = middle + (x_ - middle) * std::exp(-rate_ * (t_end - t));
    return t_end;
  }
  const double* output(double, Inputs&) override { return &x_; }
  std::unique_ptr<SavedState> save() const override {
    auto saved = std::make_unique<State>();
    saved->x = x_;
    return saved;
  }
  void restore(const SavedState& state) override { x_ = static_cast<const State&>(state).x; }

 private:
  struct State final : SavedState {
    double x = 0.0;
  };
  double rate_, x0_;
  double x_ = 0.0;
};

constexpr double no_end = 1e300;

RunSpec ring(int count, double step) {
  RunSpec spec;
  spec.until = 2.0;
  spec.tolerance = 1e-10;
  for (int i = 0; i < count; ++i) {
    ParticipantSpec p;
    p.subsystem = std::make_shared<Lag>(3.0 + 2.0 * i, i % 2 == 0 ? 1.0 : -1.0);
    p.constants = {0.0};
    p.step = step;
    spec.participants.push_back(p);
    ConnectionSpec c;
    c.source = (i + 1) % count;
    c.target = i;
    c.approximation = make_lagrange(1 + i % 2);
    spec.connections.push_back(c);
  }
  return spec;
}

StepLimits limits(double first) {
  StepLimits made;
  made.first = first;
  made.smallest = 1e-6;
  made.largest = 0.2;
  made.growth = 2.0;
  made.reduction = 0.2;
  made.even = true;
  return made;
}

StepClock clock_of(const RunSpec& spec) { return {spec.start, spec.until, 0.0, spec.tolerance}; }

std::shared_ptr<StepLaw> defects(const RunSpec& spec, double tolerance) {
  std::vector<SignalTolerance> signals;
  for (std::size_t k = 0; k < spec.connections.size(); ++k)
    signals.push_back({1e-12, 0.0, 2 + static_cast<int>(k) % 2, true});
  return std::make_shared<DefectLaw>(tolerance, signals, 0.0);
}

struct Outcome {
  std::vector<std::vector<double>> rows;
  std::vector<double> steps;
  long rejected = 0;
};

Outcome finished(WindowedScheduler& scheduler, StepChooser& chooser, double until) {
  scheduler.start();
  while (!scheduler.advance(until, 1.0)) {
  }
  chooser.finish(until);
  Outcome made;
  for (Participant& p : scheduler.network().participants) made.rows.push_back(flatten(p.take_rows()));
  made.rejected = chooser.tally.rejected;
  made.steps = flatten(chooser.rows.take());
  return made;
}

Outcome run_together(RunSpec spec, std::shared_ptr<StepLaw> law, const StepLimits& given, int threads) {
  for (ParticipantSpec& p : spec.participants) p.step = no_end;
  spec.indicators.push_back(law);
  auto window = std::make_unique<PacedWindow>(law, given, clock_of(spec));
  StepChooser& chooser = window->chooser;
  WindowedScheduler scheduler(spec, std::move(window), threads);
  return finished(scheduler, chooser, spec.until);
}

Outcome run_twice(RunSpec spec, TwoPassWindow::Method method, double tolerance, int threads) {
  TwoPassWindow::Setup setup{method, tolerance, {}};
  if (method == TwoPassWindow::Method::doubling) setup.length = std::make_shared<SharedLength>();
  for (std::size_t i = 0; i < spec.participants.size(); ++i) {
    spec.participants[i].step = no_end;
    spec.participants[i].pace = setup.length;
    setup.outputs.push_back({static_cast<int>(i), 0, {1e-12, 0.0, 2, true}});
  }
  auto law = std::make_shared<PassLaw>(2, tolerance, std::vector<AssumedInput>{});
  auto window = std::make_unique<TwoPassWindow>(std::move(law), limits(0.2), clock_of(spec), setup);
  StepChooser& chooser = window->chooser;
  WindowedScheduler scheduler(spec, std::move(window), threads);
  return finished(scheduler, chooser, spec.until);
}

std::vector<std::vector<double>> run_single(RunSpec spec, int threads, double window) {
  const auto law = defects(spec, 1e-3);
  spec.participants[0].pace = std::make_shared<LawPace>(law, limits(1e-3));
  std::vector<std::vector<double>> rows;
  const auto take = [&](auto& scheduler) {
    scheduler.start();
    while (!scheduler.advance(spec.until, 1.0)) {
    }
    for (Participant& p : scheduler.network().participants) rows.push_back(flatten(p.take_rows()));
  };
  if (window > 0.0) {
    WindowedScheduler scheduler(spec, WindowSpec{window, 2, 0.0}, threads);
    take(scheduler);
  } else {
    Scheduler scheduler(spec, threads);
    take(scheduler);
  }
  return rows;
}

class At final : public Event {
 public:
  explicit At(double time) : time_(time) {}
  double next(double t) const override { return t < time_ - 1e-9 ? time_ : Polynomial::infinity; }

 private:
  double time_;
};

}  // namespace

TEST(all_participants_end_a_step_with_the_pace_of_all) {
  const RunSpec spec = ring(3, 0.01);
  const Outcome made = run_together(spec, defects(spec, 1e-3), limits(1e-4), 1);
  const std::size_t count = made.steps.size() / StepChooser::columns;
  CHECK(count > 20);
  double t = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double* row = &made.steps[k * StepChooser::columns];
    CHECK_CLOSE(t, row[0], 1e-12);
    CHECK(row[4] == 1.0);
    t = row[0] + row[1];
    for (const auto& rows : made.rows) CHECK_CLOSE(t, rows[2 * (k + 1)], 1e-12);
  }
  CHECK_CLOSE(2.0, t, 1e-12);
}

TEST(threads_change_no_bit_of_a_pace) {
  const RunSpec spec = ring(3, 0.01);
  for (double tolerance : {1e-2, 1e-4}) {
    const Outcome one = run_together(spec, defects(spec, tolerance), limits(1e-3), 1);
    const Outcome three = run_together(spec, defects(spec, tolerance), limits(1e-3), 3);
    CHECK(one.rows == three.rows);
  }
  for (const auto method : {TwoPassWindow::Method::predictor_corrector, TwoPassWindow::Method::doubling}) {
    CHECK(run_twice(spec, method, 1e-4, 1).rows == run_twice(spec, method, 1e-4, 3).rows);
  }
  for (double window : {0.0, 0.05, 0.07}) CHECK(run_single(spec, 1, window) == run_single(spec, 3, window));
}

TEST(rejected_steps_leave_nothing_behind) {
  const RunSpec spec = ring(2, 0.01);
  for (const auto method : {TwoPassWindow::Method::predictor_corrector, TwoPassWindow::Method::doubling}) {
    const Outcome made = run_twice(spec, method, 1e-5, 1);
    CHECK(made.rejected > 0);
    double t = 0.0;
    for (std::size_t k = 0; k < made.steps.size() / StepChooser::columns; ++k) {
      const double* row = &made.steps[k * StepChooser::columns];
      CHECK_CLOSE(t, row[0], 1e-12);
      CHECK((row[4] == 0.0) == (row[3] > 1.5));
      if (row[4] == 1.0) t = row[0] + row[1];
    }
    for (const auto& rows : made.rows) {
      for (std::size_t k = 2; k < rows.size(); k += 2) CHECK(rows[k] > rows[k - 2]);
    }
  }
}

TEST(sizes_of_signals_forget_a_first_step_that_was_taken_back) {
  DefectLaw law(1e-2, {{0.0, 0.0, 2, true}}, 0.0);
  law.may_be_taken_back();
  law.propose(0.0, 0.0, 0.0);
  const auto tell = [&](double arrived) {
    const double assumed = 0.0;
    law.arrived({0.1, 0.1, &assumed, &arrived, 0, 1});
    return law.error_of_step(0.1, 0.1).error;
  };
  CHECK_CLOSE(100.0, tell(50.0), 1e-9);  // all of it is wrong, in units of a hundredth of its size
  law.returned_to(0.0);
  CHECK_CLOSE(100.0, tell(1.0), 1e-9);  // a size of 50 would make it 2
}

TEST(a_pace_for_one_hears_of_its_own_inputs_alone) {
  const RunSpec spec = ring(3, 0.01);
  Network network(spec);
  DefectLaw law(1e-2, {{0.0, 0.0, 2, true}, {0.0, 0.0, 2, true}, {0.0, 0.0, 2, true}}, 0.0);
  law.join(network, 1);
  const double assumed = 0.0, arrived = 1.0;
  for (int connection : {0, 2}) law.arrived({0.1, 0.1, &assumed, &arrived, connection, 1});
  CHECK(law.error_of_step(0.1, 0.1).signal == -1);
  law.arrived({0.1, 0.1, &assumed, &arrived, 1, 1});
  CHECK(law.error_of_step(0.1, 0.1).signal == 1);
}

TEST(steps_end_at_events_and_begin_anew) {
  RunSpec spec = ring(2, 0.01);
  spec.events = {std::make_shared<At>(0.777)};
  const Outcome made = run_together(spec, defects(spec, 1e-2), limits(1e-3), 1);
  bool met = false;
  for (std::size_t k = 0; k + 1 < made.steps.size() / StepChooser::columns; ++k) {
    const double* row = &made.steps[k * StepChooser::columns];
    if (row[0] + row[1] != 0.777) continue;
    met = true;
    CHECK(row[StepChooser::columns + 2] == static_cast<double>(StepRule::first));
    CHECK_CLOSE(1e-3, row[StepChooser::columns + 1], 1e-12);
  }
  CHECK(met);
}

namespace {

/// Always wants steps of one length.
class Constant final : public StepLaw {
 public:
  explicit Constant(double length) : length_(length) {}
  StepChoice propose(double, double, double) override { return {length_}; }

 private:
  double length_;
};

}  // namespace

TEST(a_step_that_was_cut_does_not_hold_back_the_next_one) {
  StepLimits given;
  given.growth = 1.5;
  given.alignment = 1.0;
  StepChooser chooser(std::make_shared<Constant>(0.3), given);
  StepClock clock(0.0, 3.0, 0.0, 1e-12);
  std::vector<double> ends;
  constexpr double none = Polynomial::infinity;
  for (double t = chooser.next_end(0.0, 0.0, clock, none, none); t != none;
       t = chooser.next_end(t, t, clock, none, none))
    ends.push_back(t);
  const std::vector<double> expected{0.3, 0.6, 0.9, 1.0, 1.3, 1.6, 1.9, 2.0, 2.3, 2.6, 2.9, 3.0};
  CHECK(ends.size() == expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) CHECK_CLOSE(expected[k], ends[k], 1e-12);
}

TEST(after_a_bend_that_a_source_foresaw_steps_begin_with_an_eighth_of_the_length_before) {
  StepLimits given;
  given.first = 0.01;
  given.growth = 100.0;
  constexpr double none = Polynomial::infinity;
  const auto after = [&](double event, double foreseen) {
    StepChooser chooser(std::make_shared<Constant>(0.4), given);
    StepClock clock(0.0, 3.0, 0.0, 1e-12);
    chooser.next_end(0.0, 0.0, clock, event, foreseen);
    chooser.next_end(0.01, 0.01, clock, event, foreseen);
    CHECK_CLOSE(0.2, chooser.next_end(0.1, 0.1, clock, event, foreseen), 1e-12);
    return chooser.next_end(0.2, 0.2, clock, none, none) - 0.2;
  };
  CHECK_CLOSE(0.4 / 8.0, after(none, 0.2), 1e-12);
  CHECK_CLOSE(0.01, after(0.2, none), 1e-12);
  CHECK_CLOSE(0.01, after(0.2, 0.2), 1e-12);  // whatever else happens there counts
}

TEST(the_controller_settles_where_the_error_is_the_tolerance) {
  // error = (h / 0.01)^2 in units of the tolerance
  double h = 1e-4;
  PiController controller;
  for (int k = 0; k < 60; ++k) h *= std::min(2.0, PiController::factor(controller.tell(std::pow(h / 0.01, 2.0), 2.0)));
  CHECK_CLOSE(0.01, h, 2.5e-3);
}
