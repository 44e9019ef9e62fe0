// What events do to inputs: which one is in force, conditions on samples, and that a state brings it all back.

#include "check.hpp"
#include "coupling/windowed_scheduler.hpp"
#include "models.hpp"

using namespace counterpoint;
using namespace counterpoint::testing;

namespace {

constexpr double tolerance = 1e-9;

InputEventSpec event(double begin, Action::Kind kind, double value, double until = Polynomial::infinity) {
  InputEventSpec made;
  made.begin = begin;
  made.until = until;
  made.action = {kind, {value}, 7, 0.0};
  return made;
}

double disturbed(InputEvents& events, double t, double value) {
  events.begin_step(t);
  if (events.takes_values()) events.disturb(0, &value);
  events.disturb(0, &value);
  return value;
}

}  // namespace

TEST(steps_end_at_the_times_of_events) {
  const TimedEvents times({event(0.5, Action::Kind::set, 1.0, 0.8), event(0.2, Action::Kind::release, 0.0)}, tolerance);
  CHECK(times.next(0.0) == 0.2);
  CHECK(times.next(0.2) == 0.5);
  CHECK(times.next(0.5 - 0.1 * tolerance) == 0.8);
  CHECK(times.next(0.8) == Polynomial::infinity);
}

TEST(the_event_that_began_last_is_in_force_until_it_ends) {
  InputEvents events(tolerance);
  events.add(event(1.0, Action::Kind::set, 5.0), 0, -1, {});
  events.add(event(2.0, Action::Kind::scale, 3.0, 3.0), 1, -1, {});
  events.add(event(4.0, Action::Kind::release, 0.0), 2, -1, {});
  events.start(0.0);
  CHECK(disturbed(events, 0.5, 2.0) == 2.0);
  CHECK(disturbed(events, 1.0, 2.0) == 5.0);
  CHECK(disturbed(events, 2.5, 2.0) == 6.0);
  CHECK(disturbed(events, 3.0, 2.0) == 5.0);
  CHECK(disturbed(events, 4.0, 2.0) == 2.0);
  CHECK(events.records().size() == 4);  // three began, one ended
}

TEST(a_state_brings_back_what_is_stuck_and_what_was_told) {
  InputEvents events(tolerance);
  events.add(event(1.0, Action::Kind::stuck, 0.0), 0, -1, {});
  events.start(0.0);
  CHECK(disturbed(events, 1.0, 2.0) == 2.0);
  InputEvents::State state;
  events.save(state);
  CHECK(disturbed(events, 1.5, 9.0) == 2.0);
  events.start(0.0);
  CHECK(disturbed(events, 1.0, 4.0) == 4.0);
  events.restore(state);
  CHECK(disturbed(events, 1.5, 9.0) == 2.0);
  CHECK(events.records().size() == 1);
}

TEST(noise_depends_on_the_step_and_not_on_how_often_it_is_asked) {
  InputEvents events(tolerance);
  events.add(event(0.0, Action::Kind::noise, 1.0), 0, -1, {});
  events.start(0.0);
  const double first = disturbed(events, 0.1, 0.0);
  CHECK(first != 0.0);
  CHECK(disturbed(events, 0.2, 0.0) != first);
  CHECK(disturbed(events, 0.1 + 1e-12, 0.0) == first);
}

TEST(a_condition_is_looked_at_for_every_sample_up_to_the_step) {
  History history(1, false);
  const double low = 0.0, high = 2.0;
  history.append(0.0, &low, nullptr);
  history.append(0.3, &high, nullptr);
  history.append(0.4, &low, nullptr);
  history.commit();
  InputEvents events(tolerance);
  const int condition = events.add(InputEvents::Condition{{{&history, 0, false}}, make_threshold({1.0}, -1.0, false)});
  InputEventSpec spec = event(0.0, Action::Kind::set, 5.0);
  spec.condition = condition;
  spec.lasting = 1.0;
  events.add(spec, 0, condition, {});
  events.start(0.0);
  CHECK(disturbed(events, 0.2, 1.0) == 1.0);
  CHECK(disturbed(events, 0.5, 1.0) == 5.0);  // it held at 0.3
  CHECK(events.records().front().time == 0.3);
  CHECK(disturbed(events, 1.3, 1.0) == 1.0);
}
