#include <algorithm>

#include "multibody/saddle.hpp"
#include "multibody/step_profile.hpp"

namespace counterpoint::multibody {

namespace {

class KktSystem final : public SaddleSystem {
 public:
  KktSystem(const Model& model, linear::SolverType solver, PhaseClock* clock)
      : n_(model.coordinates()),
        m_(model.equations()),
        jacobian_(model.jacobian_pattern()),
        compliance_(m_, 0.0),
        right_(n_ + m_) {
    const SparsePattern &tangent = model.tangent_pattern(), &jacobian = model.jacobian_pattern();
    solver_ = watched(linear::make_solver(solver, pattern(tangent, jacobian)), clock);
    find_slots(tangent, jacobian);
    base_.assign(solver_->values().size(), 0.0);
  }

  void set_compliance(const std::vector<double>& compliance) override {
    compliance_ = compliance;
    base_is_set_ = false;
  }

  void solve_anew(const double* W, bool same_W, const double* J, double* x, const double* bottom, double* mu) override {
    if (!same_W || !base_is_set_) set_base(W);
    J_ = J;
    double* values = solver_->values().data();
    std::copy(base_.begin(), base_.end(), values);
    const int entries = static_cast<int>(jacobian_slots_.size());
    const int* slots = jacobian_slots_.data();
    for (int k = 0; k < entries; ++k) values[slots[k]] = J[k];
    for (std::size_t k = 0; k < mirrored_slots_.size(); ++k) values[mirrored_slots_[k]] = J[k];
    solver_->factorise();
    solve(x, bottom, mu);
  }

  void solve(double* x, const double* bottom, double* mu) override {
    std::copy_n(x, n_, right_.begin());
    std::copy_n(bottom, m_, right_.begin() + n_);
    solver_->solve(right_.data());
    std::copy_n(right_.begin(), n_, x);
    std::copy_n(right_.begin() + n_, m_, mu);
  }
  void project(const double* x0, const double* x1, double* right, double* multipliers) override {
    double* const bottoms = right + 3 * static_cast<std::size_t>(n_);
    for (int row = 0; row < m_; ++row) {
      double* const bottom = bottoms + 3 * static_cast<std::size_t>(row);
      for (int k = jacobian_.row_start[row]; k < jacobian_.row_start[row + 1]; ++k) {
        bottom[0] += J_[k] * x0[jacobian_.column[k]];
        bottom[1] += J_[k] * x1[jacobian_.column[k]];
      }
    }
    solver_->solve_many(right, 3);
    if (multipliers == nullptr) return;
    for (int row = 0; row < m_; ++row) multipliers[row] -= bottoms[3 * static_cast<std::size_t>(row) + 1];
  }
  const linear::Solver& solver() const override { return *solver_; }
  int room() const override { return n_; }

 private:
  linear::Pattern pattern(const SparsePattern& tangent, const SparsePattern& jacobian) const {
    linear::Pattern p;
    p.size = n_ + m_;
    p.late.assign(n_ + m_, false);
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k)
        p.entries.emplace_back(row, tangent.column[k]);
    }
    for (int row = 0; row < m_; ++row) {
      p.entries.emplace_back(n_ + row, n_ + row);
      p.late[n_ + row] = true;
      for (int k = jacobian.row_start[row]; k < jacobian.row_start[row + 1]; ++k) {
        if (jacobian.column[k] >= n_) continue;
        p.entries.emplace_back(n_ + row, jacobian.column[k]);
        p.entries.emplace_back(jacobian.column[k], n_ + row);
      }
    }
    return p;
  }

  void find_slots(const SparsePattern& tangent, const SparsePattern& jacobian) {
    const int spare = solver_->spare_slot();
    const auto slot = [&](int row, int column) { return solver_->slot(row, column); };
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k) {
        tangent_slots_.push_back(slot(row, tangent.column[k]));
      }
    }
    bool mirrored = false;
    for (int row = 0; row < m_; ++row) {
      diagonal_slots_.push_back(slot(n_ + row, n_ + row));
      for (int k = jacobian.row_start[row]; k < jacobian.row_start[row + 1]; ++k) {
        const int column = jacobian.column[k];
        jacobian_slots_.push_back(column < n_ ? slot(n_ + row, column) : spare);
        mirrored_slots_.push_back(column < n_ ? slot(column, n_ + row) : spare);
        mirrored = mirrored || mirrored_slots_.back() != jacobian_slots_.back();
      }
    }
    if (!mirrored) mirrored_slots_.clear();  // a symmetric solver keeps one of the two
  }

  void set_base(const double* W) {
    std::fill(base_.begin(), base_.end(), 0.0);
    // W is symmetric: where two entries share a slot the second writes the same number.
    for (std::size_t k = 0; k < tangent_slots_.size(); ++k) base_[tangent_slots_[k]] = W[k];
    for (int row = 0; row < m_; ++row) base_[diagonal_slots_[row]] = -compliance_[row];
    base_is_set_ = true;
  }

  int n_, m_;
  const SparsePattern& jacobian_;
  std::vector<double> compliance_, right_;
  const double* J_ = nullptr;  ///< as factorised
  linear::SolverPointer solver_;
  std::vector<int> tangent_slots_, jacobian_slots_, mirrored_slots_, diagonal_slots_;
  std::vector<double> base_;  ///< all values but the Jacobian's
  bool base_is_set_ = false;
};

}  // namespace

SaddleSystemPointer make_kkt_system(const Model& model, linear::SolverType solver, PhaseClock* clock) {
  return std::make_unique<KktSystem>(model, solver, clock);
}

}  // namespace counterpoint::multibody
