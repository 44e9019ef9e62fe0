#include <algorithm>
#include <array>

#include "multibody/saddle.hpp"

namespace counterpoint::multibody {

namespace {

/// Rows of the Jacobian with the same number of free entries, one after another.
struct Run {
  int rows = 0;
  int entries = 0;  ///< a row
};

/// values += p J^T J for the rows of a run; `slots` lists the lower triangles of their products.
template <int fixed_entries>
void add_products(const Run& run, const double* penalty, const double* J, const int* slots, double* values) {
  const int entries = fixed_entries > 0 ? fixed_entries : run.entries;
  for (int row = 0; row < run.rows; ++row, J += entries) {
    for (int a = 0; a < entries; ++a) {
      const double scaled = penalty[row] * J[a];
      for (int b = 0; b <= a; ++b) values[*slots++] += scaled * J[b];
    }
  }
}

/// x from (W + J^T D^-1 J) x = top + J^T D^-1 bottom, then mu = D^-1 (J x - bottom).
class CondensedSystem final : public SaddleSystem {
 public:
  CondensedSystem(const Model& model, const std::string& solver)
      : n_(model.coordinates()), m_(model.equations()), penalty_(m_, 0.0) {
    list_free_entries(model.jacobian_pattern());
    const SparsePattern& tangent = model.tangent_pattern();
    solver_ = linear::make_solver(solver, pattern(tangent));
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k) {
        tangent_slots_.push_back(solver_->slot(row, tangent.column[k]));
      }
    }
    list_product_slots();
    base_.assign(solver_->values().size(), 0.0);
    J_.resize(places_.size());
  }

  void set_compliance(const std::vector<double>& compliance) override {
    for (int row = 0; row < m_; ++row) penalty_[row] = 1.0 / compliance[row];
  }

  void factorise(const double* W, bool same_W, const double* J) override {
    if (!same_W || !base_is_set_) set_base(W);
    for (std::size_t k = 0; k < places_.size(); ++k) J_[k] = J[places_[k]];
    double* values = solver_->values().data();
    std::copy(base_.begin(), base_.end(), values);
    add_all_products(values);
    solver_->factorise();
  }

  void solve(double* right, int count) override {
    if (count == 1) return solve_together<1>(right);
    if (count == 3) return solve_together<3>(right);
    solve_together<2>(right);
  }

  const linear::Solver& solver() const override { return *solver_; }

 private:
  void list_free_entries(const SparsePattern& jacobian) {
    row_start_.push_back(0);
    for (int row = 0; row < m_; ++row) {
      for (int k = jacobian.row_start[row]; k < jacobian.row_start[row + 1]; ++k) {
        if (jacobian.column[k] >= n_) continue;
        places_.push_back(k);
        columns_.push_back(jacobian.column[k]);
      }
      row_start_.push_back(static_cast<int>(places_.size()));
      const int entries = row_start_[row + 1] - row_start_[row];
      if (runs_.empty() || runs_.back().entries != entries) runs_.push_back({0, entries});
      ++runs_.back().rows;
    }
  }

  linear::Pattern pattern(const SparsePattern& tangent) const {
    linear::Pattern p;
    p.size = n_;
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k) p.entries.emplace_back(row, tangent.column[k]);
    }
    for (int row = 0; row < m_; ++row) {
      for (int a = row_start_[row]; a < row_start_[row + 1]; ++a) {
        for (int b = row_start_[row]; b <= a; ++b) p.entries.emplace_back(columns_[a], columns_[b]);
      }
    }
    return p;
  }

  void list_product_slots() {
    for (int row = 0; row < m_; ++row) {
      for (int a = row_start_[row]; a < row_start_[row + 1]; ++a) {
        for (int b = row_start_[row]; b <= a; ++b) product_slots_.push_back(solver_->slot(columns_[a], columns_[b]));
      }
    }
  }

  void add_all_products(double* values) const {
    const double *J = J_.data(), *penalty = penalty_.data();
    const int* slots = product_slots_.data();
    for (const Run& run : runs_) {
      // The number of entries of a rod in the plane with one end fixed and with none, and the same in space.
      switch (run.entries) {
        case 2: add_products<2>(run, penalty, J, slots, values); break;
        case 3: add_products<3>(run, penalty, J, slots, values); break;
        case 4: add_products<4>(run, penalty, J, slots, values); break;
        case 6: add_products<6>(run, penalty, J, slots, values); break;
        default: add_products<0>(run, penalty, J, slots, values); break;
      }
      penalty += run.rows;
      J += run.rows * run.entries;
      slots += run.rows * (run.entries * (run.entries + 1) / 2);
    }
  }

  template <int count>
  void solve_together(double* right) {
    double* bottom = right + static_cast<std::size_t>(n_) * count;
    const int *start = row_start_.data(), *columns = columns_.data();
    for (int row = 0; row < m_; ++row) {
      std::array<double, count> factor;
      for (int c = 0; c < count; ++c) factor[c] = penalty_[row] * bottom[row * count + c];
      for (int k = start[row]; k < start[row + 1]; ++k) {
        for (int c = 0; c < count; ++c) right[columns[k] * count + c] += J_[k] * factor[c];
      }
    }
    solver_->solve_many(right, count);
    for (int row = 0; row < m_; ++row) {
      std::array<double, count> product{};
      for (int k = start[row]; k < start[row + 1]; ++k) {
        for (int c = 0; c < count; ++c) product[c] += J_[k] * right[columns[k] * count + c];
      }
      for (int c = 0; c < count; ++c) bottom[row * count + c] = penalty_[row] * (product[c] - bottom[row * count + c]);
    }
  }

  void set_base(const double* W) {
    std::fill(base_.begin(), base_.end(), 0.0);
    for (std::size_t k = 0; k < tangent_slots_.size(); ++k) base_[tangent_slots_[k]] = W[k];
    base_is_set_ = true;
  }

  int n_, m_;
  std::vector<double> penalty_;
  linear::SolverPointer solver_;
  std::vector<int> tangent_slots_, product_slots_;
  std::vector<int> row_start_, places_, columns_;  ///< free entries of the Jacobian: where a row begins, place in J, column
  std::vector<Run> runs_;
  std::vector<double> base_, J_;
  bool base_is_set_ = false;
};

}  // namespace

SaddleSystemPointer make_condensed_system(const Model& model, const std::string& solver) {
  return std::make_unique<CondensedSystem>(model, solver);
}

}  // namespace counterpoint::multibody
