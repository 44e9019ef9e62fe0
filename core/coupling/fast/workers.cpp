#include "coupling/fast/workers.hpp"

#ifndef _WIN32
#include <unistd.h>
#endif

#include <system_error>

namespace counterpoint::fast {

WorkerPool::WorkerPool(int threads) {
  try {
    for (int k = 1; k < threads; ++k) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work, with the same result.
  }
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(int count, const std::function<void(int)>& work) {
  std::unique_lock<std::mutex> lock(mutex_);
  work_ = &work;
  next_ = 0;
  count_ = unfinished_ = count;
  begin_.notify_all();
  take_items(lock);
  end_.wait(lock, [this] { return unfinished_ == 0; });
  work_ = nullptr;
}

void WorkerPool::serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    begin_.wait(lock, [this] { return closing_ || (work_ != nullptr && next_ < count_); });
    if (closing_) return;
    take_items(lock);
  }
}

void WorkerPool::take_items(std::unique_lock<std::mutex>& lock) {
  while (work_ != nullptr && next_ < count_) {
    const int item = next_++;
    const std::function<void(int)>& work = *work_;
    lock.unlock();
    work(item);
    lock.lock();
    if (--unfinished_ == 0) end_.notify_all();
  }
}

namespace {

long this_process() {
#ifdef _WIN32
  return 0;  // nothing forks
#else
  return ::getpid();
#endif
}

}  // namespace

void WorkerPoolRelease::operator()(WorkerPool* pool) const {
  if (this_process() == owner) delete pool;
}

WorkerPoolPointer make_worker_pool(int threads) {
  return WorkerPoolPointer(new WorkerPool(threads), WorkerPoolRelease{this_process()});
}

}  // namespace counterpoint::fast
