#pragma once

#include <sched.h>

#include <chrono>

namespace counterpoint::link {

/// How often to look before going to sleep: often when that was of use the last time, i.e. when the other end has a
/// core of its own and answers soon.
class Patience {
 public:
  Patience(int most, int fewest) : most_(most), fewest_(fewest) {}
  int looks() const { return left_ == 0 ? most_ : fewest_; }
  void note(bool was_of_use) {
    if (was_of_use) {
      left_ = 0;
    } else {
      left_ = left_ == 0 ? until_next_try : left_ - 1;
    }
  }

 private:
  static constexpr int until_next_try = 8;  ///< waits with few looks before many are tried again
  int most_;
  int fewest_;
  int left_ = 0;  ///< waits with few looks
};

/// Gives the core away between looks, to whoever waits for it: with more processes than cores that may be the one whose
/// answer is waited for. Somebody who has nothing to do with it may keep the core for milliseconds, though: not again
/// soon, then.
class Courtesy {
 public:
  void begin_wait() { waits_left_ -= waits_left_ > 0; }
  /// False when it would not be wise.
  bool yield() {
    if (waits_left_ > 0) return false;
    using clock = std::chrono::steady_clock;
    const clock::time_point before = clock::now();
    ::sched_yield();
    if (clock::now() - before > most) waits_left_ = until_next_try;
    return true;
  }

 private:
  static constexpr std::chrono::microseconds most{500};
  static constexpr int until_next_try = 20'000;  ///< waits: with milliseconds lost each time that is 0.2 us a wait
  int waits_left_ = 0;
};

}  // namespace counterpoint::link
