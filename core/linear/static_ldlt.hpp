#pragma once

#include <cstdint>

#include "linear/ordering.hpp"

namespace counterpoint::linear {

/// L D L^T in place, without pivoting: for positive definite and quasi-definite matrices of fixed pattern.
class StaticLdlt final : public Solver {
 public:
  explicit StaticLdlt(const Pattern& pattern);

  int slot(int row, int column) const override;
  std::span<double> values() override { return values_; }
  void factorise() override;
  void solve(double* b) override;
  const char* name() const override { return "static-ldlt"; }
  long long factor_entries() const override { return static_cast<long long>(values_.size()) - 1; }

 private:
  void list_targets();
  bool targets_are_runs(int column) const;
  [[noreturn]] void fail(int column, double pivot) const;

  int size_;
  Symbolic symbolic_;
  std::vector<double> values_;          ///< column by column: its pivot (after factorise: 1 / pivot), the rows below
  std::vector<std::int32_t> start_;     ///< place of each column's pivot in values_; one more at the end
  std::vector<std::int32_t> unknowns_;  ///< the unknown that each place of values_ multiplies
  std::vector<std::int32_t> targets_;   ///< what the elimination of each column changes, see static_ldlt.cpp
  std::vector<std::uint8_t> kernel_;    ///< how targets_ is to be read for each column
};

}  // namespace counterpoint::linear
