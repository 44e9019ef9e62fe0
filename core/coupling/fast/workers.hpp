#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace counterpoint::fast {

/// Threads that share the items of a batch; the caller also works, and waits for the end.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Call work(0) ... work(count - 1), each once, and return when all are done. `work` must not throw.
  void run(int count, const std::function<void(int)>& work);

 private:
  void serve();
  void take_items(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const std::function<void(int)>* work_ = nullptr;
  int next_ = 0;
  int count_ = 0;
  int unfinished_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

/// Only the process that has started the threads may wait for them; a forked process leaves them alone.
struct WorkerPoolRelease {
  long owner = 0;  ///< process
  void operator()(WorkerPool* pool) const;
};
using WorkerPoolPointer = std::unique_ptr<WorkerPool, WorkerPoolRelease>;

WorkerPoolPointer make_worker_pool(int threads);

}  // namespace counterpoint::fast
