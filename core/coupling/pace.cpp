#include "coupling/pace.hpp"

#include <algorithm>
#include <sstream>

#include "coupling/failure.hpp"

namespace counterpoint {

double OwnPace::next_end(double t, StepClock& clock, double event) {
  const double preferred = subsystem_.preferred_step();
  if (!(t + preferred > t)) {
    std::ostringstream text;
    text << "proposes a step of " << preferred << " s; give it a fixed step or a positive proposal that moves the time";
    throw StepFailure(Failure::Kind::contract, text.str());
  }
  return clock.next(t, preferred, event);
}

double LawPace::next_end(double t, StepClock& clock, double event) {
  if (repeats_) {
    const auto next = std::upper_bound(ends_.begin(), ends_.end(), t + clock.tolerance());
    if (next != ends_.end()) return *next;
  }
  const double end = chooser.next_end(t, chooser.start_of_step(), clock, event);
  if (is_marked_ && !repeats_ && end != Polynomial::infinity) ends_.push_back(end);
  return end;
}

void LawPace::marked() {
  ends_.clear();
  is_marked_ = true;
  repeats_ = false;
}

}  // namespace counterpoint
