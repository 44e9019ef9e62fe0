#pragma once

#include <chrono>
#include <thread>

namespace counterpoint::link {

/// How often to check before the thread sleeps: often when that succeeded the last time, i.e. when the other end has a
/// core of its own and answers soon.
class AdaptiveSpin {
 public:
  AdaptiveSpin(int max_spins, int min_spins) : max_(max_spins), min_(min_spins) {}
  int spins() const { return left_ == 0 ? max_ : min_; }
  void note(bool succeeded) {
    if (succeeded) {
      left_ = 0;
    } else {
      left_ = left_ == 0 ? until_next_try : left_ - 1;
    }
  }

 private:
  static constexpr int until_next_try = 8;  ///< waits with few spins before many are tried again
  int max_;
  int min_;
  int left_ = 0;  ///< waits with few spins left
};

/// Yields the core between spins: with more processes than cores, the one whose answer is awaited may need it. An
/// unrelated process may keep the core for milliseconds, though; after that it does not yield again for a while.
class YieldControl {
 public:
  void begin_wait() { waits_left_ -= waits_left_ > 0; }
  /// False when the last yield took too long.
  bool yield() {
    if (waits_left_ > 0) return false;
    using clock = std::chrono::steady_clock;
    const clock::time_point before = clock::now();
    std::this_thread::yield();
    if (clock::now() - before > longest_yield) waits_left_ = until_next_try;
    return true;
  }

 private:
  static constexpr std::chrono::microseconds longest_yield{500};
  static constexpr int until_next_try = 20'000;  ///< waits: with milliseconds lost each time that is 0.2 us per wait
  int waits_left_ = 0;
};

}  // namespace counterpoint::link
