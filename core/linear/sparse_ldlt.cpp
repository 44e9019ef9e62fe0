// L D L^T by Eigen's SimplicialLDLT (up-looking, no pivoting). The matrix is kept permuted: Eigen then takes it as it
// is, without the copy that it makes when it permutes by itself.

#include <Eigen/SparseCholesky>

#include "check.hpp"
#include "linear/ordering.hpp"
#include "linear/solvers.hpp"
#include "linear/sparse_matrix.hpp"

namespace counterpoint::linear {
namespace {

std::vector<int> approximate_minimum_degree(const Pattern& pattern) {
  const SparseMatrix matrix = sparse_matrix(columns(full(pattern)));  // Eigen takes rows without diagonal for full ones
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(matrix, permutation);
  const auto& order = permutation.indices();
  return {order.data(), order.data() + order.size()};
}

/// Eigen's ordering knows no late unknowns; our own does.
std::vector<int> choose_order(const Pattern& pattern) {
  if (!pattern.symmetric) internal_error("sparse-ldlt needs a symmetric pattern");
  const bool has_late = std::ranges::find(pattern.late, true) != pattern.late.end();
  return has_late ? minimum_degree(pattern) : approximate_minimum_degree(pattern);
}

class SparseLdlt final : public Solver {
 public:
  explicit SparseLdlt(const Pattern& pattern) : order_(choose_order(pattern)), position_(pattern.size) {
    for (int k = 0; k < pattern.size; ++k) position_[order_[k]] = k;
    Pattern upper{pattern.size, {}, false, {}};
    for (const auto& [row, column] : pattern.entries) {
      upper.entries.push_back(std::minmax(position_[row], position_[column]));
    }
    columns_ = columns(upper);
    matrix_ = sparse_matrix(columns_);
    factor_.analyzePattern(matrix_);
    work_.resize(pattern.size);
  }

  int slot(int row, int column) const override {
    const auto [first, second] = std::minmax({position_.at(row), position_.at(column)});
    return find(columns_, first, second);
  }
  std::span<double> values() override { return values_with_spare(matrix_); }

  void factorise() override {
    factor_.factorize(matrix_);
    // Eigen stops at a zero pivot, but not at NaN.
    for (int k = 0; k < work_.size(); ++k) {
      if (!is_pivot(factor_.m_diag[k])) throw_singular(order_[k], factor_.m_diag[k]);
    }
  }

  void solve(double* b) override {
    for (int k = 0; k < work_.size(); ++k) work_[k] = b[order_[k]];
    work_ = factor_.solve(work_);
    for (int k = 0; k < work_.size(); ++k) b[order_[k]] = work_[k];
  }

  int unknowns() const override { return static_cast<int>(work_.size()); }
  const char* name() const override { return "sparse-ldlt"; }
  long long factor_entries() const override { return factor_.m_matrix.nonZeros() + work_.size(); }

 private:
  struct Factor : Eigen::SimplicialLDLT<SparseMatrix, Eigen::Upper, Eigen::NaturalOrdering<int>> {
    using SimplicialCholeskyBase::m_diag;
    using SimplicialCholeskyBase::m_matrix;
  };

  std::vector<int> order_, position_;
  Lists columns_;
  SparseMatrix matrix_;
  Factor factor_;
  Eigen::VectorXd work_;
};

}  // namespace

SolverPointer make_sparse_ldlt(const Pattern& pattern) { return std::make_unique<SparseLdlt>(pattern); }

}  // namespace counterpoint::linear
