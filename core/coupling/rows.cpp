#include "coupling/rows.hpp"

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace counterpoint {

namespace {

constexpr std::size_t huge_page = 2 << 20;   ///< bytes
constexpr std::size_t shared_piece = 2 * huge_page;
constexpr std::size_t small_piece = 4096;    ///< not worth sharing
constexpr std::size_t alignment = 64;

/// Whole huge pages, or ordinary memory where there are none.
std::shared_ptr<char[]> allocate(std::size_t bytes) {
  void* memory = nullptr;
#ifdef __linux__
  if (bytes >= huge_page) {
    bytes = (bytes + huge_page - 1) / huge_page * huge_page;
    memory = std::aligned_alloc(huge_page, bytes);
    if (memory != nullptr) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: nothing depends on it
  }
#endif
  if (memory == nullptr) memory = std::malloc(bytes);
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
    used_ += bytes;
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

void RowBuffer::shrink(std::size_t total) {
  const std::size_t wanted = total > taken_ ? total - taken_ : 0;
  std::size_t superfluous = rows() > wanted ? rows() - wanted : 0;
  while (superfluous > 0) {
    const std::size_t here = static_cast<std::size_t>(place_ - blocks_.back().data.get()) / columns_;
    const std::size_t dropped = std::min(here, superfluous);
    place_ -= dropped * columns_;
    superfluous -= dropped;
    if (place_ != blocks_.back().data.get()) continue;
    blocks_.pop_back();  // the one before has no room left
    place_ = end_ = blocks_.empty() ? nullptr : blocks_.back().data.get() + blocks_.back().size;
  }
}

void RowBuffer::begin_block(std::size_t count) {
  end_block();
  const std::size_t rows = std::max(count, std::min(next_, std::max(smallest, largest_doubles / columns_)));
  next_ = 2 * rows;
  blocks_.push_back(allocate_rows(rows * columns_));
  place_ = blocks_.back().data.get();
  end_ = place_ + rows * columns_;
}

}  // namespace counterpoint
