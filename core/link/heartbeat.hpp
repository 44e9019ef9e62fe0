#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "link/frames.hpp"

namespace counterpoint::link {

/// Sends `alive` periodically while it is switched on: this end still runs, though it sends nothing else.
class Heartbeat {
 public:
  Heartbeat(FrameLink& link, double seconds) : thread_([this, &link, seconds] { beat(link, seconds); }) {}
  ~Heartbeat() {
    if (this_process() != process_) {  // a forked copy of this process has no such thread
      thread_.detach();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  void set_on(bool on) { on_.store(on, std::memory_order_relaxed); }

 private:
  void beat(FrameLink& link, double seconds) {
    std::unique_lock lock(mutex_);
    try {
      while (!changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return over_; })) {
        if (on_.load(std::memory_order_relaxed))
          link.send_beside(FrameKind::alive, "", Deadline::in(std::min(seconds, 1.0)));
      }
    } catch (const std::exception&) {  // the other end is gone: who uses the link next will notice
    }
  }

  const int process_ = this_process();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::atomic<bool> on_{false};
  std::thread thread_;
};

}  // namespace counterpoint::link
