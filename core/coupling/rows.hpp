#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace counterpoint {

/// A piece of a table of doubles.
struct Rows {
  std::shared_ptr<double[]> data;
  std::size_t size = 0;  ///< doubles, not rows
};

/// Memory for that many doubles, not cleared; in huge pages where the system has them, which makes first touching it
/// several times cheaper. Pieces that are smaller than such a page come from a larger one that they share.
Rows allocate_rows(std::size_t doubles);

/// A table that grows by rows, in blocks that are never copied, and gives away what it has.
class RowBuffer {
 public:
  explicit RowBuffer(std::size_t columns) : columns_(columns) {}

  /// Place for `count` more rows, one after another.
  double* extend(std::size_t count = 1) {
    if (static_cast<std::size_t>(end_ - place_) < count * columns_) begin_block(count);
    double* row = place_;
    place_ += count * columns_;
    return row;
  }

  /// Give back the last rows of those that the last call made place for.
  void give_back(std::size_t count) { place_ -= count * columns_; }

  void clear() {
    blocks_.clear();
    place_ = end_ = nullptr;
    taken_ = before_ = 0;
  }

  /// The row written last, to be written again; null when it was given away.
  double* last() { return place_ == nullptr ? nullptr : place_ - columns_; }

  /// Doubles since the beginning, those given away as well.
  std::size_t total() const { return taken_ + kept(); }
  /// Forget the last ones until there are `total` since the beginning; what was given away stays away.
  void shrink(std::size_t total) {
    if (total < this->total()) forget(kept() - (total > taken_ ? total - taken_ : 0));
  }

  std::size_t rows() const { return kept() / columns_; }

  std::vector<Rows> take() {
    taken_ += kept();
    end_block();
    before_ = 0;
    next_ = smallest;
    for (const Rows& rows : blocks_) next_ = std::max(next_, rows.size / columns_);
    return std::exchange(blocks_, {});
  }

 private:
  static constexpr std::size_t smallest = 16;  ///< rows
  static constexpr std::size_t largest_doubles = 1 << 20;

  void begin_block(std::size_t rows);
  void forget(std::size_t doubles);
  std::size_t kept() const {
    return blocks_.empty() ? 0 : before_ + static_cast<std::size_t>(place_ - blocks_.back().data.get());
  }
  /// Leave what is not used of the last block.
  void end_block() {
    before_ = kept();
    if (!blocks_.empty()) blocks_.back().size -= static_cast<std::size_t>(end_ - place_);
    place_ = end_ = nullptr;
  }

  std::size_t columns_;
  std::size_t taken_ = 0;        ///< doubles given away
  std::size_t before_ = 0;       ///< doubles in the blocks before the last
  std::size_t next_ = smallest;  ///< rows of the next block
  double* place_ = nullptr;
  double* end_ = nullptr;  ///< of the last block
  std::vector<Rows> blocks_;
};

}  // namespace counterpoint
