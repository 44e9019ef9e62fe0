#include "check.hpp"
#include "coupling/rounds.hpp"
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
std::vector<double> record(const RunSpec& spec, int threads, const std::vector<double>& stops) {
  Scheduler scheduler(spec, threads);
  scheduler.start();
  for (double stop : stops) {
    while (!scheduler.advance(stop, 1.0)) {
    }
  }
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  std::vector<double> all;
  for (Participant& p : scheduler.network().participants) {
    for (double value : flatten(p.take_rows())) all.push_back(value);
    for (Defect& defect : p.defects) {
      for (double value : flatten(defect.take_rows())) all.push_back(value);
      all.insert(all.end(), {static_cast<double>(defect.count()), defect.maximum(), defect.time_of_maximum(), defect.rms(),
                             defect.scale(), defect.magnitude()});
    }
  }
  return all;
}

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
  CHECK(groups_in_step(ring_and_pair(Order::parallel, hold)) == (Groups{{0, 1, 2, 3, 4}, {5, 6}}));
  CHECK(groups_in_step(ring_and_pair(Order::forwards, hold)) == (Groups{{0, 1, 2, 3, 4}, {5, 6}}));
  CHECK(groups_in_step(ring_and_pair(Order::backwards, hold)) == (Groups{{4, 3, 2, 1, 0}, {5, 6}}));
  RunSpec unequal = ring_and_pair(Order::parallel, hold);
  unequal.participants[3].step = 0.02;
  CHECK(groups_in_step(unequal) == (Groups{{5, 6}}));
  unequal.participants[6].step = 0.0;  // at its own pace
  CHECK(groups_in_step(unequal).empty());
}

TEST(rounds_change_no_bit) {
  std::vector<ApproximationPointer> approximations{make_hold(HoldSide::behind), make_hold(HoldSide::ahead), make_hermite(),
                                                   make_taylor(2),              make_transition(2),         make_least_squares(1, 4),
                                                   make_mean(MeanKind::arithmetic)};
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
  CHECK(scheduler.network().failure.subsystem == 1);
  CHECK_CLOSE(1.5, scheduler.network().failure.start, 1e-12);
  std::vector<Participant>& all = scheduler.network().participants;
  CHECK(all[0].row_count() == 5);  // it stepped before the one that failed
  CHECK(all[1].row_count() == 4);
  CHECK(all[2].row_count() == 4);
  CHECK(all[0].defects[0].count() == 3);  // of the last one nothing has arrived for t = 2
  CHECK(all[2].defects[0].count() == 3);
}

TEST(somebody_who_was_moved_from_outside_ends_the_rounds) {
  const RunSpec spec = ring_and_pair(Order::parallel, make_hold(HoldSide::behind));
  Scheduler scheduler(spec, 1);
  scheduler.start();
  while (!scheduler.advance(1.0, 1.0)) {
  }
  Participant& p = scheduler.network().participants[2];
  const double value = 0.5;
  if (p.history.room() < 2) scheduler.network().make_room(2, 64);
  p.publish(1.005, &value);  // between two steps
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  for (const Participant& each : scheduler.network().participants) CHECK(each.t == spec.until);
}
