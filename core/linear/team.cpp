#include "linear/team.hpp"

#include <algorithm>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace counterpoint::linear {
namespace {

constexpr int looks = 2000;  ///< before a thread sleeps: a few tens of microseconds
constexpr int most_threads = 8;

void pause() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/// Returns when the value is another one.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t from) {
  for (int look = 0; look < looks; ++look) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != from) return now;
    pause();
  }
  value.wait(from, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

int threads_or_all(int asked) {
  if (asked > 0) return asked;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
}

Team::~Team() {
  if (members_.empty()) return;
  ends_ = true;
  task_.fetch_add(1, std::memory_order_release);
  task_.notify_all();
  for (std::thread& member : members_) member.join();
}

void Team::share(int parts, Call call, const void* context) {
  if (failures_.empty()) {
    failures_.resize(static_cast<std::size_t>(threads_));
    for (int member = 1; member < threads_; ++member) members_.emplace_back([this, member] { be_member(member, 0); });
  }
  parts_ = parts;
  call_ = call;
  context_ = context;
  busy_.store(static_cast<std::uint32_t>(threads_ - 1), std::memory_order_relaxed);
  task_.fetch_add(1, std::memory_order_release);
  task_.notify_all();
  work_on(0);
  for (std::uint32_t left; (left = busy_.load(std::memory_order_acquire)) != 0;) wait_for_change(busy_, left);
  rethrow();
}

void Team::work_on(int member) {
  for (int part = member; part < parts_; part += threads_) {
    try {
      call_(context_, part);
    } catch (...) {
      failures_[static_cast<std::size_t>(member)] = {part, std::current_exception()};
      return;
    }
  }
}

void Team::be_member(int member, std::uint32_t seen) {
  while (true) {
    seen = wait_for_change(task_, seen);
    if (ends_) return;
    work_on(member);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
  }
}

void Team::rethrow() {
  std::exception_ptr first;
  int lowest = 0;
  for (Failure& failure : failures_) {
    if (failure.what && (!first || failure.part < lowest)) {
      first = failure.what;
      lowest = failure.part;
    }
    failure.what = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace counterpoint::linear
