#include <algorithm>
#include <array>

#include "linear/unroll.hpp"
#include "multibody/neighbours.hpp"
#include "multibody/saddle.hpp"

namespace counterpoint::multibody {

namespace {

/// How the products of a row lie in the matrix.
enum class Products {
  anywhere,    ///< the place of each is listed
  in_rows,     ///< a row of each block beside each other: the place of the first is listed
  in_columns,  ///< as in rows, but a column of the block of two points
};

/// Rows of the Jacobian with the same number of free entries, one after another, and where things of the first of them
/// lie.
struct Run {
  int first = 0;  ///< row
  int rows = 0;
  int entries = 0;  ///< free ones, a row
  int points = 0;   ///< as many where the free entries of a row lie beside each other and belong to points, else 0
  int stride = 0;   ///< from the entries of a row to those of the next, where they belong to points
  const double* penalty = nullptr;
  const int* places = nullptr;   ///< of the free entries in J; of points only the first is looked at
  const int* columns = nullptr;  ///< of the free entries; of points: the first of each
  const int* slots =
      nullptr;  ///< of the lower triangle of each row's products in the matrix; of points: how they lie first

  /// Whether the next row belongs to this run; the second one sets the stride.
  bool takes(const Run& next) {
    if (next.entries != entries || next.points != points) return false;
    if (points == 0) return true;
    if (rows == 1) stride = *next.places - *places;
    return *next.places == *places + rows * stride;
  }
};

/// The loops over the rows of a run whose entries lie anywhere. All pointers are those of the run's first row.
struct AnyRows {
  /// values += p J^T J and x += J^T p bottom.
  static void condense(const Run& run, const double* J, const double* bottom, double* values, double* x) {
    const int entries = run.entries, *columns = run.columns, *places = run.places, *slots = run.slots;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries) {
      const double penalty = run.penalty[row], known = bottom[row];
      for (int a = 0; a < entries; ++a) {
        const double scaled = penalty * J[places[a]];
        x[columns[a]] += scaled * known;
        for (int b = 0; b <= a; ++b) values[*slots++] += scaled * J[places[b]];
      }
    }
  }

  /// x += J^T p bottom.
  static void add_transposed(const Run& run, const double* J, const double* bottom, double* x) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries) {
      const double penalty = run.penalty[row], known = bottom[row];
      for (int k = 0; k < entries; ++k) x[columns[k]] += penalty * J[places[k]] * known;
    }
  }

  /// mu = p (J x - bottom).
  static void multiply(const Run& run, const double* J, const double* x, const double* bottom, double* mu) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries) {
      double sum = -bottom[row];
      for (int k = 0; k < entries; ++k) sum += J[places[k]] * x[columns[k]];
      mu[row] = run.penalty[row] * sum;
    }
  }

  /// bottom += J [x0 x1 0], then x += J^T p bottom, three sides.
  static void add_three(const Run& run, const double* J, const double* x0, const double* x1, double* bottom,
                        double* x) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries, bottom += 3) {
      double first = bottom[0], second = bottom[1];
      for (int k = 0; k < entries; ++k) {
        first += J[places[k]] * x0[columns[k]];
        second += J[places[k]] * x1[columns[k]];
      }
      bottom[1] = second;  // for `subtract_second`
      const double penalty = run.penalty[row];
      first *= penalty;
      second *= penalty;
      const double third = penalty * bottom[2];
      for (int k = 0; k < entries; ++k) {
        const double j = J[places[k]];
        double* const place = x + 3 * static_cast<std::ptrdiff_t>(columns[k]);
        place[0] += j * first;
        place[1] += j * second;
        place[2] += j * third;
      }
    }
  }

  /// multipliers -= p (J x - bottom) for side 1 of three.
  static void subtract_second(const Run& run, const double* J, const double* x, const double* bottom,
                              double* multipliers) {
    const int entries = run.entries, *columns = run.columns, *places = run.places;
    for (int row = 0; row < run.rows; ++row, columns += entries, places += entries, bottom += 3) {
      double sum = -bottom[1];
      for (int k = 0; k < entries; ++k) sum += J[places[k]] * x[3 * static_cast<std::ptrdiff_t>(columns[k]) + 1];
      multipliers[row] -= run.penalty[row] * sum;
    }
  }
};

/// The same for rows whose entries belong to one or two points, as those of rods do: the coordinates of a point lie
/// beside each other everywhere, and are worked on together.
template <int points, int dimension>
struct PointRows {
  using Vector = Neighbours<dimension>;

  static void condense(const Run& run, const double* J, const double* bottom, double* values, double* x) {
    const int* slots = run.slots;
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      const double known = bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) add(known * (penalty * j[k].all), x + columns[k]);
      const auto products = static_cast<Products>(*slots++);
      if (products == Products::anywhere) return add_anywhere(penalty, j, slots, values);
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) add_triangle(penalty, j[k], slots, values);
      if constexpr (points == 2) {
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i, ++slots) {
          if (products == Products::in_rows) {
            add((penalty * j[1].each[i]) * j[0].all, values + *slots);
          } else {
            add(j[0].each[i] * (penalty * j[1].all), values + *slots);
          }
        }
      }
    });
  }

  static void add_transposed(const Run& run, const double* J, const double* bottom, double* x) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      const double known = bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) add(known * (penalty * j[k].all), x + columns[k]);
    });
  }

  static void multiply(const Run& run, const double* J, const double* x, const double* bottom, double* mu) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      double sum = -bottom[row];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) sum += j[k].each[i] * x[columns[k] + i];
      }
      mu[row] = penalty * sum;
    });
  }

  static void add_three(const Run& run, const double* J, const double* x0, const double* x1, double* bottom,
                        double* x) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      double* const sides = bottom + 3 * static_cast<std::ptrdiff_t>(row);
      double first = sides[0], second = sides[1];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) {
          first += j[k].each[i] * x0[columns[k] + i];
          second += j[k].each[i] * x1[columns[k] + i];
        }
      }
      sides[1] = second;
      const Neighbours<2> two{{penalty * first, penalty * second}};
      const double third = penalty * sides[2];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        double* const place = x + 3 * static_cast<std::ptrdiff_t>(columns[k]);
        add_sides(j[k], two, third, place);
      }
    });
  }

  static void subtract_second(const Run& run, const double* J, const double* x, const double* bottom,
                              double* multipliers) {
    for_rows(run, J, [&](int row, double penalty, const int* columns, const Entries* j) COUNTERPOINT_INLINE_LAMBDA {
      double sum = -bottom[3 * static_cast<std::ptrdiff_t>(row) + 1];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        const double* const second = x + 3 * static_cast<std::ptrdiff_t>(columns[k]) + 1;
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) sum += j[k].each[i] * second[3 * i];
      }
      multipliers[row] -= penalty * sum;
    });
  }

 private:
  /// The entries of a row that belong to one point, read once: together, and one by one, as the compiler takes a pair
  /// apart through memory.
  struct Entries {
    Vector all;
    double each[dimension];
  };

  template <typename Action>
  COUNTERPOINT_INLINE static void for_rows(const Run& run, const double* J, Action action) {
    const double *entries = J + *run.places, *penalty = run.penalty;
    const int *columns = run.columns, rows = run.rows;
    const std::ptrdiff_t stride = run.stride;
    for (int row = 0; row < rows; ++row, columns += points, entries += stride) {
      Entries j[points];
      COUNTERPOINT_UNROLL
      for (int k = 0; k < points; ++k) {
        j[k].all = Vector::at(entries + k * dimension);
        COUNTERPOINT_UNROLL
        for (int i = 0; i < dimension; ++i) j[k].each[i] = entries[k * dimension + i];
      }
      action(row, penalty[row], columns, j);
    }
  }

  /// Products of one point's coordinates with each other: row i has i + 1 of them.
  COUNTERPOINT_INLINE static void add_triangle(double penalty, const Entries& j, const int*& slots, double* values) {
    values[*slots++] += (penalty * j.each[0]) * j.each[0];
    if constexpr (dimension == 3) add((penalty * j.each[1]) * Neighbours<2>{{j.each[0], j.each[1]}}, values + *slots++);
    add((penalty * j.each[dimension - 1]) * j.all, values + *slots++);
  }

  COUNTERPOINT_INLINE static void add_anywhere(double penalty, const Entries* j, const int*& slots, double* values) {
    COUNTERPOINT_UNROLL
    for (int a = 0; a < points * dimension; ++a) {
      const double scaled = penalty * j[a / dimension].each[a % dimension];
      COUNTERPOINT_UNROLL
      for (int b = 0; b <= a; ++b) values[*slots++] += scaled * j[b / dimension].each[b % dimension];
    }
  }

  /// Three sides of each coordinate of a point.
  COUNTERPOINT_INLINE static void add_sides(const Entries& j, const Neighbours<2>& two, double third, double* place) {
    COUNTERPOINT_UNROLL
    for (int i = 0; i < dimension; ++i, place += 3) {
      add(j.each[i] * two, place);
      place[2] += j.each[i] * third;
    }
  }

  template <int count>
  COUNTERPOINT_INLINE static void add(const Neighbours<count>& what, double* place) {
    (Neighbours<count>::at(place) + what).write(place);
  }
};

template <typename Action>
void for_rows_of(const Run& run, Action action) {
  switch (run.points == 0 ? 0 : run.entries) {
    case 2:
      return action(PointRows<1, 2>{});
    case 3:
      return action(PointRows<1, 3>{});
    case 4:
      return action(PointRows<2, 2>{});
    case 6:
      return action(PointRows<2, 3>{});
    default:
      return action(AnyRows{});
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

  /// A row as a run of one, but for what it points at.
  Run kind_of(int row) const {
    const int start = row_start_[row], entries = row_start_[row + 1] - start;
    Run kind{.first = row, .entries = entries};
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
  void list(const Run& kind) {
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
    std::vector<std::array<std::size_t, 2>> listed;  // before each row
    std::vector<Run> kinds;
    for (int row = 0; row < m_; ++row) {
      listed.push_back({listed_columns_.size(), listed_slots_.size()});
      kinds.push_back(kind_of(row));
      list(kinds.back());
    }
    int last_share = -1;
    for (Run& run : kinds) {
      run.penalty = penalty_.data() + run.first;
      run.places = places_.data() + row_start_[run.first];
      run.columns = listed_columns_.data() + listed[run.first][0];
      run.slots = listed_slots_.data() + listed[run.first][1];
      const int share = shared ? share_of(run.first) : 0;
      std::vector<Run>& runs = runs_[static_cast<std::size_t>(share)];
      if (share != last_share || !runs.back().takes(run)) runs.push_back(run);
      last_share = share;
      ++runs.back().rows;
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

  /// All rows: those of the domains at once, then the others.
  template <typename Action>
  void for_runs(Action action) const {
    if constexpr (shared) team_->run(domains(), [&](int domain) { for_share(runs_[domain], action); });
    for_share(runs_.back(), action);
  }

  template <typename Action>
  COUNTERPOINT_INLINE static void for_share(const std::vector<Run>& runs, Action action) {
    for (const Run& run : runs) for_rows_of(run, [&](auto rows) { action(rows, run); });
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
  std::vector<int> tangent_slots_;
  std::vector<int> row_start_, places_,
      columns_;  ///< free entries of the Jacobian: where a row begins, place in J, column
  std::vector<int> listed_columns_, listed_slots_;  ///< what runs point at
  std::vector<std::vector<Run>> runs_;              ///< of each domain, and of all others
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
