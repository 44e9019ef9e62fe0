#include <algorithm>

#include "linear/unroll.hpp"
#include "multibody/saddle.hpp"

namespace counterpoint::multibody {

namespace {

/// Rows of the Jacobian with the same number of free entries, one after another, and where things of the first of them
/// lie.
struct Run {
  int first = 0;  ///< row
  int rows = 0;
  int entries = 0;  ///< free ones, a row
  int known = 0;    ///< as many where the free entries of a row lie beside each other, else 0
  int stride = 0;   ///< from the entries of a row to those of the next, where they are known
  const double* penalty = nullptr;
  const int* places = nullptr;   ///< of the free entries in J; where they are known only the first is looked at
  const int* columns = nullptr;  ///< of the free entries
  const int* slots = nullptr;    ///< of the lower triangle of each row's products in the matrix

  /// Whether the next row, whose first entry lies at `place` of J, belongs to this run; the second one sets the stride.
  bool takes(int entries_of_row, int known_of_row, int place) {
    if (entries_of_row != entries || known_of_row != known) return false;
    if (rows == 1) stride = place - *places;
    return known == 0 || place == *places + rows * stride;
  }
};

/// The loops over the rows of a run, compiled for the numbers of entries that rods have: in the plane with one end
/// fixed and with none (2, 4), in space (3, 6), and for any (0). All pointers are those of the run's first row.
template <int known_entries>
struct Rows {
  /// values += p J^T J and x += J^T p bottom.
  static void condense(const Run& run, const double* J, const double* bottom, double* values, double* x) {
    const int entries = count(run), *columns = run.columns, *slots = run.slots;
    for (int row = 0; row < run.rows; ++row, columns += entries) {
      const Entries j(run, row, J);
      const double penalty = run.penalty[row], known = bottom[row];
      COUNTERPOINT_UNROLL
      for (int a = 0; a < entries; ++a) {
        const double scaled = penalty * j[a];
        x[columns[a]] += scaled * known;
        COUNTERPOINT_UNROLL
        for (int b = 0; b <= a; ++b) values[*slots++] += scaled * j[b];
      }
    }
  }

  /// x += J^T p bottom.
  static void add_transposed(const Run& run, const double* J, const double* bottom, double* x) {
    const int entries = count(run), *columns = run.columns;
    for (int row = 0; row < run.rows; ++row, columns += entries) {
      const Entries j(run, row, J);
      const double penalty = run.penalty[row], known = bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) x[columns[k]] += penalty * j[k] * known;
    }
  }

  /// mu = p (J x - bottom).
  static void multiply(const Run& run, const double* J, const double* x, const double* bottom, double* mu) {
    const int entries = count(run), *columns = run.columns;
    for (int row = 0; row < run.rows; ++row, columns += entries) {
      const Entries j(run, row, J);
      double sum = -bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) sum += j[k] * x[columns[k]];
      mu[row] = run.penalty[row] * sum;
    }
  }

  /// bottom += J [x0 x1 0], then x += J^T p bottom, three sides.
  static void add_three(const Run& run, const double* J, const double* x0, const double* x1, double* bottom,
                        double* x) {
    const int entries = count(run), *columns = run.columns;
    for (int row = 0; row < run.rows; ++row, columns += entries, bottom += 3) {
      const Entries j(run, row, J);
      double first = bottom[0], second = bottom[1];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) {
        first += j[k] * x0[columns[k]];
        second += j[k] * x1[columns[k]];
      }
      bottom[1] = second;  // for `subtract_second`
      const double penalty = run.penalty[row];
      first *= penalty;
      second *= penalty;
      const double third = penalty * bottom[2];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) {
        double* const place = x + 3 * static_cast<std::ptrdiff_t>(columns[k]);
        place[0] += j[k] * first;
        place[1] += j[k] * second;
        place[2] += j[k] * third;
      }
    }
  }

  /// multipliers -= p (J x - bottom) for side 1 of three.
  static void subtract_second(const Run& run, const double* J, const double* x, const double* bottom,
                              double* multipliers) {
    const int entries = count(run), *columns = run.columns;
    for (int row = 0; row < run.rows; ++row, columns += entries, bottom += 3) {
      const Entries j(run, row, J);
      double sum = -bottom[1];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < entries; ++k) sum += j[k] * x[3 * static_cast<std::ptrdiff_t>(columns[k]) + 1];
      multipliers[row] -= run.penalty[row] * sum;
    }
  }

 private:
  static int count(const Run& run) { return known_entries > 0 ? known_entries : run.entries; }

  /// The free entries of one row. Where their number is known they lie beside each other, and are read once: what is
  /// written meanwhile could be one of them for all that the compiler knows.
  class Entries {
   public:
    Entries(const Run& run, int row, const double* J) : J_(J), places_(run.places) {
      if constexpr (known_entries == 0) {
        places_ += row * run.entries;
      } else {
        const double* const first = J + *places_ + static_cast<std::ptrdiff_t>(row) * run.stride;
        COUNTERPOINT_UNROLL
        for (int k = 0; k < known_entries; ++k) read_[k] = first[k];
      }
    }
    double operator[](int k) const { return known_entries > 0 ? read_[k] : J_[places_[k]]; }

   private:
    const double* J_;
    const int* places_;
    double read_[known_entries > 0 ? known_entries : 1];
  };
};

template <typename Action>
void for_known_entries(const Run& run, Action action) {
  switch (run.known) {
    case 2:
      return action(Rows<2>{});
    case 3:
      return action(Rows<3>{});
    case 4:
      return action(Rows<4>{});
    case 6:
      return action(Rows<6>{});
    default:
      return action(Rows<0>{});
  }
}

/// x from (W + J^T D^-1 J) x = top + J^T D^-1 bottom, then mu = D^-1 (J x - bottom).
/// Shared: the members of a team work on the domains of the solver at once. Compiled apart: a step of a small mechanism
/// takes half as long again with code for both (measured).
template <bool shared>
class CondensedSystem final : public SaddleSystem {
 public:
  CondensedSystem(const Model& model, linear::SolverType solver, linear::TeamPointer team)
      : n_(model.coordinates()), m_(model.equations()), team_(std::move(team)), penalty_(m_, 0.0) {
    if (shared) used_places_ = model.all_coordinates();
    list_free_entries(model.jacobian_pattern());
    const SparsePattern& tangent = model.tangent_pattern();
    solver_ = linear::make_solver(solver, pattern(tangent), team_);
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k) {
        tangent_slots_.push_back(solver_->slot(row, tangent.column[k]));
      }
    }
    list_product_slots();
    make_runs();
    values_ = solver_->values().data();
    base_.assign(solver_->values().size(), 0.0);
  }

  void set_compliance(const std::vector<double>& compliance) override {
    for (int row = 0; row < m_; ++row) penalty_[row] = 1.0 / compliance[row];
  }

  void solve_anew(const double* W, bool same_W, const double* J, double* x, const double* bottom, double* mu) override {
    if (!same_W || !base_is_set_) set_base(W);
    J_ = J;
    double* const values = values_;
    const auto condense = [&](auto rows, const Run& run) { rows.condense(run, J, bottom + run.first, values, x); };
    if constexpr (shared) {
      copy_base(domains());
      team_->run(domains(), [&](int domain) {
        copy_base(domain);
        for_share(runs_[domain], condense);
      });
      for_share(runs_.back(), condense);
    } else {
      std::copy(base_.begin(), base_.end(), values);
      for_runs(condense);
    }
    solver_->factorise_and_solve(x);
    for_runs([&](auto rows, const Run& run) { rows.multiply(run, J, x, bottom + run.first, mu + run.first); });
  }

  void solve(double* x, const double* bottom, double* mu) override {
    for_runs([&](auto rows, const Run& run) { rows.add_transposed(run, J_, bottom + run.first, x); });
    solver_->solve(x);
    for_runs([&](auto rows, const Run& run) { rows.multiply(run, J_, x, bottom + run.first, mu + run.first); });
  }

  void project(const double* x0, const double* x1, double* right, double* multipliers) override {
    double* const bottom = right + 3 * static_cast<std::size_t>(room());
    for_runs([&](auto rows, const Run& run) { rows.add_three(run, J_, x0, x1, bottom + 3 * run.first, right); });
    solver_->solve_many(right, 3);
    if (multipliers == nullptr) return;
    for_runs([&](auto rows, const Run& run) {
      rows.subtract_second(run, J_, right, bottom + 3 * run.first, multipliers + run.first);
    });
  }

  const linear::Solver& solver() const override { return *solver_; }
  int room() const override { return shared ? solver_->places() : n_; }

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
    }
  }

  int domains() const { return solver_->domains(); }

  /// The domain of the free coordinates that a row connects, or the last share, for rows that connect several.
  int share_of(int row) const {
    if (row_start_[row] == row_start_[row + 1]) return domains();
    const int first = solver_->domain_of(columns_[row_start_[row]]);
    for (int k = row_start_[row]; k < row_start_[row + 1]; ++k) {
      if (solver_->domain_of(columns_[k]) != first) return domains();
    }
    return first;
  }

  void make_runs() {
    runs_.resize(shared ? static_cast<std::size_t>(domains()) + 1 : 1);
    int last_share = -1;
    const int* slots = product_slots_.data();
    for (int row = 0; row < m_; ++row) {
      const int start = row_start_[row], entries = row_start_[row + 1] - start;
      const int place = entries > 0 ? places_[start] : 0;
      const bool beside = entries > 0 && places_[start + entries - 1] - place == entries - 1;
      const int known = beside ? entries : 0;
      const int share = shared ? share_of(row) : 0;
      std::vector<Run>& runs = runs_[static_cast<std::size_t>(share)];
      if (share != last_share || !runs.back().takes(entries, known, place)) {
        runs.push_back(
            {row, 0, entries, known, 0, penalty_.data() + row, places_.data() + start, columns_.data() + start, slots});
      }
      last_share = share;
      ++runs.back().rows;
      slots += entries * (entries + 1) / 2;
    }
  }

  linear::Pattern pattern(const SparsePattern& tangent) const {
    linear::Pattern p;
    p.size = n_;
    p.used_places = used_places_;
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k)
        p.entries.emplace_back(row, tangent.column[k]);
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

  /// All rows: those of the domains at once, then the others.
  template <typename Action>
  void for_runs(Action action) const {
    if constexpr (shared) team_->run(domains(), [&](int domain) { for_share(runs_[domain], action); });
    for_share(runs_.back(), action);
  }

  template <typename Action>
  COUNTERPOINT_INLINE static void for_share(const std::vector<Run>& runs, Action action) {
    for (const Run& run : runs) for_known_entries(run, [&](auto rows) { action(rows, run); });
  }

  void copy_base(int domain) {
    const auto [begin, end] = solver_->values_of(domain);
    std::copy(base_.begin() + begin, base_.begin() + end, values_ + begin);
  }

  void set_base(const double* W) {
    std::fill(base_.begin(), base_.end(), 0.0);
    for (std::size_t k = 0; k < tangent_slots_.size(); ++k) base_[tangent_slots_[k]] = W[k];
    base_is_set_ = true;
  }

  int n_, m_;
  int used_places_ = 0;  ///< of x
  linear::TeamPointer team_;
  std::vector<double> penalty_;
  linear::SolverPointer solver_;
  double* values_ = nullptr;  ///< of the solver
  std::vector<int> tangent_slots_, product_slots_;
  std::vector<int> row_start_, places_,
      columns_;                         ///< free entries of the Jacobian: where a row begins, place in J, column
  std::vector<std::vector<Run>> runs_;  ///< of each domain, and of all others
  std::vector<double> base_;
  const double* J_ = nullptr;  ///< as factorised
  bool base_is_set_ = false;
};

}  // namespace

SaddleSystemPointer make_condensed_system(const Model& model, linear::SolverType solver, linear::TeamPointer team) {
  if (team) return std::make_unique<CondensedSystem<true>>(model, solver, std::move(team));
  return std::make_unique<CondensedSystem<false>>(model, solver, nullptr);
}

}  // namespace counterpoint::multibody
