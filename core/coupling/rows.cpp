#include "coupling/rows.hpp"

namespace counterpoint {

void RowBuffer::forget(std::size_t doubles) {
  while (doubles > 0) {
    const std::size_t dropped = std::min(static_cast<std::size_t>(place_ - blocks_.back().data.get()), doubles);
    place_ -= dropped;
    doubles -= dropped;
    if (place_ != blocks_.back().data.get()) continue;
    blocks_.pop_back();  // the one before has no room left
    before_ -= blocks_.empty() ? 0 : blocks_.back().size;
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
