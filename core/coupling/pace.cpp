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
  return is_marked_ ? next_end_since_mark(t, clock, event) : choose(t, clock, event);
}

double LawPace::choose(double t, StepClock& clock, double event) {
  const double foreseen = known_.next(t + clock.tolerance(), 3.0 * chooser.wanted());
  return end_ = chooser.next_end(t, chooser.start_of_step(), clock, event, foreseen);
}

/// In a repeat the same steps again, up to the end of the window, which may be earlier than before.
[[gnu::noinline]] double LawPace::next_end_since_mark(double t, StepClock& clock, double event) {
  if (repeats_) {
    if (t >= clock.end() - clock.tolerance()) return Polynomial::infinity;
    const auto is_earlier = [](double time, const Made& step) { return time < step.end; };
    const auto next = std::upper_bound(made_.begin(), made_.end(), t + clock.tolerance(), is_earlier);
    if (next != made_.end()) {
      if (next->end > clock.end() - clock.tolerance()) end_at(next, clock.end(), clock.tolerance());
      return next->end;
    }
  }
  const double end = choose(t, clock, event);
  if (end != Polynomial::infinity) made_.push_back({end, chooser.place()});
  return end;
}

/// The last step of the window is this one; those that were made after it do not count.
void LawPace::end_at(std::vector<Made>::iterator step, double end, double tolerance) {
  const bool is_shorter = step->end > end + tolerance;
  if (is_shorter || step + 1 != made_.end()) chooser.go_back(step->chosen);
  if (is_shorter) chooser.end_at(end);
  step->chosen = chooser.place();
  step->end = end;
  made_.erase(step + 1, made_.end());
}

void LawPace::marked() {
  made_.clear();
  if (end_ != Polynomial::infinity) made_.push_back({end_, chooser.place()});
  is_marked_ = true;
  repeats_ = false;
}

}  // namespace counterpoint
