#include "linear/team.hpp"

#include <algorithm>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace counterpoint::linear {
namespace {

constexpr int looks = 20000;  ///< before a thread sleeps: a few tenths of a millisecond
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

// A task in one word: 32 bits of its number, 16 for its parts, 16 with a bit for each part that is taken.
std::uint64_t packed(std::uint32_t task, std::uint32_t parts) { return std::uint64_t{task} << 32 | parts << 16; }

constexpr long first_alone = 32;
constexpr long most_alone = 512;
constexpr long long_in_time = 1000;  ///< tasks without a late thread, after which trust is restored

}  // namespace

int threads_or_all(int asked) {
  if (asked > 0) return asked;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
}

Team::~Team() {
  if (members_.empty()) return;
  ends_ = true;
  publish(0);
  for (std::thread& member : members_) member.join();
}

void Team::share(int parts, Call call, const void* context) {
  while (static_cast<int>(members_.size()) + 1 < std::min(threads_, parts))
    members_.emplace_back([this, member = static_cast<int>(members_.size()) + 1] { be_member(member); });
  if (failures_.size() < static_cast<std::size_t>(parts)) failures_.resize(static_cast<std::size_t>(parts));
  call_ = call;
  context_ = context;
  done_.store(0, std::memory_order_relaxed);
  publish(parts);
  do_parts(task_.load(std::memory_order_relaxed), 0);
  wait_for_all(static_cast<std::uint32_t>(parts));
  rethrow();
}

void Team::publish(int parts) {
  const std::uint32_t task = task_.load(std::memory_order_relaxed) + 1;
  open_.store(packed(task, static_cast<std::uint32_t>(parts)), std::memory_order_release);
  task_.store(task, std::memory_order_release);
  task_.notify_all();
}

/// A part of the task that is not taken, or -1: a thread's own parts first, whose data are in its cache. As long as a
/// part that was taken is not done, the task stays.
int Team::claim(std::uint32_t task, int member) {
  std::uint64_t open = open_.load(std::memory_order_acquire);
  while (true) {
    const int parts = static_cast<int>(open >> 16 & 0xffff);
    if (open >> 32 != task) return -1;
    int found = -1;
    for (int part = 0; part < parts; ++part) {
      if (open >> part & 1) continue;
      found = part;
      if (part % threads_ == member) break;
    }
    if (found < 0) return -1;
    const std::uint64_t taken = open | std::uint64_t{1} << found;
    if (open_.compare_exchange_weak(open, taken, std::memory_order_acq_rel, std::memory_order_acquire)) return found;
  }
}

void Team::do_parts(std::uint32_t task, int member) {
  for (int part; (part = claim(task, member)) >= 0;) {
    try {
      call_(context_, part);
    } catch (...) {
      failures_[static_cast<std::size_t>(part)] = std::current_exception();
    }
    done_.fetch_add(1, std::memory_order_acq_rel);
    done_.notify_one();
  }
}

void Team::be_member(int member) {
  for (std::uint32_t seen = 0;;) {
    seen = wait_for_change(task_, seen);
    if (ends_) return;
    do_parts(seen, member);
  }
}

void Team::wait_for_all(std::uint32_t parts) {
  bool late = false;
  for (std::uint32_t done; (done = done_.load(std::memory_order_acquire)) != parts;) {
    for (int look = 0; look < looks && done_.load(std::memory_order_acquire) == done; ++look) pause();
    if (done_.load(std::memory_order_acquire) != done) continue;
    late = true;
    done_.wait(done, std::memory_order_acquire);
  }
  if (late) {
    alone_ = next_alone_ = std::clamp(2 * next_alone_, first_alone, most_alone);
    in_time_ = 0;
  } else if (++in_time_ == long_in_time) {
    next_alone_ = 0;
  }
}

void Team::rethrow() {
  std::exception_ptr first;
  for (std::size_t part = failures_.size(); part-- > 0;) {
    if (failures_[part]) first = failures_[part];
    failures_[part] = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace counterpoint::linear
