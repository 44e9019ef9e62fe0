#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <check.hpp>  // the core's

#include "check.hpp"
#include "models.hpp"
#include "multibody/multibody_subsystem.hpp"
#include "multibody/step_profile.hpp"

using namespace counterpoint;
using namespace counterpoint::multibody;
using namespace counterpoint::testing;

namespace {

Combination point(int offset) {
  Combination made;
  made.dimension = 2;
  made.weights = {{offset, 1.0, 0.0}};
  return made;
}

/// A crank and a coupler of 1 m and 1 kg whose end slides on x; a spring that counts turns, a torque as input.
ModelPointer slider_crank() {
  Parts parts;
  parts.free = 4;
  parts.coordinates = {"B.x", "B.y", "C.x", "C.y", "A.x", "A.y"};
  parts.inputs = 1;
  const auto rod = [&](int a, int b) {
    for (int d : {0, 1}) {
      for (int i : {a, b}) {
        for (int j : {a, b}) parts.mass.push_back({i + d, j + d, i == j ? 1.0 / 3.0 : 1.0 / 6.0});
      }
    }
  };
  rod(4, 0);
  rod(0, 2);
  parts.constant_force = {0.0, -9.81, 0.0, -4.905, 0.0, -4.905};
  const ConstraintBatchPointer bars = make_distances(2, {{4, 0, 1.0}, {0, 2, 1.5}});
  bars->names = {"crank", "coupler"};
  Combination up;
  up.dimension = 2;
  up.constant = {0.0, 1.0, 0.0};
  const ConstraintBatchPointer rail = make_dots({{point(2), up, 0.0, 1.0}});
  rail->names = {"rail"};
  parts.constraints = {bars, rail};
  Combination x, y;
  x.dimension = y.dimension = 2;
  x.constant = {1.0, 0.0, 0.0};
  y.constant = {0.0, 1.0, 0.0};
  const MeasurePointer angle = make_measure(MeasureFunction::angle, {x, point(0)}, {y, point(0)});
  parts.measures = {angle};
  ScalarLaw law;
  law.stiffness = 0.5;
  law.damping = 0.01;
  law.actuator = make_following(0, 1.0);
  parts.forces = {make_scalar_force(angle, law)};
  return std::make_shared<AssembledModel>(std::move(parts));
}

std::unique_ptr<MultibodySubsystem> make(const StepperOptions& options) {
  std::vector<OutputPointer> outputs{make_coordinates_output(4, Motion::acceleration), make_reaction_output(0, 3)};
  MultibodySubsystem::Setup setup;
  setup.q = {1.0, 0.0, 2.5, 0.0, 0.0, 0.0};
  setup.v = {0.0, 6.0, 0.0, 0.0, 0.0, 0.0};
  setup.input_defaults = {0.0};
  auto made = std::make_unique<MultibodySubsystem>(slider_crank(), options, std::move(outputs), std::move(setup));
  made->start(0.0);
  return made;
}

struct Case {
  const char* name;
  StepperOptions options;
};

std::vector<Case> cases() {
  std::vector<Case> made;
  const auto add = [&](const char* name) -> StepperOptions& {
    made.push_back({name, {}});
    made.back().options.system = SystemForm::condensed;
    return made.back().options;
  };
  add("index-3");
  add("index-3 kkt").system = SystemForm::kkt;
  add("hermite").integrator = Integrator::hermite;
  add("carried multipliers").reset_multipliers = false;
  StepperOptions& damped = add("generalised-alpha");
  damped.rule = {.beta = 0.36, .gamma = 0.7, .alpha_m = -0.1, .alpha_f = 0.3};
  damped.project_velocities = damped.project_accelerations = false;
  add("penalty").formulation = Formulation::penalty;
  StepperOptions& substituted = add("fixed point");
  substituted.formulation = Formulation::penalty;
  substituted.iteration = Iteration::fixed_point;
  substituted.max_iterations = 200;
  StepperOptions& rk4 = add("rk4");
  rk4.formulation = Formulation::augmented_lagrangian;
  rk4.integrator = Integrator::rk4;
  return made;
}

}  // namespace

TEST(a_mechanism_restored_goes_on_with_the_same_bits) {
  LoneInputs u(1, std::make_shared<ExactSignal>([](double t) { return t < 0.3 ? 5.0 : -5.0 * t; }));
  for (const Case& c : cases()) {
    for (int steps_before : {0, 1, 2, 150}) {
      auto subsystem = make(c.options);
      double t = 0.0;
      for (int k = 0; k < steps_before; ++k, t += 4e-3) subsystem->step(t, t + 4e-3, u.get());
      const std::unique_ptr<SavedState> saved = subsystem->save();
      const double back = t;
      const auto go_on = [&](MultibodySubsystem& s) {
        std::vector<double> log;
        double time = back;
        for (double h : {4e-3, 4e-3, 1e-3, 1e-3, 2e-3, 4e-3}) {
          s.step(time, time + h, u.get());
          time += h;
          log.insert(log.end(), s.state().q.begin(), s.state().q.end());
          log.insert(log.end(), s.state().v.begin(), s.state().v.end());
          log.insert(log.end(), s.state().memory.begin(), s.state().memory.end());
          const double* y = s.output(time, u.get());
          log.insert(log.end(), y, y + s.output_width());
        }
        return log;
      };
      const std::vector<double> first = go_on(*subsystem);
      subsystem->restore(*saved);
      if (go_on(*subsystem) != first)
        check::fail(__FILE__, __LINE__, std::string(c.name) + ": other bits after restore");
      auto other = make(c.options);
      other->restore(*saved);
      if (go_on(*other) != first)
        check::fail(__FILE__, __LINE__, std::string(c.name) + ": other bits in a second object");
    }
  }
}

TEST(a_step_that_fails_leaves_the_mechanism_as_it_was) {
  LoneInputs u(1, std::make_shared<ExactSignal>([](double) { return 1.0; }));
  StepperOptions options;
  options.system = SystemForm::condensed;
  options.max_iterations = 2;
  auto subsystem = make(options);
  subsystem->step(0.0, 1e-3, u.get());
  const std::vector<double> q = subsystem->state().q, v = subsystem->state().v;
  bool failed = false;
  try {
    subsystem->step(1e-3, 0.5, u.get());
  } catch (const SolverFailure&) {
    failed = true;
  }
  CHECK(failed);
  CHECK(subsystem->state().q == q && subsystem->state().v == v);
  subsystem->step(1e-3, 2e-3, u.get());
}

TEST(rows_of_a_mass_matrix_in_pairs_give_the_same_bits_as_one_by_one) {
  std::vector<std::pair<int, int>> places;
  constexpr int size = 14;
  for (int row = 0; row < size; ++row) {
    for (int column : {row - 2, row, row + 2}) {
      if (column >= 0 && column < size) places.emplace_back(row, column);
    }
  }
  const SparsePattern pattern = SparsePattern::from(size, size, places);
  CHECK(pattern.runs.size() == 3 && pattern.runs[1].in_pairs && pattern.runs[1].rows == size - 4);
  std::vector<double> values(places.size()), x(size), z(size), found(size), in_parts(size);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.0 / (1.0 + static_cast<double>(k));
  for (int i = 0; i < size; ++i) {
    x[i] = std::sin(1.0 + i);
    z[i] = std::cos(1.0 + i);
  }
  multiply_less(pattern, values.data(), x.data(), z.data(), 0.3, found.data());
  for (const auto& [begin, end] : {std::pair{0, 6}, std::pair{6, size}})
    multiply_less(pattern, values.data(), x.data(), z.data(), 0.3, in_parts.data(), begin, end);
  CHECK(found == in_parts);
  for (int row = 0; row < size; ++row) {
    double sum = -z[row];
    for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k) sum += values[k] * x[pattern.column[k]];
    CHECK(found[row] == 0.3 * sum);
  }
}

TEST(a_profile_changes_no_bit_and_counts_what_the_steps_did) {
  LoneInputs u(1, std::make_shared<ExactSignal>([](double t) { return std::cos(5.0 * t); }));
  constexpr int steps = 40;
  for (Case c : cases()) {
    if (c.options.formulation != Formulation::index3) continue;
    auto plain = make(c.options);
    c.options.profile = true;
    auto profiled = make(c.options);
    double t = 0.0;
    for (int k = 0; k < steps; ++k, t += 4e-3) {
      plain->step(t, t + 4e-3, u.get());
      profiled->step(t, t + 4e-3, u.get());
    }
    CHECK(plain->stepper().profile() == nullptr);
    CHECK(plain->state().q == profiled->state().q && plain->state().v == profiled->state().v);
    CHECK(plain->state().a == profiled->state().a && plain->state().multipliers == profiled->state().multipliers);
    const StepProfile& profile = *profiled->stepper().profile();
    const Statistics& done = profiled->statistics();
    const auto count = [&](Phase phase) { return profile.counts[static_cast<std::size_t>(phase)]; };
    const bool projects = c.options.project_velocities;
    CHECK(done.steps == steps && done.iterations > steps);
    CHECK(count(Phase::prediction) == steps && count(Phase::acceptance) == steps);
    CHECK(count(Phase::projection_terms) == (projects ? steps : 0));
    CHECK(count(Phase::projection_solutions) == (projects ? steps : 0));
    // Once more: inputs jump from their defaults when the first step begins.
    CHECK(count(Phase::tangent) == done.factorisations + 1 && count(Phase::factorisation) == count(Phase::tangent));
    CHECK(count(Phase::correction) == done.iterations);
    CHECK(count(Phase::dynamic_terms) == count(Phase::residual) && count(Phase::residual) >= done.iterations);
    CHECK(count(Phase::checks) > 0);
    for (double seconds : profile.seconds) CHECK(seconds >= 0.0);
    profiled->start(0.0);
    CHECK(count(Phase::prediction) == 0);
  }
  CHECK(seconds_per_reading() > 0.0);
}

TEST(formulations_without_a_profile_say_so) {
  StepperOptions options;
  options.formulation = Formulation::penalty;
  options.profile = true;
  CHECK_THROWS(UserError, "only steps of the index-3 formulation have one", make(options));
}
