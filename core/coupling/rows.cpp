#include "coupling/rows.hpp"

namespace counterpoint {

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
