// Places to plug in: a pace, an indicator, an event and a window from outside, without a change of the scheduler.

#include "check.hpp"
#include "coupling/windowed_scheduler.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

ParticipantSpec walker(double step) {
  ParticipantSpec p;
  p.subsystem = std::make_shared<Walker>(1, 1.0 + step);
  p.constants = {0.0};
  p.step = step;
  return p;
}

/// Two that listen to each other and do not wait.
RunSpec pair(double first, double second) {
  RunSpec spec;
  spec.until = 1.0;
  spec.tolerance = 1e-9;
  spec.participants = {walker(first), walker(second)};
  for (int i = 0; i < 2; ++i) {
    ConnectionSpec c;
    c.source = 1 - i;
    c.target = i;
    c.approximation = make_lagrange(1);
    spec.connections.push_back(c);
  }
  return spec;
}

std::vector<std::vector<double>> run(const RunSpec& spec, int threads = 1) {
  Scheduler scheduler(spec, threads);
  scheduler.start();
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  std::vector<std::vector<double>> rows;
  for (Participant& p : scheduler.network().participants) rows.push_back(flatten(p.take_rows()));
  return rows;
}

/// Counts what it is told, and keeps the largest difference per connection.
class Counting final : public Indicator {
 public:
  void arrived(const Arrival& arrival) override {
    ++count[arrival.connection];
    largest[arrival.connection] =
        std::max(largest[arrival.connection], std::abs(arrival.assumed[0] - arrival.arrived[0]));
    CHECK(arrival.t > last[arrival.connection]);
    last[arrival.connection] = arrival.t;
  }
  long count[2] = {};
  double largest[2] = {};
  double last[2] = {-1.0, -1.0};
};

/// Long and short steps in turn.
class Alternating final : public Pace {
 public:
  double next_end(double t, StepClock& clock, double event) override {
    return clock.next(t, published_ % 2 == 0 ? 0.03 : 0.01, event);
  }
  void published(double, const double*) override { ++published_; }
  void arrived(const Arrival&) override { ++told; }
  long told = 0;

 private:
  long published_ = 0;
};

/// A walker that can be taken back.
class Returning final : public Subsystem {
 public:
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override { x_ = 2.0; }
  double step(double t, double t_end, Inputs& u) override {
    x_ += (t_end - t) * (u.at(t)[0] - x_);
    ++steps;
    return t_end;
  }
  const double* output(double, Inputs&) override { return &x_; }
  std::unique_ptr<SavedState> save() const override {
    auto saved = std::make_unique<State>();
    saved->x = x_;
    return saved;
  }
  void restore(const SavedState& state) override { x_ = static_cast<const State&>(state).x; }
  int steps = 0;

 private:
  struct State final : SavedState {
    double x = 0.0;
  };
  double x_ = 0.0;
};

/// Rejects steps that change the output by more than 0.05, and halves them.
class Careful final : public Pace {
 public:
  double next_end(double t, StepClock& clock, double event) override { return clock.next(t, length_, event); }
  bool may_reject() const override { return true; }
  bool accepts(double, double, const double* y) override {
    const bool good = std::abs(y[0] - last_) <= 0.05 || last_ == 0.0;
    if (!good) length_ *= 0.5;
    if (!good) ++rejections;
    return good;
  }
  void published(double, const double* y) override { last_ = y[0]; }
  int rejections = 0;

 private:
  double length_ = 0.4;
  double last_ = 0.0;
};

class EveryThird final : public Event {
 public:
  double next(double t) const override {
    double k = 1.0;
    while (k / 3.0 <= t + 1e-9) k += 1.0;
    return k / 3.0;
  }
  void reached(double t) override { times.push_back(t); }
  std::vector<double> times;
};

/// Windows of changing length, each gone through twice.
class Twice final : public Window {
 public:
  double end_after(double from) override { return from + (++windows % 2 == 0 ? 0.1 : 0.2); }
  bool again(int pass, double, const std::vector<InterfaceSignal>& interface) override {
    CHECK(interface.size() == 2);
    return pass < 1;
  }
  int windows = 0;
};

}  // namespace

TEST(an_indicator_is_told_what_the_defects_are_told) {
  for (double second : {0.05, 0.02}) {  // different steps; together in rounds
    for (bool uses_fast_paths : {true, false}) {
      RunSpec spec = pair(0.02, second);
      spec.fast_paths = uses_fast_paths ? fast::Choice{} : fast::Choice::none();
      const auto counting = std::make_shared<Counting>();
      spec.indicators = {counting};
      Scheduler scheduler(spec, 1);
      scheduler.start();
      while (!scheduler.advance(spec.until, 1.0)) {
      }
      for (int k = 0; k < 2; ++k) {
        const Defect& defect = scheduler.network().connection(k).comparison().defect;
        CHECK(defect.count() > 15);
        CHECK(counting->count[k] == defect.count());
        CHECK(counting->largest[k] == defect.maximum());
      }
    }
  }
}

TEST(an_indicator_changes_no_bit) {
  RunSpec spec = pair(0.02, 0.02);
  const auto alone = run(spec);
  spec.indicators = {std::make_shared<Counting>()};
  CHECK(alone == run(spec));
}

TEST(a_pace_chooses_steps_and_is_told) {
  std::vector<std::vector<double>> seen;
  for (bool uses_fast_paths : {true, false}) {
    for (int threads : {1, 2}) {
      RunSpec spec = pair(0.02, 0.05);
      const auto pace = std::make_shared<Alternating>();
      spec.participants[0].pace = pace;
      spec.fast_paths = uses_fast_paths ? fast::Choice{} : fast::Choice::none();
      const auto rows = run(spec, threads);
      const std::vector<double>& first = rows[0];
      for (std::size_t row = 0; row + 2 < first.size() / 2; ++row) {
        const double step = first[2 * row + 2] - first[2 * row];
        CHECK_CLOSE(row % 2 == 0 ? 0.01 : 0.03, step, 1e-12);
      }
      CHECK_CLOSE(1.0, first[first.size() - 2], 1e-12);
      CHECK(pace->told > 10);
      seen.push_back(first);
      CHECK(seen.front() == first);
    }
  }
}

TEST(a_pace_rejects_steps_of_a_subsystem_that_can_be_taken_back) {
  RunSpec spec = pair(0.02, 0.05);
  const auto model = std::make_shared<Returning>();
  const auto pace = std::make_shared<Careful>();
  spec.participants[0].subsystem = model;
  spec.participants[0].pace = pace;
  const std::vector<double> rows = run(spec)[0];
  CHECK(pace->rejections > 1);
  CHECK(model->steps == static_cast<int>(rows.size() / 2) - 1 + pace->rejections);
  for (std::size_t row = 1; row + 1 < rows.size() / 2; ++row) {
    CHECK(std::abs(rows[2 * row + 1] - rows[2 * row - 1]) <= 0.05);
  }
}

TEST(a_step_of_its_own_length_ends_at_an_event_that_is_told_when_all_have_reached_it) {
  RunSpec spec = pair(0.02, 0.0);
  const auto event = std::make_shared<EveryThird>();
  spec.participants[1].subsystem = std::make_shared<Walker>(1, 1.0, std::vector<double>{0.07});
  spec.events = {event};
  const std::vector<double> rows = run(spec)[1];
  int met = 0;
  for (std::size_t row = 0; row < rows.size() / 2; ++row) {
    for (double time : {1.0 / 3.0, 2.0 / 3.0, 1.0}) met += rows[2 * row] == time;
  }
  CHECK(met == 3);
  CHECK((event->times == std::vector<double>{1.0 / 3.0, 2.0 / 3.0, 1.0}));
}

TEST(a_window_says_where_it_ends_and_how_often_it_is_repeated) {
  RunSpec spec = pair(0.02, 0.05);
  for (ParticipantSpec& p : spec.participants) p.subsystem = std::make_shared<Returning>();
  auto window = std::make_unique<Twice>();
  const Twice& asked = *window;
  WindowedScheduler scheduler(spec, std::move(window), 1);
  scheduler.start();
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  CHECK(asked.windows == 7);  // 0.2, 0.1, 0.2, 0.1, 0.2, 0.1 and what is left
  CHECK(scheduler.tally().windows == 7);
  CHECK(scheduler.tally().passes == 14);
  for (const Participant& p : scheduler.network().participants) CHECK_CLOSE(1.0, p.t, 1e-12);
}
