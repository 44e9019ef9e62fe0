#include <algorithm>
#include <array>

#include "linear/unroll.hpp"
#include "multibody/condensed_rows.hpp"
#include "multibody/saddle.hpp"
#include "multibody/step_profile.hpp"

namespace counterpoint::multibody {

namespace {

constexpr int fewest_repeated = 16;  ///< rows for which it is worth to begin a run of their own
constexpr int longest_period = 32;   ///< after which values of the base may repeat themselves
constexpr int tile_size = 512;       ///< values of the base, about as many, that stay in the first cache

/// x from (W + J^T D^-1 J) x = top + J^T D^-1 bottom, then mu = D^-1 (J x - bottom).
/// Shared: the members of a team work on the domains of the solver at once. Compiled apart: a step of a small mechanism
/// takes half as long again with code for both (measured).
template <bool shared>
class CondensedSystem final : public SaddleSystem {
 public:
  CondensedSystem(const Model& model, linear::SolverType solver, linear::TeamPointer team, PhaseClock* clock)
      : n_(model.coordinates()),
        m_(model.equations()),
        team_(std::move(team)),
        penalty_(m_, 0.0),
        constant_W_(!model.has_tangent() && model.constant_mass()) {
    if (shared) used_places_ = model.all_coordinates();
    list_free_entries(model.jacobian_pattern());
    const SparsePattern& tangent = model.tangent_pattern();
    solver_ = watched(linear::make_solver(solver, pattern(tangent), team_), clock);
    for (int row = 0; row < n_; ++row) {
      for (int k = tangent.row_start[row]; k < tangent.row_start[row + 1]; ++k) {
        tangent_slots_.push_back(solver_->slot(row, tangent.column[k]));
      }
    }
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
    const auto condense = [&](auto rows, const RowRun& run) { rows.condense(run, J, bottom + run.first, values, x); };
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
    for_runs([&](auto rows, const RowRun& run) { rows.multiply(run, J, x, bottom + run.first, mu + run.first); });
  }

  void solve(double* x, const double* bottom, double* mu) override {
    for_runs([&](auto rows, const RowRun& run) { rows.add_transposed(run, J_, bottom + run.first, x); });
    solver_->solve(x);
    for_runs([&](auto rows, const RowRun& run) { rows.multiply(run, J_, x, bottom + run.first, mu + run.first); });
  }

  void project(const double* x0, const double* x1, double* right, double* multipliers) override {
    double* const bottom = right + 3 * static_cast<std::size_t>(room());
    for_runs([&](auto rows, const RowRun& run) { rows.add_three(run, J_, x0, x1, bottom + 3 * run.first, right); });
    solver_->solve_many(right, 3);
    if (multipliers == nullptr) return;
    for_runs([&](auto rows, const RowRun& run) {
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

  /// A row as a run of one, but for what it points at.
  RowRun kind_of(int row) const {
    const int start = row_start_[row], entries = row_start_[row + 1] - start;
    RowRun kind{.first = row, .entries = entries};
    for (const int dimension : {2, 3}) {
      if (entries == dimension || entries == 2 * dimension) kind.points = entries / dimension;
      if (kind.points > 0) {
        const bool beside = places_[start + entries - 1] - places_[start] == entries - 1;
        if (!beside || !of_points(row, dimension)) kind.points = 0;
        break;
      }
    }
    return kind;
  }

  /// Whether the columns of a row are those of points.
  bool of_points(int row, int dimension) const {
    for (int k = row_start_[row]; k < row_start_[row + 1]; ++k) {
      const int within = (k - row_start_[row]) % dimension;
      if (columns_[k] != columns_[k - within] + within) return false;
    }
    return true;
  }

  Products products_of(int row, int dimension) const {
    const int first = columns_[row_start_[row]], second = columns_[row_start_[row + 1] - dimension];
    const auto in_order = [&](int a, int b, int count, bool turned) {
      for (int k = 0; k < count; ++k) {
        const int slot = turned ? solver_->slot(a + k, b) : solver_->slot(a, b + k);
        if (slot != solver_->slot(a, b) + k) return false;
      }
      return true;
    };
    bool rows = true, columns = true;
    for (int i = 0; i < dimension; ++i) {
      if (!in_order(first + i, first, i + 1, false) || !in_order(second + i, second, i + 1, false))
        return Products::anywhere;
      rows = rows && in_order(second + i, first, second == first ? 1 : dimension, false);
      columns = columns && in_order(second, first + i, second == first ? 1 : dimension, true);
    }
    return rows ? Products::in_rows : columns ? Products::in_columns : Products::anywhere;
  }

  /// Lists what the loops over a row look at.
  void list(const RowRun& kind) {
    const int *columns = columns_.data() + row_start_[kind.first], entries = kind.entries;
    const int dimension = kind.points > 0 ? entries / kind.points : 1;
    for (int k = 0; k < entries; k += dimension) listed_columns_.push_back(columns[k]);
    const Products products = kind.points > 0 ? products_of(kind.first, dimension) : Products::anywhere;
    if (kind.points > 0) listed_slots_.push_back(static_cast<int>(products));
    if (products == Products::anywhere) {
      for (int a = 0; a < entries; ++a) {
        for (int b = 0; b <= a; ++b) listed_slots_.push_back(solver_->slot(columns[a], columns[b]));
      }
      return;
    }
    for (int a = 0; a < entries; ++a) listed_slots_.push_back(solver_->slot(columns[a], columns[a - a % dimension]));
    for (int i = 0; i < entries - dimension; ++i) {
      const bool in_rows = products == Products::in_rows;
      listed_slots_.push_back(solver_->slot(columns[dimension + (in_rows ? i : 0)], columns[in_rows ? 0 : i]));
    }
  }

  void make_runs() {
    runs_.resize(shared ? static_cast<std::size_t>(domains()) + 1 : 1);
    std::vector<std::array<int, 2>> listed;  // columns and slots before each row
    std::vector<RowRun> kinds;
    for (int row = 0; row <= m_; ++row) {
      listed.push_back({static_cast<int>(listed_columns_.size()), static_cast<int>(listed_slots_.size())});
      if (row == m_) break;
      kinds.push_back(kind_of(row));
      list(kinds.back());
    }
    int last_share = -1;
    for (RowRun& run : kinds) {
      point(run, listed);
      const int share = shared ? share_of(run.first) : 0;
      std::vector<RowRun>& runs = runs_[static_cast<std::size_t>(share)];
      if (share != last_share || !runs.back().takes(run)) runs.push_back(run);
      last_share = share;
      ++runs.back().rows;
    }
    if constexpr (shared) {
      for (std::vector<RowRun>& runs : runs_) runs = with_repetitions(runs, listed);
    }
  }

  /// Part of the base that is its first values, as many as a tile has, again and again.
  struct Stretch {
    int begin = 0, end = 0, tile = 0;
  };

  /// The same rows, those that are alike but for a shift in runs of their own where they are many enough.
  std::vector<RowRun> with_repetitions(const std::vector<RowRun>& runs,
                                       const std::vector<std::array<int, 2>>& listed) const {
    std::vector<RowRun> made;
    for (const RowRun& run : runs) {
      int open = 0;  // rows from here on are in no run yet
      for (int row = 0; row < run.rows;) {
        const RowRun repeated = repetition(run, row, listed);
        if (repeated.rows >= fewest_repeated) {
          if (row > open) made.push_back(rows_of(run, open, row, listed));
          made.push_back(repeated);
          open = row + repeated.rows;
        }
        row += repeated.rows;
      }
      if (run.rows > open) made.push_back(rows_of(run, open, run.rows, listed));
    }
    return made;
  }

  RowRun rows_of(RowRun run, int begin, int end, const std::vector<std::array<int, 2>>& listed) const {
    run.first += begin;
    run.rows = end - begin;
    point(run, listed);
    return run;
  }

  RowRun repetition(const RowRun& run, int row, const std::vector<std::array<int, 2>>& listed) const {
    RowRun made = rows_of(run, row, row + 1, listed);
    if (run.points == 0 || row + 1 == run.rows) return made;
    const auto columns = [&](int k, int i) { return listed_columns_[listed[made.first + k][0] + i]; };
    const auto slots = [&](int k, int i) { return listed_slots_[listed[made.first + k][1] + i]; };
    const auto listed_slots = [&](int k) { return listed[made.first + k + 1][1] - listed[made.first + k][1]; };
    made.repeated = true;
    made.column_shift = columns(1, 0) - columns(0, 0);
    made.slot_shift = slots(1, 1) - slots(0, 1);  // before them: how the products lie
    const auto is_next = [&](int k) {
      if (listed_slots(k) != listed_slots(0) || slots(k, 0) != slots(0, 0)) return false;
      for (int i = 0; i < run.points; ++i) {
        if (columns(k, i) != columns(0, i) + k * made.column_shift) return false;
      }
      for (int i = 1; i < listed_slots(0); ++i) {
        if (slots(k, i) != slots(0, i) + k * made.slot_shift) return false;
      }
      return true;
    };
    while (row + made.rows < run.rows && is_next(made.rows)) ++made.rows;
    return made;
  }

  /// Lets a run point at what belongs to its first row.
  void point(RowRun& run, const std::vector<std::array<int, 2>>& listed) const {
    run.penalty = penalty_.data() + run.first;
    run.places = places_.data() + row_start_[run.first];
    run.columns = listed_columns_.data() + listed[run.first][0];
    run.slots = listed_slots_.data() + listed[run.first][1];
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

  /// All rows: those of the domains at once, then the others.
  template <typename Action>
  void for_runs(Action action) const {
    if constexpr (shared) team_->run(domains(), [&](int domain) { for_share(runs_[domain], action); });
    for_share(runs_.back(), action);
  }

  template <typename Action>
  COUNTERPOINT_INLINE static void for_share(const std::vector<RowRun>& runs, Action action) {
    for (const RowRun& run : runs) {
      if (shared && run.repeated) {
        for_rows_of<shared>(run, [&](auto rows) { action(rows, run); });
      } else {
        for_rows_of<false>(run, [&](auto rows) { action(rows, run); });
      }
    }
  }

  void copy_base(int domain) {
    for (const Stretch& s : stretches_[domain]) {
      const auto tile = base_.begin() + s.begin;
      for (int at = s.begin; at < s.end; at += s.tile) std::copy_n(tile, std::min(s.tile, s.end - at), values_ + at);
    }
  }

  void set_base(const double* W) {
    std::fill(base_.begin(), base_.end(), 0.0);
    for (std::size_t k = 0; k < tangent_slots_.size(); ++k) base_[tangent_slots_[k]] = W[k];
    base_is_set_ = true;
    if constexpr (shared) find_stretches();
  }

  void find_stretches() {
    stretches_.assign(static_cast<std::size_t>(domains()) + 1, {});
    for (int domain = 0; domain <= domains(); ++domain) {
      const auto [begin, end] = solver_->values_of(domain);
      std::vector<Stretch>& stretches = stretches_[static_cast<std::size_t>(domain)];
      int open = begin;  // from here on nothing is in a stretch yet
      for (int at = begin; constant_W_ && at < end;) {
        const Stretch found = repetition_of_base(at, end);
        if (found.end - at >= 2 * found.tile) {
          if (at > open) stretches.push_back({open, at, at - open});
          stretches.push_back(found);
          open = at = found.end;
        } else {
          at += longest_period;
        }
      }
      if (end > open) stretches.push_back({open, end, end - open});
    }
  }

  Stretch repetition_of_base(int at, int end) const {
    Stretch longest{at, at, tile_size};
    for (int period = 1; period <= longest_period; ++period) {
      int to = at + period;
      while (to < end && base_[to] == base_[to - period]) ++to;
      if (to > longest.end) longest = {at, to, period * (tile_size / period)};
    }
    return longest;
  }

  int n_, m_;
  int used_places_ = 0;  ///< of x
  linear::TeamPointer team_;
  std::vector<double> penalty_;
  linear::SolverPointer solver_;
  double* values_ = nullptr;  ///< of the solver
  std::vector<int> tangent_slots_;
  std::vector<int> row_start_, places_,
      columns_;  ///< free entries of the Jacobian: where a row begins, place in J, column
  std::vector<int> listed_columns_, listed_slots_;  ///< what runs point at
  std::vector<std::vector<RowRun>> runs_;           ///< of each domain, and of all others
  std::vector<double> base_;
  std::vector<std::vector<Stretch>> stretches_;  ///< of the base, of each domain and of all others
  bool constant_W_;
  const double* J_ = nullptr;  ///< as factorised
  bool base_is_set_ = false;
};

}  // namespace

SaddleSystemPointer make_condensed_system(const Model& model, linear::SolverType solver, linear::TeamPointer team,
                                          PhaseClock* clock) {
  if (team) return std::make_unique<CondensedSystem<true>>(model, solver, std::move(team), clock);
  return std::make_unique<CondensedSystem<false>>(model, solver, nullptr, clock);
}

}  // namespace counterpoint::multibody
