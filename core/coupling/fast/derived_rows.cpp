#include "coupling/fast/derived_rows.hpp"

namespace counterpoint::fast {

void DerivedRows::write(double* out) const {
  const double* row = source_.data.get();
  const double* const end = row + source_.size;
  if (!before_) row += columns_;  // initial outputs were assumed by no step
  double assumed = input_.scaled(before_ ? *before_ : source_.data[1 + input_.column]);
  for (; row != end; row += columns_, out += 3) {
    out[0] = row[0];
    out[1] = assumed;
    out[2] = assumed = input_.scaled(row[1 + input_.column]);
  }
}

void DerivedDefectRows::source_gives(const std::vector<Rows>& blocks, std::size_t columns) {
  for (const Rows& block : blocks) {
    if (block.size == 0) continue;
    DerivedRows made(block, columns, *input_, before_);
    before_ = made.last();
    if (made.count() > 0) blocks_.push_back(std::move(made));
  }
}

std::size_t DerivedDefectRows::count() const {
  std::size_t rows = 0;
  for (const DerivedRows& block : blocks_) rows += block.count();
  return rows;
}

std::vector<DerivedRows> DerivedDefectRows::take(std::size_t compared) {
  taken_ += count();
  for (; taken_ > compared && !blocks_.empty(); --taken_) {
    blocks_.back().drop_last();
    if (blocks_.back().count() == 0) blocks_.pop_back();
  }
  return std::exchange(blocks_, {});
}

std::vector<Rows> DerivedDefectRows::take_made(std::size_t compared) {
  std::vector<Rows> all;
  for (const DerivedRows& block : take(compared)) {
    all.push_back(allocate_rows(3 * block.count()));
    block.write(all.back().data.get());
  }
  return all;
}

}  // namespace counterpoint::fast
