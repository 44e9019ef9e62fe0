// P A Q = L U by Eigen's SparseLU (supernodal, threshold pivoting), column order by COLAMD, analysed once. The pivots
// are searched anew each time: Eigen has no factorisation that keeps them, and it takes memory for each.

#include <Eigen/SparseLU>

#include "linear/solvers.hpp"
#include "linear/sparse_matrix.hpp"

namespace counterpoint::linear {
namespace {

class SparseLu final : public Solver {
 public:
  explicit SparseLu(const Pattern& pattern) : symmetric_(pattern.symmetric), columns_(columns(full(pattern))) {
    matrix_ = sparse_matrix(columns_);
    if (symmetric_) list_mirrors();
    factor_.analyzePattern(matrix_);
    work_.resize(pattern.size);
  }

  int slot(int row, int column) const override {
    return symmetric_ ? find(columns_, std::max(row, column), std::min(row, column)) : find(columns_, row, column);
  }
  std::span<double> values() override { return values_with_spare(matrix_); }

  void factorise() override {
    double* const values = matrix_.valuePtr();
    for (const auto& [lower, upper] : mirrors_) values[upper] = values[lower];
    if (!matrix_.coeffs().isFinite().all()) throw SingularMatrix("the matrix has entries that are not finite", -1);
    factor_.factorize(matrix_);
    if (factor_.info() != Eigen::Success) throw SingularMatrix("the matrix is singular", -1);
  }

  void solve(double* b) override {
    Eigen::Map<Eigen::VectorXd> x(b, work_.size());
    work_ = factor_.solve(x);
    x = work_;
  }

  int unknowns() const override { return static_cast<int>(work_.size()); }
  const char* name() const override { return "sparse-lu"; }
  long long factor_entries() const override { return factor_.nnzL() + factor_.nnzU(); }

 private:
  void list_mirrors() {
    for (int j = 0; j < matrix_.cols(); ++j) {
      for (int k = columns_.start[j]; k < columns_.start[j + 1]; ++k) {
        const int i = columns_.items[k];
        if (i > j) mirrors_.emplace_back(k, find(columns_, j, i));
      }
    }
  }

  bool symmetric_;
  Lists columns_;
  SparseMatrix matrix_;
  std::vector<std::pair<int, int>> mirrors_;  ///< places of (i, j) and (j, i), i > j; only the first is the caller's
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> factor_;
  Eigen::VectorXd work_;
};

}  // namespace

SolverPointer make_sparse_lu(const Pattern& pattern) { return std::make_unique<SparseLu>(pattern); }

}  // namespace counterpoint::linear
