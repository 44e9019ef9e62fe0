#include "coupling/wall_clock.hpp"

#include <algorithm>
#include <thread>

#include "coupling/cancellation.hpp"

namespace counterpoint {

namespace {
constexpr double longest_sleep = 0.01;  ///< s; between two looks whether the run is cancelled
}

void WallClock::begin(int participants) {
  tallies_.assign(static_cast<std::size_t>(participants), {});
  zero_ = clock::now();
}

double WallClock::late(double t) const {
  return std::chrono::duration<double>(clock::now() - zero_).count() - (t - start_) / factor_;
}

bool WallClock::wait(double t, double most) {
  double left = -late(t);
  while (left > 0.0 && most > 0.0) {
    Cancellation::check();
    const double now = std::min({left, most, longest_sleep});
    std::this_thread::sleep_for(std::chrono::duration<double>(now));
    most -= now;
    left = -late(t);
  }
  return left <= 0.0;
}

void WallClock::note(int participant, double t) {
  Tally& tally = tallies_[static_cast<std::size_t>(participant)];
  const double delay = late(t);
  ++tally.steps;
  if (delay <= 0.0) return;
  ++tally.overruns;
  if (delay <= tally.latest) return;
  tally.latest = delay;
  tally.time_of_latest = t;
}

}  // namespace counterpoint
