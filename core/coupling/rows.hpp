#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace counterpoint {

/// A piece of a table of doubles.
struct Rows {
  std::unique_ptr<double[]> data;
  std::size_t size = 0;  ///< doubles, not rows
};

/// A table that grows by rows, in blocks that are never copied, and gives away what it has.
class RowBuffer {
 public:
  explicit RowBuffer(std::size_t columns) : columns_(columns) {}

  /// Place for one more row.
  double* extend() {
    if (left_ == 0) begin_block();
    double* row = place_;
    place_ += columns_;
    --left_;
    return row;
  }

  void clear() {
    blocks_.clear();
    left_ = 0;
  }

  std::vector<Rows> take() {
    if (!blocks_.empty()) blocks_.back().size -= left_ * columns_;
    left_ = 0;
    return std::exchange(blocks_, {});
  }

 private:
  void begin_block() {
    constexpr std::size_t doubles = 1 << 15;
    left_ = columns_ < doubles / 8 ? doubles / columns_ : 8;
    blocks_.push_back({std::unique_ptr<double[]>(new double[left_ * columns_]), left_ * columns_});
    place_ = blocks_.back().data.get();
  }

  std::size_t columns_;
  std::size_t left_ = 0;  ///< rows that fit into the last block
  double* place_ = nullptr;
  std::vector<Rows> blocks_;
};

}  // namespace counterpoint
