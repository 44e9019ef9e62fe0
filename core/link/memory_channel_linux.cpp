// Shared memory: two rings of bytes, each with one writer and one reader.
//
// A counter of bytes written and one of bytes taken, both modulo 2^32, say what is in a ring. A thread that has to wait
// first spins on the counter (the other end may run on another core and answer within microseconds) and then sleeps on
// it (futex) until the other end has moved it.

#include "link/memory_channel.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <new>

#include "link/spinning.hpp"

namespace counterpoint::link {

namespace {

constexpr std::uint32_t capacity = 1u << 18;  ///< bytes in a ring; a power of two, since counters go round
static_assert(std::has_single_bit(capacity));
/// Reads of a counter before the thread sleeps on it: about 10 us. Waking up on a processor that sleeps takes longer
/// than that, above all in a virtual machine. The side that made the memory, most often a master that waits for an
/// answer, therefore spins for about 100 us. In between it yields the processor: two servers may share it.
constexpr int max_spins_of_maker = 5000;
constexpr int max_spins = 500;
constexpr int min_spins = 100;
constexpr int spins_between_yields = 32;
constexpr long sleep_nanoseconds = 50'000'000;  ///< between two checks that the other end is alive
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// A counter in shared memory and whether the other end sleeps on it.
struct alignas(64) Counter {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> sleeps;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

struct Ring {
  Counter written;
  Counter taken;
  char bytes[capacity];
};

struct Segment {
  std::atomic<std::uint32_t> closed[2];
  Ring rings[2];
};

void wake(Counter& counter) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&counter.count), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Move a counter and wake the thread that sleeps on it.
void move(Counter& counter, std::uint32_t to) {
  counter.count.store(to, std::memory_order_seq_cst);
  if (counter.sleeps.load(std::memory_order_seq_cst) != 0) wake(counter);
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

class Mapping {
 public:
  explicit Mapping(int memory) {
    void* const at = ::mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (at == MAP_FAILED) throw_errno("cannot map shared memory");
    segment_ = static_cast<Segment*>(at);
  }
  ~Mapping() { ::munmap(segment_, sizeof(Segment)); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  Segment& operator*() const { return *segment_; }

 private:
  Segment* segment_;
};

/// How the thread that waits for one counter does so.
struct WaitPolicy {
  AdaptiveSpin spin;
  YieldControl yielding;
};

class MemoryChannel final : public Channel {
 public:
  MemoryChannel(int memory, MemorySide side, Descriptor life, std::string peer)
      : mapping_(memory),
        me_(side == MemorySide::maker ? 0 : 1),
        out_((*mapping_).rings[me_]),
        in_((*mapping_).rings[1 - me_]),
        life_(std::move(life)),
        peer_(std::move(peer)),
        for_bytes_{{side == MemorySide::maker ? max_spins_of_maker : max_spins, min_spins}, {}} {}

  ~MemoryChannel() override {
    (*mapping_).closed[me_].store(1, std::memory_order_seq_cst);
    wake(out_.written);
    wake(in_.taken);
  }

  const std::string& peer() const override { return peer_; }

  void write(const void* data, std::size_t size, const Deadline& deadline) override {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
      const std::uint32_t used = inside(written_ - out_.taken.count.load(std::memory_order_acquire));
      const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(size, capacity - used));
      if (count == 0) {
        wait(out_.taken, written_ - capacity, for_room_, deadline);
        continue;
      }
      const std::uint32_t place = written_ % capacity;
      const std::uint32_t first = std::min(count, capacity - place);
      std::memcpy(out_.bytes + place, from, first);
      std::memcpy(out_.bytes, from + first, count - first);
      written_ += count;
      move(out_.written, written_);
      from += count;
      size -= count;
    }
  }

  std::size_t read(void* data, std::size_t most, const Deadline& deadline) override {
    std::uint32_t there = in_.written.count.load(std::memory_order_acquire);
    if (there == taken_) {
      wait(in_.written, taken_, for_bytes_, deadline);
      there = in_.written.count.load(std::memory_order_acquire);
    }
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, inside(there - taken_)));
    const std::uint32_t place = taken_ % capacity;
    const std::uint32_t first = std::min(count, capacity - place);
    char* const to = static_cast<char*>(data);
    std::memcpy(to, in_.bytes + place, first);
    std::memcpy(to + first, in_.bytes, count - first);
    taken_ += count;
    move(in_.taken, taken_);
    return count;
  }

 private:
  /// Our own counters are kept here: the other end can spoil those in the segment, but not what we make of them.
  std::uint32_t inside(std::uint32_t used) const {
    if (used > capacity) throw ChannelClosed("the shared memory is corrupt");
    return used;
  }

  /// Wait until the counter is not what it was.
  void wait(Counter& counter, std::uint32_t seen, WaitPolicy& policy, const Deadline& deadline) {
    policy.yielding.begin_wait();
    for (int spins = policy.spin.spins(); spins > 0; --spins) {
      if (counter.count.load(std::memory_order_acquire) != seen) return policy.spin.note(true);
      if (spins % spins_between_yields != 0 || !policy.yielding.yield()) relax();
    }
    policy.spin.note(false);
    counter.sleeps.store(1, std::memory_order_seq_cst);
    try {
      while (counter.count.load(std::memory_order_seq_cst) == seen) sleep_on(counter, seen, deadline);
    } catch (...) {
      counter.sleeps.store(0, std::memory_order_seq_cst);
      throw;
    }
    counter.sleeps.store(0, std::memory_order_seq_cst);
  }

  void sleep_on(Counter& counter, std::uint32_t seen, const Deadline& deadline) {
    const bool gone = (*mapping_).closed[1 - me_].load(std::memory_order_seq_cst) != 0 || other_end_is_gone();
    if (gone && counter.count.load(std::memory_order_seq_cst) == seen) throw ChannelClosed("the other end is gone");
    if (deadline.passed()) throw ChannelTimeout("no answer in time");
    const timespec length{0, sleep_nanoseconds};
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&counter.count), FUTEX_WAIT, seen, &length, nullptr, 0);
  }

  bool other_end_is_gone() const {
    pollfd life{life_.get(), POLLIN, 0};
    return life_.open() && ::poll(&life, 1, 0) > 0;
  }

  Mapping mapping_;
  int me_;
  Ring& out_;
  Ring& in_;
  Descriptor life_;
  std::string peer_;
  std::uint32_t written_ = 0;
  std::uint32_t taken_ = 0;
  WaitPolicy for_room_{{max_spins, min_spins}, {}};
  WaitPolicy for_bytes_;
};

}  // namespace

Descriptor make_memory() {
  Descriptor memory(::memfd_create("counterpoint-link", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.open()) throw_errno("cannot create shared memory");
  // Zeros are the right beginning of all counters.
  if (::ftruncate(memory.get(), sizeof(Segment)) != 0) throw_errno("cannot create shared memory");
  if (::fcntl(memory.get(), F_ADD_SEALS, seals) != 0) throw_errno("cannot seal shared memory");
  return memory;
}

ChannelPointer open_memory(const Descriptor& memory, MemorySide side, Descriptor life, std::string peer) {
  struct stat state{};
  const bool ours = ::fstat(memory.get(), &state) == 0 && state.st_size == static_cast<off_t>(sizeof(Segment)) &&
                    (::fcntl(memory.get(), F_GET_SEALS) & seals) == seals;
  if (!ours) throw std::runtime_error(peer + ": what it sent is not the shared memory of a link");
  return std::make_unique<MemoryChannel>(memory.get(), side, std::move(life), std::move(peer));
}

}  // namespace counterpoint::link
