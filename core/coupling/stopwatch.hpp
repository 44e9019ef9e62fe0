#pragma once

#include <chrono>

namespace counterpoint {

/// Seconds spent in a subsystem. Only some of the cheap steps are timed: reading a clock at each step would cost as
/// much as the step.
class Stopwatch {
 public:
  using clock = std::chrono::steady_clock;
  /// Whether to time this call: the first ones, costly ones, and one of 64.
  bool due() { return --untimed_ < 0; }
  bool costly() const { return costly_; }
  /// Time the next call.
  void wake() { untimed_ = 0; }
  void begin() { begun_ = clock::now(); }
  void end(long steps);
  double seconds(long total_steps) const;

 private:
  bool costly_ = true;  ///< until measured: the first step is made alone
  int untimed_ = 0;     ///< calls before the next that is timed
  long timed_calls_ = 0;
  long timed_steps_ = 0;
  double timed_seconds_ = 0.0;
  clock::time_point begun_;
};

}  // namespace counterpoint
