// Dense solvers for small and for nearly full matrices.
//
// dense-ldlt does not pivot, as the sparse ones: the unknowns stay in their order, the late ones behind the others.
// dense-llt is Eigen's Cholesky factorisation, for positive definite matrices only; dense-lu is its LU with partial
// pivoting.

#include <Eigen/Dense>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "check.hpp"
#include "linear/solvers.hpp"

namespace counterpoint::linear {
namespace {

using Eigen::Index;

std::vector<double> dense_values(const Pattern& pattern) {
  check(pattern);
  const std::size_t size = static_cast<std::size_t>(pattern.size);
  if (size * size >= INT32_MAX) {
    throw std::length_error("a dense matrix of size " + std::to_string(size) + " is too large");
  }
  return std::vector<double>(size * size + 1, 0.0);
}

int dense_slot(int size, int row, int column) {
  if (row < 0 || row >= size || column < 0 || column >= size) {
    internal_error("entry (" + std::to_string(row) + ", " + std::to_string(column) +
                   ") lies outside of a matrix of size " + std::to_string(size));
  }
  return column * size + row;
}

class DenseLdlt final : public Solver {
 public:
  explicit DenseLdlt(const Pattern& pattern) : values_(dense_values(pattern)), size_(pattern.size), position_(size_) {
    if (!pattern.symmetric) internal_error("dense-ldlt needs a symmetric pattern");
    for (int i = 0; i < size_; ++i) order_.push_back(i);
    const auto is_early = [&](int i) { return pattern.late.empty() || !pattern.late[i]; };
    std::ranges::stable_partition(order_, is_early);
    for (int k = 0; k < size_; ++k) position_[order_[k]] = k;
    pivots_.resize(size_);
    scaled_.resize(size_, panel);
    work_.resize(size_);
  }

  int slot(int row, int column) const override {
    const auto [first, second] = std::minmax({position_.at(row), position_.at(column)});
    return dense_slot(size_, second, first);
  }
  std::span<double> values() override { return values_; }

  /// Left-looking, by panels: a panel less the columns before it times their share in its rows, then its own columns.
  void factorise() override {
    Eigen::Map<Eigen::MatrixXd> matrix(values_.data(), size_, size_);
    for (Index first = 0; first < size_; first += panel) {
      const Index width = std::min<Index>(panel, size_ - first);
      if (first > 0) {
        auto share = scaled_.topLeftCorner(first, width);
        share = pivots_.head(first).asDiagonal() * matrix.block(first, 0, width, first).transpose();
        const Index below = size_ - first;
        matrix.block(first, first, below, width).noalias() -= matrix.bottomLeftCorner(below, first) * share;
      }
      for (Index j = first; j < first + width; ++j) eliminate(matrix, first, j);
    }
  }

  void solve(double* b) override {
    const Eigen::Map<const Eigen::MatrixXd> matrix(values_.data(), size_, size_);
    for (int k = 0; k < size_; ++k) work_[k] = b[order_[k]];
    matrix.triangularView<Eigen::UnitLower>().solveInPlace(work_);
    work_.array() *= matrix.diagonal().array();
    matrix.triangularView<Eigen::UnitLower>().transpose().solveInPlace(work_);
    for (int k = 0; k < size_; ++k) b[order_[k]] = work_[k];
  }

  int unknowns() const override { return size_; }
  const char* name() const override { return "dense-ldlt"; }
  long long factor_entries() const override { return static_cast<long long>(size_) * (size_ + 1) / 2; }

 private:
  /// Column j less the columns from `first` on; 1 / pivot replaces the pivot.
  void eliminate(Eigen::Map<Eigen::MatrixXd>& matrix, Index first, Index j) {
    const Index before = j - first;
    auto share = scaled_.col(0).head(before);
    share = pivots_.segment(first, before).cwiseProduct(matrix.row(j).segment(first, before).transpose());
    auto column = matrix.col(j).tail(size_ - j);
    if (before > 0) column.noalias() -= matrix.block(j, first, size_ - j, before) * share;
    pivots_[j] = column[0];
    if (!is_pivot(column[0])) throw_singular(order_[j], column[0]);
    const double inverse = 1.0 / column[0];
    column *= inverse;
    column[0] = inverse;
  }

  static constexpr Index panel = 32;

  std::vector<double> values_;
  int size_;
  std::vector<int> order_, position_;
  Eigen::MatrixXd scaled_;
  Eigen::VectorXd pivots_, work_;
};

class DenseLlt final : public Solver {
 public:
  explicit DenseLlt(const Pattern& pattern) : values_(dense_values(pattern)), size_(pattern.size) {
    if (!pattern.symmetric) internal_error("dense-llt needs a symmetric pattern");
    if (std::ranges::find(pattern.late, true) != pattern.late.end()) {
      throw UserError(
          "linear solver \"dense-llt\" needs a positive definite matrix, and one with multipliers (system = \"kkt\") "
          "is "
          "not: take \"dense-ldlt\"");
    }
  }

  int slot(int row, int column) const override {
    return dense_slot(size_, std::max(row, column), std::min(row, column));
  }
  std::span<double> values() override { return values_; }

  void factorise() override {
    Eigen::Map<Eigen::MatrixXd> matrix(values_.data(), size_, size_);
    const Index failed = Eigen::internal::llt_inplace<double, Eigen::Lower>::blocked(matrix);
    if (failed >= 0) throw_singular(static_cast<int>(failed), matrix(failed, failed));
  }

  void solve(double* b) override {
    const Eigen::Map<const Eigen::MatrixXd> matrix(values_.data(), size_, size_);
    Eigen::Map<Eigen::VectorXd> x(b, size_);
    matrix.triangularView<Eigen::Lower>().solveInPlace(x);
    matrix.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  }

  int unknowns() const override { return size_; }
  const char* name() const override { return "dense-llt"; }
  long long factor_entries() const override { return static_cast<long long>(size_) * (size_ + 1) / 2; }

 private:
  std::vector<double> values_;
  int size_;
};

class DenseLu final : public Solver {
 public:
  explicit DenseLu(const Pattern& pattern)
      : values_(dense_values(pattern)),
        size_(pattern.size),
        symmetric_(pattern.symmetric),
        factor_(size_),
        work_(size_) {}

  int slot(int row, int column) const override {
    if (symmetric_ && row < column) std::swap(row, column);
    return dense_slot(size_, row, column);
  }
  std::span<double> values() override { return values_; }

  void factorise() override {
    Eigen::Map<Eigen::MatrixXd> matrix(values_.data(), size_, size_);
    if (symmetric_) matrix.triangularView<Eigen::StrictlyUpper>() = matrix.transpose();
    factor_.compute(matrix);
    for (int k = 0; k < size_; ++k) {
      const double pivot = factor_.matrixLU()(k, k);
      if (!is_pivot(pivot)) throw_singular(row_at(k), pivot);
    }
  }

  void solve(double* b) override {
    Eigen::Map<Eigen::VectorXd> x(b, size_);
    work_ = factor_.solve(x);
    x = work_;
  }

  int unknowns() const override { return size_; }
  const char* name() const override { return "dense-lu"; }
  long long factor_entries() const override { return static_cast<long long>(size_) * size_; }

 private:
  /// The equation that the exchanges of rows brought to a place.
  int row_at(int place) const {
    const auto& places = factor_.permutationP().indices();
    return static_cast<int>(std::find(places.data(), places.data() + size_, place) - places.data());
  }

  std::vector<double> values_;
  int size_;
  bool symmetric_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
  Eigen::VectorXd work_;
};

}  // namespace

SolverPointer make_dense_ldlt(const Pattern& pattern) { return std::make_unique<DenseLdlt>(pattern); }
SolverPointer make_dense_lu(const Pattern& pattern) { return std::make_unique<DenseLu>(pattern); }

SolverPointer make_dense_llt(const Pattern& pattern) { return std::make_unique<DenseLlt>(pattern); }

}  // namespace counterpoint::linear
