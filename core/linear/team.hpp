#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace counterpoint::linear {

/// Threads that do the parts of a task at once and wait for each other at its end. Part p is always done by the same
/// thread, so that its data stay near it. What parts do must not depend on each other: then the number of threads
/// changes nothing but the time.
///
/// Threads start with the first task that has parts for them. Between tasks they look for the next one for some tens of
/// microseconds, and sleep after that.
class Team {
 public:
  explicit Team(int threads) : threads_(threads) {}
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return threads_; }

  /// Calls work(part) for 0 <= part < parts. Throws what the lowest part that failed has thrown.
  template <typename Work>
  void run(int parts, const Work& work) {
    if (threads_ == 1 || parts == 1) {
      for (int part = 0; part < parts; ++part) work(part);
      return;
    }
    share(parts, [](const void* context, int part) { (*static_cast<const Work*>(context))(part); }, &work);
  }

 private:
  using Call = void (*)(const void* context, int part);

  struct Failure {
    int part = 0;
    std::exception_ptr what;
  };

  void share(int parts, Call call, const void* context);
  void work_on(int member);
  void be_member(int member, std::uint32_t seen);
  void rethrow();

  int threads_;
  int parts_ = 0;
  Call call_ = nullptr;
  const void* context_ = nullptr;
  bool ends_ = false;
  std::atomic<std::uint32_t> task_{0};  ///< counts the tasks
  std::atomic<std::uint32_t> busy_{0};  ///< members that have not finished the task
  std::vector<Failure> failures_;       ///< of each member
  std::vector<std::thread> members_;    ///< without the one who calls
};

using TeamPointer = std::shared_ptr<Team>;

/// As many threads as the machine has processors, at most eight, for 0; else as many as asked.
int threads_or_all(int asked);

}  // namespace counterpoint::linear
