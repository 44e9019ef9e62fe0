#include "coupling/rows.hpp"

#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace counterpoint {

Rows allocate_rows(std::size_t doubles) {
  const std::size_t bytes = std::max<std::size_t>(doubles, 1) * sizeof(double);
  void* memory = nullptr;
#ifdef __linux__
  constexpr std::size_t page = 2 << 20;
  if (bytes >= page) {
    memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (memory != nullptr) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: nothing depends on it
  }
#endif
  if (memory == nullptr) memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  Rows rows;
  rows.data.reset(static_cast<double*>(memory));
  rows.size = doubles;
  return rows;
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
