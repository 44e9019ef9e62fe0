#include "coupling/stopwatch.hpp"

namespace counterpoint {

namespace {
constexpr double costly_seconds = 20e-6;  ///< a step above this is timed each time
}

void Stopwatch::end(long steps) {
  const double elapsed = std::chrono::duration<double>(clock::now() - begun_).count();
  costly_ = steps > 0 && elapsed > costly_seconds * static_cast<double>(steps);
  ++timed_calls_;
  untimed_ = costly_ || timed_calls_ < 8 ? 0 : 63;
  if (timed_calls_ == 1 && !costly_) return;  // cold caches and first preparations would count for all
  timed_seconds_ += elapsed;
  timed_steps_ += steps;
}

double Stopwatch::seconds(long total_steps) const {
  if (timed_steps_ == 0) return 0.0;
  return timed_seconds_ * static_cast<double>(total_steps) / static_cast<double>(timed_steps_);
}

}  // namespace counterpoint
