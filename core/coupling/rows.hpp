#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

namespace counterpoint {

/// A finished piece of a table of doubles.
struct Rows {
  std::unique_ptr<double[]> data;
  std::size_t size = 0;  ///< doubles, not rows
};

/// Grows by rows and gives away what it has; memory is not cleared before it is written.
class RowBuffer {
 public:
  /// Place for `count` more doubles.
  double* extend(std::size_t count) {
    if (size_ + count > capacity_) grow(count);
    double* place = data_.get() + size_;
    size_ += count;
    return place;
  }

  void clear() { size_ = 0; }

  Rows take() {
    Rows rows{std::move(data_), size_};
    expected_ = size_ + size_ / 8;  // the next piece will be about as long
    size_ = capacity_ = 0;
    return rows;
  }

 private:
  void grow(std::size_t count) {
    const std::size_t wanted = std::max({2 * capacity_, expected_, size_ + count, std::size_t{256}});
    std::unique_ptr<double[]> larger(new double[wanted]);
    std::copy_n(data_.get(), size_, larger.get());
    data_ = std::move(larger);
    capacity_ = wanted;
  }

  std::unique_ptr<double[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t expected_ = 0;
};

}  // namespace counterpoint
