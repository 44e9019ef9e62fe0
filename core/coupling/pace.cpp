#include "coupling/pace.hpp"

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

}  // namespace counterpoint
