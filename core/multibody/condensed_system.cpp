#include <algorithm>

#include "multibody/saddle.hpp"

namespace counterpoint::multibody {

namespace {

/// x from (W + J^T D^-1 J) x = top + J^T D^-1 bottom, then mu = D^-1 (J x - bottom).
class CondensedSystem final : public SaddleSystem {
 public:
  CondensedSystem(const Model& model, const std::string& solver)
      : n_(model.coordinates()), m_(model.equations()), jacobian_(model.jacobian_pattern()), penalty_(m_, 0.0) {
    const SparsePattern& tangent = model.tangent_pattern();
    solver_ = linear::make_solver(solver, pattern(tangent));
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k) {
        tangent_slots_.push_back(solver_->slot(row, tangent.column[k]));
      }
    }
    find_products();
    base_.assign(solver_->values().size(), 0.0);
    J_.resize(jacobian_.entries());
  }

  void set_compliance(const std::vector<double>& compliance) override {
    for (int row = 0; row < m_; ++row) penalty_[row] = 1.0 / compliance[row];
  }

  void factorise(const double* W, bool same_W, const double* J) override {
    if (!same_W || !base_is_set_) set_base(W);
    std::copy(J, J + jacobian_.entries(), J_.begin());
    double* values = solver_->values().data();
    std::copy(base_.begin(), base_.end(), values);
    for (const Product& p : products_) values[p.slot] += penalty_[p.row] * J[p.first] * J[p.second];
    solver_->factorise();
  }

  void solve(double* right) override {
    double* bottom = right + n_;
    for (int row = 0; row < m_; ++row) {
      const double factor = penalty_[row] * bottom[row];
      for (int k = jacobian_.row_start[row]; k < jacobian_.row_start[row + 1]; ++k) {
        if (jacobian_.column[k] < n_) right[jacobian_.column[k]] += J_[k] * factor;
      }
    }
    solver_->solve(right);
    for (int row = 0; row < m_; ++row) {
      double product = 0.0;
      for (int k = jacobian_.row_start[row]; k < jacobian_.row_start[row + 1]; ++k) {
        if (jacobian_.column[k] < n_) product += J_[k] * right[jacobian_.column[k]];
      }
      bottom[row] = penalty_[row] * (product - bottom[row]);
    }
  }

  const linear::Solver& solver() const override { return *solver_; }

 private:
  /// values[slot] += penalty[row] * J[first] * J[second].
  struct Product {
    int row, first, second, slot;
  };

  template <typename Action>
  void for_pairs(Action action) const {
    for (int row = 0; row < m_; ++row) {
      for (int a = jacobian_.row_start[row]; a < jacobian_.row_start[row + 1]; ++a) {
        for (int b = jacobian_.row_start[row]; b < jacobian_.row_start[row + 1]; ++b) {
          if (jacobian_.column[a] < n_ && jacobian_.column[b] < n_) action(row, a, b);
        }
      }
    }
  }

  linear::Pattern pattern(const SparsePattern& tangent) const {
    linear::Pattern p;
    p.size = n_;
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k) p.entries.emplace_back(row, tangent.column[k]);
    }
    for_pairs([&](int, int a, int b) { p.entries.emplace_back(jacobian_.column[a], jacobian_.column[b]); });
    return p;
  }

  void find_products() {
    for_pairs([&](int row, int a, int b) {
      const int i = jacobian_.column[a], j = jacobian_.column[b];
      const int slot = solver_->slot(i, j);
      // A symmetric solver has one place for (i, j) and (j, i): only one of the two adds to it.
      if (i > j && solver_->slot(j, i) == slot) return;
      products_.push_back({row, a, b, slot});
    });
  }

  void set_base(const double* W) {
    std::fill(base_.begin(), base_.end(), 0.0);
    for (std::size_t k = 0; k < tangent_slots_.size(); ++k) base_[tangent_slots_[k]] = W[k];
    base_is_set_ = true;
  }

  int n_, m_;
  const SparsePattern& jacobian_;
  std::vector<double> penalty_;
  linear::SolverPointer solver_;
  std::vector<int> tangent_slots_;
  std::vector<Product> products_;
  std::vector<double> base_, J_;
  bool base_is_set_ = false;
};

}  // namespace

SaddleSystemPointer make_condensed_system(const Model& model, const std::string& solver) {
  return std::make_unique<CondensedSystem>(model, solver);
}

}  // namespace counterpoint::multibody
