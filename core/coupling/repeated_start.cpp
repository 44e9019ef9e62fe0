#include "coupling/repeated_start.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint {

namespace {

constexpr int most_repeats = 16;
constexpr int always_repeated = 5;  ///< the first repeats of a long stretch may change more and more before they agree
constexpr double worth_two_repeats = 0.5;  ///< a repeat that changes more of what the second before did is the last
constexpr double still_agreement = 1e-3;   ///< changes up to here are small, if they get no smaller

/// Largest difference between two passes at samples that both have, relative to the largest value.
double change_of(const InterfaceSignal& signal) {
  const History &now = *signal.now, &before = *signal.before;
  double difference = 0.0, size = 0.0;
  std::size_t other = before.begin();
  for (std::size_t k = now.begin(); k < now.end(); ++k) {
    while (other + 1 < before.end() && before.time(other) < now.time(k)) ++other;
    const double value = now.value(k)[signal.column];
    size = std::max(size, std::abs(value));
    if (before.time(other) != now.time(k)) continue;
    difference = std::max(difference, std::abs(value - before.value(other)[signal.column]));
  }
  return difference > 0.0 ? difference / std::max(size, difference) : 0.0;
}

}  // namespace

bool RepeatedStart::again(int pass, double /*end*/, const std::vector<InterfaceSignal>& interface) {
  if (pass == 0) return true;
  const double two_before = change_before_;
  change_before_ = change_;
  change_ = 0.0;
  for (const InterfaceSignal& signal : interface) change_ = std::max(change_, change_of(signal));
  if (change_ <= tolerance_) return false;
  const bool gains = pass < always_repeated || change_ < worth_two_repeats * two_before;
  if (gains && pass < most_repeats) return true;
  discards_ = !(change_ <= still_agreement);
  return false;
}

void RepeatedStart::report(WindowTally& tally) const {
  tally.not_converged = discards_ ? 1 : 0;
  tally.largest_change = change_;
  tally.time_of_largest = end_;
}

}  // namespace counterpoint
