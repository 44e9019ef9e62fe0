// Where the rows of results lie: in huge pages, which are kept for later rows.

#include "coupling/rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace counterpoint {

namespace {

constexpr std::size_t huge_page = 2 << 20;  ///< bytes
constexpr std::size_t shared_piece = 2 * huge_page;
constexpr std::size_t small_piece = 4096;  ///< not worth sharing
constexpr std::size_t alignment = 64;

#ifdef __linux__
/// Huge pages that were given back, for the next one that wants as many: new ones have to be cleared by the system
/// first, and in the heap blocks of this size would leave holes that nothing fits into.
class SparePages {
 public:
  SparePages() { spare_.reserve(most_kept / huge_page + 1); }  // to give something back must not fail
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto spare =
        std::find_if(spare_.begin(), spare_.end(), [&](const Block& block) { return block.bytes == bytes; });
    if (spare == spare_.end()) return map(bytes);
    void* const memory = spare->memory;
    kept_ -= bytes;
    spare_.erase(spare);
    return memory;
  }
  void give_back(void* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    spare_.push_back({memory, bytes});
    kept_ += bytes;
    while (kept_ > most_kept) {  // the oldest have waited longest for a request of their size
      ::munmap(spare_.front().memory, spare_.front().bytes);
      kept_ -= spare_.front().bytes;
      spare_.erase(spare_.begin());
    }
  }

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };
  static constexpr std::size_t most_kept = 32 * huge_page;  ///< 64 MB: rows of some million steps

  /// Null when there is no memory.
  static void* map(std::size_t bytes) {
    void* const memory = ::mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    char* const begin = static_cast<char*>(memory);
    const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(memory) % huge_page) % huge_page;
    if (before > 0) ::munmap(begin, before);
    if (before < huge_page) ::munmap(begin + before + bytes, huge_page - before);
    ::madvise(begin + before, bytes, MADV_HUGEPAGE);  // a wish: nothing depends on it
    return begin + before;
  }

  std::mutex mutex_;
  std::size_t kept_ = 0;  ///< bytes
  std::vector<Block> spare_;
};

SparePages& spare_pages() {
  static SparePages& pages = *new SparePages;  // results may be given back after everything else has ended
  return pages;
}
#endif

/// Whole huge pages, or ordinary memory where there are none.
std::shared_ptr<char[]> allocate(std::size_t bytes) {
#ifdef __linux__
  if (bytes >= huge_page) {
    bytes = (bytes + huge_page - 1) / huge_page * huge_page;
    void* const pages = spare_pages().take(bytes);
    if (pages == nullptr) throw std::bad_alloc();
    return {static_cast<char*>(pages), [bytes](char* p) { spare_pages().give_back(p, bytes); }};
  }
#endif
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return {static_cast<char*>(memory), [](char* p) { std::free(p); }};
}

/// What pieces of tables are cut from, one after another; it lives until the last of them is gone.
class SharedMemory {
 public:
  std::shared_ptr<char[]> cut(std::size_t bytes) {
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (used_ + bytes > shared_piece) {
      memory_ = allocate(shared_piece);
      used_ = 0;
    }
    char* piece = memory_.get() + used_;
    // Subsystems that step together write at the same place of their pieces: where pieces are as long as a number of
    // memory pages, these places would share few lines of the first cache.
    used_ += bytes + alignment;
    return {memory_, piece};
  }

 private:
  std::shared_ptr<char[]> memory_;
  std::size_t used_ = shared_piece;
};

}  // namespace

Rows allocate_rows(std::size_t doubles) {
  thread_local SharedMemory shared;
  const std::size_t bytes = std::max<std::size_t>(doubles, 1) * sizeof(double);
  const bool cuts = bytes >= small_piece && bytes < huge_page;
  const std::shared_ptr<char[]> memory = cuts ? shared.cut(bytes) : allocate(bytes);
  return {{memory, reinterpret_cast<double*>(memory.get())}, doubles};
}

}  // namespace counterpoint
