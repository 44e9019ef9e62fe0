#include "coupling/fast/derived_rows.hpp"

namespace counterpoint::fast {

void DerivedRows::write(double* out) const {
  const double* row = source_.data.get();
  const double* const end = row + source_.size;
  if (assumed_.size > 0) {
    for (const double* assumed = assumed_.data.get(); row != end; row += columns_, out += 3) {
      out[0] = row[0];
      out[1] = *assumed++;
      out[2] = input_.scaled(row[1 + input_.column]);
    }
    return;
  }
  if (!before_) row += columns_;  // initial outputs were assumed by no step
  double assumed = input_.scaled(before_ ? *before_ : source_.data[1 + input_.column]);
  for (; row != end; row += columns_, out += 3) {
    out[0] = row[0];
    out[1] = assumed;
    out[2] = assumed = input_.scaled(row[1 + input_.column]);
  }
}

namespace {

/// The first numbers of a block, which is then shorter; they share its memory.
Rows cut_off(Rows& block, std::size_t doubles) {
  const Rows first{block.data, doubles};
  block = {std::shared_ptr<double[]>(block.data, block.data.get() + doubles), block.size - doubles};
  return first;
}

}  // namespace

void DerivedDefectRows::keep_assumed(std::vector<Rows> blocks) {
  for (Rows& block : blocks) {
    if (block.size > 0) kept_.push_back(std::move(block));
  }
  match();
}

/// Rows of the source and what was assumed come in blocks of different lengths.
void DerivedDefectRows::match() {
  while (!given_.empty() && !kept_.empty()) {
    const std::size_t rows = std::min(given_.front().size / columns_, kept_.front().size);
    Rows given = cut_off(given_.front(), rows * columns_);
    blocks_.emplace_back(std::move(given), columns_, *input_, cut_off(kept_.front(), rows));
    if (given_.front().size == 0) given_.pop_front();
    if (kept_.front().size == 0) kept_.pop_front();
  }
}

void DerivedDefectRows::source_gives(const std::vector<Rows>& blocks, std::size_t columns) {
  columns_ = columns;
  for (Rows block : blocks) {
    if (block.size == 0) continue;
    if (keeps_) {
      if (!past_first_) cut_off(block, columns);
      past_first_ = true;
      if (block.size > 0) given_.push_back(std::move(block));
      continue;
    }
    DerivedRows made(block, columns, *input_, before_);
    before_ = made.last();
    if (made.count() > 0) blocks_.push_back(std::move(made));
  }
}

std::size_t DerivedDefectRows::count() const {
  std::size_t rows = 0;
  for (const DerivedRows& block : blocks_) rows += block.count();
  for (const Rows& block : given_) rows += block.size / columns_;
  return rows;
}

std::vector<DerivedRows> DerivedDefectRows::take(std::size_t compared) {
  for (const DerivedRows& block : blocks_) taken_ += block.count();
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
