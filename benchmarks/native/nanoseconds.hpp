#pragma once

#include <chrono>

/// Nanoseconds of one call, over as many calls as take about 0.2 ms.
template <class Work>
double nanoseconds(Work&& work) {
  using Clock = std::chrono::steady_clock;
  for (int count = 1;; count *= 4) {
    const auto begin = Clock::now();
    for (int k = 0; k < count; ++k) work();
    const double passed = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    if (passed > 2e5) return passed / count;
  }
}
