#include <algorithm>

#include "multibody/saddle.hpp"
#include "linear/unroll.hpp"

namespace counterpoint::multibody {

namespace {

/// Rows of the Jacobian with the same number of free entries, one after another.
struct Run {
  int rows = 0;
  int entries = 0;  ///< a row
};

/// The loops over the rows of a run, compiled for the numbers of entries that rods have: in the plane with one end fixed and
/// with none (2, 4), in space (3, 6), and for any (0). All pointers are those of the run's first row.
template <int known_entries>
struct Rows {
  /// values += p J^T J; `slots` lists the lower triangles of the products.
  static void add_products(const Run& run, const double* penalty, const double* J, const int* slots, double* values) {
    const int entries = count(run);
    for (int row = 0; row < run.rows; ++row, J += entries) {
      COUNTERPOINT_UNROLL
      for (int a = 0; a < entries; ++a) {
        const double scaled = penalty[row] * J[a];
        COUNTERPOINT_UNROLL
        for (int b = 0; b <= a; ++b) values[*slots++] += scaled * J[b];
      }
    }
  }

  /// x += J^T p bottom.
  static void add_transposed(const Run& run, const double* penalty, const double* J, const int* columns, const double* bottom, double* x) {
    const int entries = count(run);
    for (int row = 0; row < run.rows; ++row, J += entries, columns += entries) {
      const double factor = penalty[row] * bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) x[columns[k]] += J[k] * factor;
    }
  }

  /// bottom -= J [x0 x1 0], then x += J^T p bottom, three sides.
  static void take_away(const Run& run, const double* penalty, const double* J, const int* columns, const double* x0, const double* x1,
                        double* bottom, double* x) {
    const int entries = count(run);
    for (int row = 0; row < run.rows; ++row, J += entries, columns += entries, bottom += 3) {
      double first = bottom[0], second = bottom[1];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) {
        first -= J[k] * x0[columns[k]];
        second -= J[k] * x1[columns[k]];
      }
      bottom[1] = second;  // the other sides' multipliers are not asked for
      first *= penalty[row];
      second *= penalty[row];
      const double third = penalty[row] * bottom[2];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) {
        double* const place = x + 3 * columns[k];
        place[0] += J[k] * first;
        place[1] += J[k] * second;
        place[2] += J[k] * third;
      }
    }
  }

  /// bottom = p (J x - bottom) for one of the sides.
  template <int sides, int side>
  static void multiply(const Run& run, const double* penalty, const double* J, const int* columns, const double* x, double* bottom) {
    const int entries = count(run);
    for (int row = 0; row < run.rows; ++row, J += entries, columns += entries, bottom += sides) {
      double sum = -bottom[side];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) sum += J[k] * x[columns[k] * sides + side];
      bottom[side] = penalty[row] * sum;
    }
  }

 private:
  static int count(const Run& run) { return known_entries > 0 ? known_entries : run.entries; }
};

template <typename Action>
void for_known_entries(const Run& run, Action action) {
  switch (run.entries) {
    case 2: return action(Rows<2>{});
    case 3: return action(Rows<3>{});
    case 4: return action(Rows<4>{});
    case 6: return action(Rows<6>{});
    default: return action(Rows<0>{});
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

  void solve(double* right) override {
    double* const bottom = right + n_;
    for_runs<1>(bottom, [&](auto rows, const Run& run, const double* penalty, const double* J, const int* columns, double* own) {
      rows.add_transposed(run, penalty, J, columns, own, right);
    });
    solver_->solve(right);
    for_runs<1>(bottom, [&](auto rows, const Run& run, const double* penalty, const double* J, const int* columns, double* own) {
      rows.template multiply<1, 0>(run, penalty, J, columns, right, own);
    });
  }
  void project(const double* x0, const double* x1, double* right) override {
    double* const bottom = right + 3 * static_cast<std::size_t>(n_);
    for_runs<3>(bottom, [&](auto rows, const Run& run, const double* penalty, const double* J, const int* columns, double* own) {
      rows.take_away(run, penalty, J, columns, x0, x1, own, right);
    });
    solver_->solve_many(right, 3);
    for_runs<3>(bottom, [&](auto rows, const Run& run, const double* penalty, const double* J, const int* columns, double* own) {
      rows.template multiply<3, 1>(run, penalty, J, columns, right, own);
    });
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
      for_known_entries(run, [&](auto rows) { rows.add_products(run, penalty, J, slots, values); });
      penalty += run.rows;
      J += run.rows * run.entries;
      slots += run.rows * (run.entries * (run.entries + 1) / 2);
    }
  }

  template <int sides, typename Action>
  void for_runs(double* bottom, Action action) const {
    const double *J = J_.data(), *penalty = penalty_.data();
    const int* columns = columns_.data();
    for (const Run& run : runs_) {
      for_known_entries(run, [&](auto rows) { action(rows, run, penalty, J, columns, bottom); });
      penalty += run.rows;
      J += run.rows * run.entries;
      columns += run.rows * run.entries;
      bottom += run.rows * sides;
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
