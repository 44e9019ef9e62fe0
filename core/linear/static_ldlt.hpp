#pragma once

#include "linear/block_kernels.hpp"
#include "linear/ordering.hpp"
#include "linear/unroll.hpp"

namespace counterpoint::linear {

/// L D L^T in place, without pivoting: for positive definite and quasi-definite matrices of fixed pattern.
///
/// Columns of L that follow each other and have the same rows (or nearly) form a block. A block of width w lies in one
/// piece: its triangle row by row, with the pivots at the ends of the rows (after factorise: their inverses), then the
/// w values of each row below.
class StaticLdlt final : public Solver {
 public:
  explicit StaticLdlt(const Pattern& pattern);
  StaticLdlt(const StaticLdlt&) = delete;
  StaticLdlt& operator=(const StaticLdlt&) = delete;

  int slot(int row, int column) const override;
  std::span<double> values() override { return values_; }
  void factorise() override;
  void solve(double* b) override;
  void factorise_and_solve(double* b) override;
  void solve_many(double* b, int count) override;
  int unknowns() const override { return static_cast<int>(order_.size()); }
  const char* name() const override { return "static-ldlt"; }
  long long factor_entries() const override { return static_cast<long long>(values_.size()) - 1; }

 private:
  /// Blocks of one shape, where the first of them lies, and the end of the last.
  struct Part {
    Batch batch;
    BlockKernels kernels;
    double* values;
    const std::int32_t* unknowns;
    const std::int32_t* targets;
    const double* values_end;
    const std::int32_t* unknowns_end;
  };

  void make_blocks(const Lists& columns, const std::vector<int>& widths);
  void list_targets();
  void make_parts();
  int width(std::size_t block) const { return first_[block + 1] - first_[block]; }
  int rows(std::size_t block) const { return rows_.start[block + 1] - rows_.start[block]; }
  int place(int row, int column) const;
  COUNTERPOINT_INLINE void eliminate(int kernel, double* b);
  COUNTERPOINT_INLINE void substitute_back(int kernel, double* b) const;
  COUNTERPOINT_INLINE void solve_with(int kernel, double* b) const;
  [[noreturn]] void fail(const double* pivot) const;

  std::vector<Part> parts_;
  std::vector<double> values_;
  std::vector<std::int32_t> unknowns_;  ///< of each block: its own, then those of the rows below
  std::vector<std::int32_t> targets_;   ///< of each block: where the product of rows a and b >= a is subtracted

  // To find the place of an entry:
  std::vector<int> order_, position_;
  std::vector<int> block_of_;  ///< of each column
  std::vector<int> first_;     ///< column of each block; one more at the end
  std::vector<int> start_;     ///< of each block in values_
  Lists rows_;                 ///< below the triangle of each block, ascending
};

}  // namespace counterpoint::linear
