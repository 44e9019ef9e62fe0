// Rounds of linear models on memory of their own (fast/sampled_round.hpp) against the same run without them.

#include <cmath>
#include <cstring>
#include <utility>

#include "check.hpp"
#include "coupling/scheduler.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

struct Shape {
  int states = 2, inputs = 2, outputs = 1;
  OdeSolver solver = OdeSolver::ode4;
  bool feedthrough = false;
  bool shows_states = false;
};

/// A stable model whose numbers follow from `seed`.
SubsystemPointer linear_model(const Shape& shape, int seed) {
  const int n = shape.states;
  Matrix a = Matrix::Zero(n, n), b(n, shape.inputs), c(shape.outputs, n), d = Matrix::Zero(shape.outputs, shape.inputs);
  const auto number = [&](int i, int j) { return std::sin(1.0 + 0.7 * i + 1.3 * j + 0.37 * seed); };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a(i, j) = number(i, j) - (i == j ? 2.0 * n : 0.0);
    for (int j = 0; j < shape.inputs; ++j) b(i, j) = number(j, i + 3);
  }
  for (int i = 0; i < shape.outputs; ++i) {
    for (int j = 0; j < n; ++j) c(i, j) = number(i + 5, j);
    for (int j = 0; shape.feedthrough && j < shape.inputs; ++j) d(i, j) = 0.1 * number(i + 7, j);
  }
  auto f = std::make_shared<LinearRightHandSide>(a, b);
  OutputMapPointer g = shape.shows_states ? make_state_output(n) : make_linear_output(c, d);
  return std::make_shared<OdeSubsystem>(f, g, std::vector<double>(n, 1.0 + 0.1 * seed), shape.solver, SolverOptions{});
}

/// A ring in which each hears its neighbours, the one behind it twice; what has no source keeps its constant.
RunSpec ring(const std::vector<Shape>& shapes, const std::vector<ApproximationPointer>& approximations) {
  const int count = static_cast<int>(shapes.size());
  RunSpec spec;
  spec.until = 5.003;  // the last step is shorter
  spec.tolerance = 1e-9;
  for (int i = 0; i < count; ++i) {
    ParticipantSpec p;
    p.subsystem = linear_model(shapes[i], i);
    p.step = 0.01;
    p.constants.assign(shapes[i].inputs, 0.25 + i);
    p.records = i != 1;
    spec.participants.push_back(std::move(p));
    const auto connect = [&](int source, int offset, double gain) {
      ConnectionSpec c;
      c.source = (source + count) % count;
      c.source_offset = spec.connections.size() % 2 == 0 ? 0 : shapes[c.source].outputs - 1;
      c.target = i;
      c.target_offset = offset;
      c.approximation = approximations[spec.connections.size() % approximations.size()];
      c.gain = gain;
      c.offset = gain == 1.0 ? 0.0 : 0.3;
      spec.connections.push_back(c);
    };
    if (shapes[i].inputs > 0) connect(i - 1, 0, 1.0);
    if (shapes[i].inputs > 1) connect(i + 1, 1, -0.5);
    if (shapes[i].inputs > 1) connect(i - 1, 1, 0.2);  // added
  }
  return spec;
}

struct Seen {
  std::vector<double> numbers;
  std::vector<std::vector<double>> states;
};

Seen look(Scheduler& scheduler) {
  Seen seen;
  const auto add = [&](const std::vector<double>& more) {
    seen.numbers.insert(seen.numbers.end(), more.begin(), more.end());
  };
  for (int k = 0; k < scheduler.network().connection_count(); ++k)
    Scheduler::bring_up_to_date(scheduler.network().connection(k));
  for (Participant& p : scheduler.network().participants) add(flatten(p.take_rows()));
  for (Participant& p : scheduler.network().participants) {
    add({p.t, p.t_next, p.horizon, static_cast<double>(p.steps), static_cast<double>(p.history.end())});
    for (Comparison& comparison : p.comparisons) {
      const Defect& d = comparison.defect;
      add({static_cast<double>(d.count()), d.maximum(), d.time_of_maximum(), d.rms(), d.scale(), d.magnitude()});
      add(flatten(comparison.defect.take_rows()));
    }
    if (const auto* model = dynamic_cast<const OdeSubsystem*>(p.subsystem.get())) seen.states.push_back(model->state());
  }
  return seen;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

bool same(const Seen& a, const Seen& b) {
  if (!same_bits(a.numbers, b.numbers) || a.states.size() != b.states.size()) return false;
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    if (!same_bits(a.states[i], b.states[i])) return false;
  }
  return true;
}

enum class Way { definition, without, sampled, when_asked };

Seen run(RunSpec spec, Way way, const std::vector<double>& stops = {}) {
  if (way == Way::definition) spec.fast_paths = fast::Choice::none();
  spec.fast_paths.sampled_rounds = way == Way::sampled || way == Way::when_asked;
  Scheduler scheduler(spec, 1);
  if (way == Way::when_asked) scheduler.compare_when_asked();
  scheduler.start();
  std::vector<double> all = stops;
  all.push_back(spec.until);
  for (double stop : all) {
    while (!scheduler.advance(stop, 1.0)) {
    }
  }
  return look(scheduler);
}

const std::vector<double> stops = {0.004, 0.37, 1.0, 1.05, 4.0, 4.995};

}  // namespace

TEST(sampled_rounds_change_no_bit_whatever_the_models) {
  const std::vector<std::vector<ApproximationPointer>> approximations = {
      {make_lagrange(1)}, {make_hold(HoldSide::behind)}, {make_lagrange(1), make_hold(HoldSide::behind)}};
  const std::vector<std::vector<Shape>> rings = {
      {{}, {}, {}},
      {{1, 1, 1}, {2, 1, 2}, {3, 2, 1}, {4, 3, 2}, {7, 2, 3}, {2, 0, 1}},
      {{2, 2, 1, OdeSolver::ode1}, {2, 1, 1, OdeSolver::ode2}, {2, 2, 1, OdeSolver::ode3}, {5, 2, 2, OdeSolver::ode5}},
      {{2, 2, 2, OdeSolver::ode4, false, true}, {3, 1, 3, OdeSolver::ode1, false, true}, {}},
      {{40, 1, 1}, {}},      // too large
      {{2, 1, 40}, {}, {}},  // and more outputs than are made row by row
  };
  for (const auto& shapes : rings) {
    for (const auto& chosen : approximations) {
      const RunSpec spec = ring(shapes, chosen);
      const Seen defined = run(spec, Way::definition);
      CHECK(defined.numbers.size() > 2000);
      CHECK(same(defined, run(spec, Way::without)));
      CHECK(same(defined, run(spec, Way::sampled)));
      CHECK(same(defined, run(spec, Way::sampled, stops)));
      CHECK(same(defined, run(spec, Way::when_asked)));
      CHECK(same(defined, run(spec, Way::when_asked, stops)));
    }
  }
}

TEST(outputs_that_depend_on_inputs_change_no_bit_in_sampled_rounds) {
  for (OdeSolver solver : {OdeSolver::ode1, OdeSolver::ode4}) {
    std::vector<Shape> shapes(4);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      shapes[i].solver = solver;
      shapes[i].feedthrough = i % 2 == 1;  // no loop: the others have none
    }
    RunSpec spec = ring(shapes, {make_lagrange(1)});
    spec.initial_passes = 3;
    const Seen defined = run(spec, Way::definition);
    CHECK(same(defined, run(spec, Way::sampled, stops)));
  }
}

namespace {

/// dx/dt = u, by Euler; counts its steps on a piece of memory, and fails at a time if it is told to.
class Sampling final : public Subsystem, public SampledStepper {
 public:
  explicit Sampling(double fails_at = Polynomial::infinity) : fails_at_(fails_at) {}
  int input_width() const override { return 1; }
  int output_width() const override { return 1; }
  void start(double) override { x_ = 1.0; }
  double step(double t, double t_end, Inputs& u) override {
    advance(t, t_end, *u.at(t), x_);
    return t_end;
  }
  const double* output(double, Inputs&) override { return &x_; }
  SampledStep sampled_step() override { return {make_step, {0.0}, sizeof(Memory)}; }
  void load(void* memory) override { *static_cast<Memory*>(memory) = {this, x_}; }
  void store(const void* memory, double, double t_end) override {
    x_ = static_cast<const Memory*>(memory)->x;
    stored_at = t_end;
  }
  long sampled_steps = 0;
  double stored_at = 0.0;

 private:
  struct Memory {
    Sampling* model;
    double x;
  };
  static void make_step(void* memory, double t, double t_end, const double* u, double* y) {
    auto& [model, x] = *static_cast<Memory*>(memory);
    ++model->sampled_steps;
    model->advance(t, t_end, *u, x);
    *y = x;
  }
  void advance(double t, double t_end, double u, double& x) const {
    x += (t_end - t) * (0.5 * u - x);
    if (t_end > fails_at_) x = double(NAN);
  }
  double fails_at_;
  double x_ = 0.0;
};

RunSpec sampling_ring(int count, int failing = -1) {
  RunSpec spec;
  spec.until = 5.0;
  spec.tolerance = 1e-9;
  for (int i = 0; i < count; ++i) {
    ParticipantSpec p;
    p.subsystem = std::make_shared<Sampling>(i == failing ? 2.0 + 1e-6 : Polynomial::infinity);
    p.step = 0.01;
    p.constants = {0.0};
    spec.participants.push_back(std::move(p));
    ConnectionSpec c;
    c.source = (i + count - 1) % count;
    c.target = i;
    c.approximation = make_lagrange(1);
    c.gain = 1.0 + 0.1 * i;
    spec.connections.push_back(c);
  }
  return spec;
}

const Sampling& sampling(Scheduler& scheduler, int participant) {
  return dynamic_cast<const Sampling&>(*scheduler.network().participants[participant].subsystem);
}

}  // namespace

TEST(most_steps_of_such_models_are_made_in_sampled_rounds_and_few_rounds_are_not) {
  const RunSpec spec = sampling_ring(5);
  Scheduler scheduler(spec, 1);
  scheduler.start();
  for (int stop = 1; stop <= 20; ++stop) CHECK(scheduler.advance(0.01 * stop, 1.0));
  CHECK(sampling(scheduler, 3).sampled_steps == 0);
  while (!scheduler.advance(spec.until, 1.0)) {
  }
  CHECK(sampling(scheduler, 3).sampled_steps > 400);
  CHECK(sampling(scheduler, 3).sampled_steps < 500);  // some are made by themselves, to be timed
  CHECK_CLOSE(5.0, sampling(scheduler, 3).stored_at, 0.1);
}

TEST(a_failure_in_sampled_rounds_is_the_same_as_one_by_one) {
  std::vector<Seen> seen;
  for (bool sampled : {false, true}) {
    RunSpec spec = sampling_ring(5, 2);
    spec.fast_paths.sampled_rounds = sampled;
    Scheduler scheduler(spec, 1);
    scheduler.compare_when_asked();
    scheduler.start();
    CHECK_THROWS(StepFailure, "NaN", scheduler.advance(spec.until, 1.0));
    CHECK(scheduler.network().failure.participant == 2);
    CHECK_CLOSE(2.0, scheduler.network().failure.start, 1e-12);
    CHECK_CLOSE(2.01, scheduler.network().failure.end, 1e-12);
    CHECK(scheduler.network().participants[1].row_count() == 202);
    CHECK(scheduler.network().participants[2].row_count() == 201);
    CHECK((sampling(scheduler, 0).sampled_steps > 0) == sampled);
    seen.push_back(look(scheduler));
  }
  CHECK(same(seen[0], seen[1]));
}

TEST(constants_that_are_set_reach_sampled_rounds) {
  std::vector<Seen> seen;
  for (bool sampled : {false, true}) {
    RunSpec spec = ring({{2, 3, 1}, {2, 3, 1}, {}}, {make_lagrange(1)});
    spec.fast_paths.sampled_rounds = sampled;
    Scheduler scheduler(spec, 1);
    scheduler.start();
    CHECK(scheduler.advance(1.0, 10.0));
    scheduler.network().participants[0].inputs->set_constant(2, -3.0);
    CHECK(scheduler.advance(spec.until, 10.0));
    seen.push_back(look(scheduler));
  }
  CHECK(same(seen[0], seen[1]));
  RunSpec calm = ring({{2, 3, 1}, {2, 3, 1}, {}}, {make_lagrange(1)});
  CHECK(!same(seen[0], run(calm, Way::sampled)));
}
