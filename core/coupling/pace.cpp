#include "coupling/pace.hpp"

#include <algorithm>

#include "coupling/failure.hpp"
#include "coupling/network.hpp"
#include "numbers.hpp"

namespace counterpoint {

double OwnPace::next_end(double t, StepClock& clock, double event) {
  const double preferred = subsystem_.preferred_step();
  if (!(t + preferred > t)) {
    Text text;
    text << "proposes a step of " << preferred << " s; give it a fixed step or a positive proposal that moves the time";
    throw StepFailure(Failure::Kind::contract, text.str());
  }
  return clock.next(t, preferred, event);
}

void LawPace::join(const Network& network, int participant) {
  chooser.law().join(network, participant);
  if (!chooser.limits().foresees) return;
  const Participant& own = network.participants[participant];
  known_.add(*own.subsystem);
  for (const Connection& c : own.inputs->connections()) known_.add(*network.participants[c.source].subsystem);
}

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] double LawPace::next_end(double t, StepClock& clock, double event) {
  if (is_marked_) return next_end_since_mark(t, clock, event);
  const double foreseen = known_.next(t + clock.tolerance(), 3.0 * chooser.wanted());
  return chooser.next_end(t, chooser.start_of_step(), clock, event, foreseen);
}

[[gnu::noinline]] double LawPace::next_end_since_mark(double t, StepClock& clock, double event) {
  if (repeats_) {
    const auto next = std::upper_bound(ends_.begin(), ends_.end(), t + clock.tolerance());
    if (next != ends_.end()) return *next;
  }
  const double foreseen = known_.next(t + clock.tolerance(), 3.0 * chooser.wanted());
  const double end = chooser.next_end(t, chooser.start_of_step(), clock, event, foreseen);
  if (!repeats_ && end != Polynomial::infinity) ends_.push_back(end);
  return end;
}

void LawPace::marked() {
  ends_.clear();
  is_marked_ = true;
  repeats_ = false;
}

}  // namespace counterpoint
