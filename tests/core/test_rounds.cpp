#include <utility>

#include "check.hpp"
#include "coupling/abilities.hpp"
#include "coupling/fast/groups.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

ParticipantSpec walker(int inputs, double step, std::vector<int> waits_for = {}) {
  ParticipantSpec spec;
  spec.subsystem = std::make_shared<Walker>(inputs, 1.0 + 0.1 * inputs + step);
  spec.step = step;
  spec.constants.resize(inputs, 0.25);
  spec.waits_for = std::move(waits_for);
  return spec;
}

ConnectionSpec connection(int source, int target, int target_offset, ApproximationPointer approximation) {
  ConnectionSpec spec;
  spec.source = source;
  spec.target = target;
  spec.target_offset = target_offset;
  spec.approximation = std::move(approximation);
  return spec;
}

enum class Order { parallel, forwards, backwards };

/// A ring of five that all listen to both neighbours, and a pair by itself with longer steps.
RunSpec ring_and_pair(Order order, const ApproximationPointer& approximation) {
  RunSpec spec;
  spec.until = 3.03;
  spec.tolerance = 1e-9;
  for (int i = 0; i < 5; ++i) {
    std::vector<int> waits_for;
    for (int j = 0; j < 5; ++j) {
      if ((order == Order::forwards && j < i) || (order == Order::backwards && j > i)) waits_for.push_back(j);
    }
    spec.participants.push_back(walker(2, 0.01, waits_for));
    spec.connections.push_back(connection((i + 4) % 5, i, 0, approximation));
    spec.connections.push_back(connection((i + 1) % 5, i, 1, approximation));
    spec.connections.back().gain = -0.5;
    spec.connections.back().offset = 0.1;
  }
  spec.participants.push_back(walker(1, 0.025));
  spec.participants.push_back(walker(1, 0.025));
  spec.connections.push_back(connection(5, 6, 0, approximation));
  spec.connections.push_back(connection(6, 5, 0, approximation));
  return spec;
}

/// All rows, all defects.
std::vector<double> recorded(Scheduler& scheduler) {
  std::vector<Participant>& participants = scheduler.network().participants;
  std::vector<double> all;
  const auto add = [&](const std::vector<double>& rows) { all.insert(all.end(), rows.begin(), rows.end()); };
  for (Participant& p : participants) add(flatten(p.take_rows()));
  for (Participant& p : participants) {
    for (Comparison& comparison : p.comparisons) {
      Defect& defect = comparison.defect;
      add(flatten(defect.take_rows()));
      add({static_cast<double>(defect.count()), defect.maximum(), defect.time_of_maximum(), defect.rms(),
           defect.scale(), defect.magnitude()});
    }
  }
  return all;
}

std::vector<double> record(const RunSpec& spec, int threads, const std::vector<double>& stops) {
  Scheduler scheduler(spec, threads);
  scheduler.start();
  for (double stop : stops) {
    while (!scheduler.advance(stop, 1.0)) {
    }
  }
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  return recorded(scheduler);
}

/// An oscillator with two inputs and two outputs, Euler's method; it holds its inputs, unless it is not to say so.
class Holding final : public Subsystem, public HeldStepper {
 public:
  enum class Trouble { none, not_finite };
  Holding(double stiffness, bool says_so, Trouble trouble = Trouble::none)
      : stiffness_(stiffness), says_so_(says_so), trouble_(trouble) {}
  int input_width() const override { return 2; }
  int output_width() const override { return 2; }
  void start(double) override { y_[0] = 1.0, y_[1] = 0.0; }
  double step(double t, double t_end, Inputs& u) override {
    advance(t, t_end, u.at(t), y_);
    return t_end;
  }
  const double* output(double, Inputs&) override { return y_; }
  HeldStep held_step() override {
    if (!says_so_) return {};
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
    if (trouble_ == Trouble::not_finite && t_end > 2.0) y_[1] = double(NAN);
    y[0] = y_[0];
    y[1] = y_[1];
  }
  double stiffness_;
  bool says_so_;
  Trouble trouble_;
  double y_[2] = {};
};

RunSpec holding_ring(int count, bool says_so, const ApproximationPointer& approximation) {
  RunSpec spec;
  spec.until = 5.0;
  spec.tolerance = 1e-9;
  for (int i = 0; i < count; ++i) {
    ParticipantSpec p;
    p.subsystem = std::make_shared<Holding>(10.0 + i, says_so);
    p.step = 0.01;
    p.constants.resize(2, 0.0);
    spec.participants.push_back(p);
    for (int j = 0; j < 2; ++j) {
      spec.connections.push_back(connection((i + count - 1) % count, i, j, approximation));
      spec.connections.back().source_offset = j;
    }
    spec.connections.back().gain = 0.5;
    spec.connections.back().offset = 0.01 * i;
  }
  return spec;
}

/// A walker that makes its steps when they are announced, where they are, and then only hands them over.
class Elsewhere final : public Subsystem, public AnnouncedStepper {
 public:
  Elsewhere(int inputs, double x0, std::vector<int>& calls, int number)
      : walker_(inputs, x0), calls_(calls), number_(number) {}
  int input_width() const override { return walker_.input_width(); }
  int output_width() const override { return 1; }
  void start(double t) override { walker_.start(t); }
  void announce(double t, double t_end, Inputs& u) override {
    CHECK(!is_announced_);
    is_announced_ = true;
    announced_ = {t, t_end};
    walker_.step(t, t_end, u);
    calls_.push_back(number_);
  }
  double step(double t, double t_end, Inputs& u) override {
    calls_.push_back(-number_);
    if (!is_announced_) return walker_.step(t, t_end, u);
    is_announced_ = false;
    CHECK(t == announced_.first && t_end == announced_.second);
    return t_end;
  }
  const double* output(double t, Inputs& u) override { return walker_.output(t, u); }

 private:
  Walker walker_;
  std::vector<int>& calls_;
  int number_;
  bool is_announced_ = false;
  std::pair<double, double> announced_;
};

/// Steps of 0.5 s; the outputs become NaN at t = 2 s.
class Breaks final : public Subsystem {
 public:
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override { y_ = 1.0; }
  double step(double, double t_end, Inputs& u) override {
    y_ = t_end >= 2.0 ? double(NAN) : u.at(t_end)[0] + 1.0;
    return t_end;
  }
  const double* output(double, Inputs&) override { return &y_; }

 private:
  double y_ = 0.0;
};

}  // namespace

TEST(those_that_are_connected_and_have_equal_steps_are_groups_and_the_waited_for_come_first) {
  using Groups = std::vector<std::vector<int>>;
  const ApproximationPointer hold = make_hold(HoldSide::behind);
  CHECK(fast::groups_in_step(ring_and_pair(Order::parallel, hold)) == (Groups{{0, 1, 2, 3, 4}, {5, 6}}));
  CHECK(fast::groups_in_step(ring_and_pair(Order::forwards, hold)) == (Groups{{0, 1, 2, 3, 4}, {5, 6}}));
  CHECK(fast::groups_in_step(ring_and_pair(Order::backwards, hold)) == (Groups{{4, 3, 2, 1, 0}, {5, 6}}));
  RunSpec unequal = ring_and_pair(Order::parallel, hold);
  unequal.participants[3].step = 0.02;
  CHECK(fast::groups_in_step(unequal) == (Groups{{5, 6}}));
  unequal.participants[6].step = 0.0;  // at its own pace
  CHECK(fast::groups_in_step(unequal).empty());
}

TEST(rounds_change_no_bit) {
  std::vector<ApproximationPointer> approximations{
      make_hold(HoldSide::behind), make_hold(HoldSide::ahead),     make_hermite(), make_taylor(2), make_transition(2),
      make_least_squares(1, 4),    make_mean(MeanKind::arithmetic)};
  for (int order = 0; order <= 4; ++order) approximations.push_back(make_lagrange(order));
  for (const ApproximationPointer& approximation : approximations) {
    for (Order order : {Order::parallel, Order::forwards, Order::backwards}) {
      const RunSpec spec = ring_and_pair(order, approximation);
      const std::vector<double> one_by_one = record(spec, 2, {});  // with threads there are no rounds
      CHECK(one_by_one == record(spec, 1, {}));
      CHECK(one_by_one == record(spec, 1, {0.004, 0.37, 1.0, 2.995}));
    }
  }
}

TEST(a_failure_within_a_round_names_who_failed_and_keeps_what_came_before) {
  const ApproximationPointer hold = make_hold(HoldSide::behind);
  RunSpec spec;
  spec.until = 5.0;
  spec.tolerance = 1e-9;
  spec.participants = {walker(1, 0.5), walker(1, 0.5), walker(1, 0.5)};
  spec.participants[1].subsystem = std::make_shared<Breaks>();
  for (int i = 0; i < 3; ++i) spec.connections.push_back(connection((i + 2) % 3, i, 0, hold));
  Scheduler scheduler(spec, 1);
  scheduler.start();
  CHECK_THROWS(StepFailure, "NaN", scheduler.advance(spec.until, 1.0));
  CHECK(scheduler.network().failure.participant == 1);
  CHECK_CLOSE(1.5, scheduler.network().failure.start, 1e-12);
  std::vector<Participant>& all = scheduler.network().participants;
  CHECK(all[0].row_count() == 5);  // it stepped before the one that failed
  CHECK(all[1].row_count() == 4);
  CHECK(all[2].row_count() == 4);
  CHECK(all[0].comparisons[0].defect.count() == 3);  // of the last one nothing has arrived for t = 2
  CHECK(all[1].comparisons[0].defect.count() == 3);  // for t = 2 it has assumed nothing
  CHECK(all[2].comparisons[0].defect.count() == 3);
}

TEST(held_rounds_change_no_bit) {
  for (const ApproximationPointer& approximation : {make_hold(HoldSide::behind), make_lagrange(0), make_lagrange(1)}) {
    for (int count : {2, 3, 20}) {
      const std::vector<double> one_by_one = record(holding_ring(count, false, approximation), 1, {});
      CHECK(one_by_one == record(holding_ring(count, false, approximation), 2, {}));
      CHECK(one_by_one == record(holding_ring(count, true, approximation), 1, {}));
      CHECK(one_by_one == record(holding_ring(count, true, approximation), 1, {0.004, 0.37, 1.0, 4.995}));
    }
  }
}

TEST(steps_made_elsewhere_are_sent_off_together_and_change_no_bit) {
  for (const ApproximationPointer& approximation :
       {make_hold(HoldSide::behind), make_lagrange(2), make_transition(1)}) {
    for (Order order : {Order::parallel, Order::forwards}) {
      std::vector<int> calls;
      RunSpec far = ring_and_pair(order, approximation);
      for (int i : {1, 3}) far.participants[i].subsystem = std::make_shared<Elsewhere>(2, 1.0 + 0.2 + 0.01, calls, i);
      const std::vector<double> here = record(ring_and_pair(order, approximation), 1, {});
      CHECK(here == record(far, 1, {}));
      // Who waits for others, or whose inputs depend on the step, is not told beforehand.
      const bool beforehand = order == Order::parallel && !approximation->depends_on_step();
      CHECK((std::vector<int>(calls.begin(), calls.begin() + 4) ==
             (beforehand ? std::vector<int>{1, 3, -1, -3} : std::vector<int>{-1, -3, -1, -3})));
      CHECK(here == record(far, 1, {0.004, 0.37, 1.0, 2.995}));
    }
  }
}

TEST(defect_rows_are_derived_only_from_sources_that_are_recorded) {
  RunSpec spec = holding_ring(3, true, make_hold(HoldSide::behind));
  spec.participants[1].records = false;
  Scheduler scheduler(spec, 1);
  scheduler.start();
  std::vector<Participant>& all = scheduler.network().participants;
  CHECK(all[0].comparisons[0].defect.derived.is_used());  // it listens to the last one
  CHECK(!all[2].comparisons[0].defect.derived.is_used());
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  CHECK(all[1].row_count() == 0);
  CHECK(all[0].row_count() == 501);
  CHECK(all[2].comparisons[0].defect.row_count() == 500);
}

TEST(a_failure_in_held_rounds_is_the_same_as_one_by_one) {
  std::vector<std::vector<double>> seen;
  for (bool says_so : {false, true}) {
    RunSpec spec = holding_ring(5, says_so, make_hold(HoldSide::behind));
    spec.participants[2].subsystem = std::make_shared<Holding>(12.0, says_so, Holding::Trouble::not_finite);
    Scheduler scheduler(spec, 1);
    scheduler.start();
    CHECK_THROWS(StepFailure, "NaN", scheduler.advance(spec.until, 1.0));
    CHECK(scheduler.network().failure.participant == 2);
    CHECK(scheduler.network().failure.port == 1);
    CHECK_CLOSE(2.0, scheduler.network().failure.start, 1e-12);
    CHECK_CLOSE(2.01, scheduler.network().failure.end, 1e-12);
    std::vector<Participant>& all = scheduler.network().participants;
    CHECK(all[1].row_count() == 202);
    CHECK(all[2].row_count() == 201);
    seen.push_back(recorded(scheduler));
  }
  CHECK(seen[0] == seen[1]);
}
