#pragma once

#include <chrono>
#include <vector>

namespace counterpoint {

/// Synchronises a run with the wall clock: no step begins before its time.
///
/// An overrun is a step that ends later than its time on the wall clock. The following steps then begin at once to
/// catch up; no step is skipped.
class WallClock {
 public:
  struct Tally {
    long steps = 0;
    long overruns = 0;
    double latest = 0.0;          ///< largest delay of the end of a step, s of wall time
    double time_of_latest = 0.0;  ///< s of the run
  };
  /// `factor` simulated seconds pass per second of wall time, from `start` (s) on.
  WallClock(double factor, double start) : factor_(factor), start_(start) {}

  /// Simulated time and wall time are equal now.
  void begin(int participants);
  /// Wait until the wall clock has reached t, at most `most` (s). Returns whether it has; throws if the run is
  /// cancelled.
  bool wait(double t, double most);
  /// A step of a participant has ended at t.
  void note(int participant, double t);
  const Tally& tally(int participant) const { return tallies_.at(static_cast<std::size_t>(participant)); }

 private:
  using clock = std::chrono::steady_clock;
  double late(double t) const;  ///< s of wall time; negative: early

  double factor_;
  double start_;
  clock::time_point zero_{};
  std::vector<Tally> tallies_;
};

}  // namespace counterpoint
