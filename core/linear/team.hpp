#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace counterpoint::linear {

/// Threads that do the parts of a task at once and wait for each other at its end. What parts do must not depend on
/// each other, nor on who does them: then the number of threads changes nothing but the time.
///
/// Threads start with the first task that has parts for them. Between tasks they look for the next one for some tens of
/// microseconds, and sleep after that. A thread takes the same parts of every task, whose data are in its cache, and
/// then those that are still left: the thread that calls does all of them when the others do not come, because the
/// machine has other work. When it has had to wait for one that began and was interrupted, it does the next tasks
/// alone, the more of them the more often it happens.
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
    if (threads_ == 1 || parts == 1 || goes_alone()) {
      for (int part = 0; part < parts; ++part) work(part);
      return;
    }
    share(parts, [](const void* context, int part) { (*static_cast<const Work*>(context))(part); }, &work);
  }

 private:
  using Call = void (*)(const void* context, int part);

  bool goes_alone() { return alone_ > 0 && alone_-- > 0; }
  void share(int parts, Call call, const void* context);
  void publish(int parts);
  int claim(std::uint32_t task, int member);
  void do_parts(std::uint32_t task, int member);
  void be_member(int member);
  void wait_for_all(std::uint32_t parts);
  void rethrow();

  int threads_;
  long alone_ = 0;       ///< tasks that the caller does without the others
  long next_alone_ = 0;  ///< as many the next time
  long in_time_ = 0;     ///< tasks since one of the others was late
  std::atomic<bool> ends_{false};
  Call call_ = nullptr;
  const void* context_ = nullptr;
  std::vector<std::exception_ptr> failures_;  ///< of each part
  std::atomic<std::uint64_t> open_{0};        ///< number of the task, its parts, a bit for each that is taken
  std::atomic<std::uint32_t> task_{0};        ///< number of the task
  std::atomic<std::uint32_t> done_{0};        ///< parts of it
  std::vector<std::thread> members_;          ///< without the one who calls
};

using TeamPointer = std::shared_ptr<Team>;

/// As many threads as the machine has processors, at most eight, for 0; else as many as asked.
int threads_or_all(int asked);

}  // namespace counterpoint::linear
