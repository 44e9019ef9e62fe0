#include "check.hpp"
#include "coupling/embedded.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

/// A host with one input and one output and an external watcher (step 0.5) whose output is what it saw last.
RunSpec host_and_external(SubsystemPointer external, double step, bool external_waits, ApproximationPointer to_host) {
  RunSpec spec;
  spec.until = Polynomial::infinity;
  spec.tolerance = 1e-9;
  ParticipantSpec host;
  host.subsystem = std::make_shared<HostPorts>(1, 1);
  host.constants = {0.0};
  ParticipantSpec other;
  other.subsystem = std::move(external);
  other.step = step;
  other.constants.resize(other.subsystem->input_width());
  other.may_overrun = true;
  if (external_waits) {
    other.waits_for = {0};
  } else {
    host.waits_for = {1};
  }
  spec.participants = {host, other};
  ConnectionSpec back;
  back.source = 1;
  back.target = 0;
  back.approximation = std::move(to_host);
  spec.connections = {back};
  if (other.subsystem->input_width() > 0) {
    ConnectionSpec forth;
    forth.source = 0;
    forth.target = 1;
    forth.approximation = make_lagrange(1);
    spec.connections.push_back(forth);
  }
  return spec;
}

double time_of_external(EmbeddedInterface& interface) { return interface.network().participants[1].t; }

}  // namespace

TEST(slowest_first_advances_the_external_until_it_has_reached_the_time_asked) {
  EmbeddedInterface interface(
      host_and_external(std::make_shared<Wave>([](double t) { return t; }), 0.5, false, make_lagrange(1)), 0);
  interface.start();
  const double y = 0.0;
  CHECK_CLOSE(0.0, interface.evaluate(0.0, &y, true)[0], 0.0);
  CHECK_CLOSE(0.0, time_of_external(interface), 0.0);  // at t = t_e exactly nothing is advanced
  CHECK_CLOSE(0.1, interface.evaluate(0.1, &y, false)[0], 1e-14);
  CHECK_CLOSE(0.5, time_of_external(interface), 0.0);
  CHECK_CLOSE(0.5, interface.evaluate(0.5, &y, true)[0], 1e-14);
  CHECK_CLOSE(0.5, time_of_external(interface), 0.0);
  CHECK_CLOSE(1.7, interface.evaluate(1.7, &y, true)[0], 1e-14);
  CHECK_CLOSE(2.0, time_of_external(interface), 0.0);
}

TEST(fastest_first_advances_the_external_only_when_the_host_has_passed_the_end_of_its_step) {
  EmbeddedInterface interface(
      host_and_external(std::make_shared<Wave>([](double t) { return t; }), 0.5, true, make_lagrange(0)), 0);
  interface.start();
  const double y = 0.0;
  interface.evaluate(0.0, &y, true);
  CHECK_CLOSE(0.0, interface.evaluate(0.4, &y, true)[0], 0.0);
  CHECK_CLOSE(0.0, interface.evaluate(0.5, &y, true)[0], 0.0);  // t_e + h_e < t is not yet true
  CHECK_CLOSE(0.0, time_of_external(interface), 0.0);
  CHECK_CLOSE(0.5, interface.evaluate(0.6, &y, true)[0], 0.0);
  CHECK_CLOSE(0.5, time_of_external(interface), 0.0);
}

TEST(only_major_steps_of_the_host_enter_its_history) {
  auto watcher = std::make_shared<Watcher>();
  EmbeddedInterface interface(host_and_external(watcher, 0.5, true, make_lagrange(0)), 0);
  interface.start();
  const History& history = interface.network().participants[0].history;
  double y = 1.0;
  interface.evaluate(0.0, &y, true);
  y = 99.0;
  interface.evaluate(0.25, &y, false);
  CHECK(history.end() == 1);
  y = 2.0;
  interface.evaluate(0.5, &y, true);
  CHECK(history.end() == 2);
  CHECK_CLOSE(2.0, history.value(1)[0], 0.0);
  y = 3.0;
  interface.evaluate(0.6, &y, true);  // the external steps to 0.5 with 1 -> 2 and sees 2 at its end
  CHECK(watcher->seen.size() == 1);
  CHECK_CLOSE(2.0, watcher->seen[0], 1e-12);
}

TEST(asking_again_for_the_same_time_gives_the_same_bits) {
  auto walker = std::make_shared<Walker>(1, 1.0);
  EmbeddedInterface interface(host_and_external(walker, 0.3, false, make_lagrange(2)), 0);
  interface.start();
  for (int k = 0; k < 50; ++k) {
    const double t = 0.07 * k;
    const double y = std::sin(t);
    const double first = interface.evaluate(t, &y, true)[0];
    CHECK(first == interface.evaluate(t, &y, false)[0]);
    CHECK(first == interface.evaluate(t, &y, true)[0]);
  }
}

TEST(a_major_step_that_goes_back_is_refused) {
  EmbeddedInterface interface(host_and_external(std::make_shared<Walker>(1, 1.0), 0.5, false, make_lagrange(1)), 0);
  interface.start();
  const double y = 0.0;
  interface.evaluate(0.0, &y, true);
  interface.evaluate(1.0, &y, true);
  CHECK_THROWS(StepFailure, "before the last one", interface.evaluate(0.5, &y, true));
  interface.evaluate(0.9, &y, false);  // a minor one may: Newton iterations, events
}

TEST(nan_from_the_host_is_refused_and_named) {
  EmbeddedInterface interface(host_and_external(std::make_shared<Walker>(1, 1.0), 0.5, false, make_lagrange(1)), 0);
  interface.start();
  double y = 0.0;
  interface.evaluate(0.0, &y, true);
  y = NAN;
  CHECK_THROWS(StepFailure, "NaN", interface.evaluate(0.1, &y, true));
  CHECK(interface.network().failure.participant == 0);
  CHECK(interface.network().failure.port == 0);
}

TEST(a_host_of_ours_integrates_with_inputs_made_on_demand) {
  // x' = u with u = the external's ramp: x = t^2 / 2, exact for ode4 and straight lines.
  Matrix a = Matrix::Zero(1, 1);
  Matrix b = Matrix::Ones(1, 1);
  RunSpec spec = host_and_external(std::make_shared<Wave>([](double t) { return t; }), 0.37, false, make_lagrange(1));
  spec.until = 2.0;
  spec.participants[0].subsystem =
      std::make_shared<OdeSubsystem>(std::make_shared<LinearRightHandSide>(a, b), make_state_output(1),
                                     std::vector<double>{0.0}, OdeSolver::ode4, SolverOptions{});
  spec.participants[0].step = 0.1;
  EmbeddedInterface interface(spec, 0);
  interface.start();
  while (!interface.advance(2.0, 1.0)) {
  }
  const std::vector<double> rows = flatten(interface.network().participants[0].take_rows());
  CHECK(rows.size() == 2 * 21);
  for (std::size_t k = 0; k < rows.size(); k += 2) CHECK_CLOSE(0.5 * rows[k] * rows[k], rows[k + 1], 1e-13);
}

TEST(a_long_embedded_run_keeps_its_histories_short) {
  EmbeddedInterface interface(host_and_external(std::make_shared<Walker>(1, 1.0), 0.5, false, make_lagrange(4)), 0);
  interface.start();
  for (int k = 0; k < 50000; ++k) {
    const double y = std::sin(0.01 * k);
    interface.evaluate(0.01 * k, &y, true);
    if (k % 1000 == 0) interface.network().participants[0].take_rows();
  }
  for (const Participant& p : interface.network().participants)
    CHECK(p.history.end() - p.history.begin() + p.history.room() <= 512);
}

TEST(the_defect_of_an_extrapolating_host_is_taken_when_the_external_arrives) {
  EmbeddedInterface interface(
      host_and_external(std::make_shared<Wave>([](double t) { return t; }), 0.5, true, make_lagrange(0)), 0);
  interface.start();
  const double y = 0.0;
  for (int k = 0; k <= 21; ++k) interface.evaluate(0.1 * k, &y, true);
  const Defect& defect = interface.network().participants[0].comparisons[0].defect;
  CHECK(defect.count() == 4);  // the external has published 0.5, 1, 1.5, 2
  CHECK_CLOSE(0.5, defect.maximum(), 1e-9);
}
