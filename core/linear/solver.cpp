#include "linear/solver.hpp"

#include <algorithm>
#include <array>

#include "check.hpp"
#include "linear/ordering.hpp"
#include "linear/solvers.hpp"
#include "numbers.hpp"

namespace counterpoint::linear {

void throw_singular(int equation, double pivot) {
  Text text;
  text << "the matrix is singular: pivot " << pivot << " in equation " << equation;
  throw SingularMatrix(text.str(), equation);
}

void Solver::solve_many(double* b, int count) {
  if (count == 1) return solve(b);
  const std::size_t size = static_cast<std::size_t>(unknowns());
  std::vector<double> side(static_cast<std::size_t>(places()));
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < size; ++i) side[i] = b[i * count + k];
    solve(side.data());
    for (std::size_t i = 0; i < size; ++i) b[i * count + k] = side[i];
  }
}

namespace {

struct Candidate {
  SolverType type;
  double nanoseconds;
};

}  // namespace

// The cheapest for one factorisation and four solutions. The estimates below are fitted to `python -m benchmarks
// linear` (AMD EPYC 7003, gcc 12, -O2); microseconds measured, * is the choice:
//
//   pattern (size)         static   sparse   dense     pattern (size)         sparse-lu   dense-lu
//   condensed chain (4)     0.07*    0.32     0.32     condensed chain (10)        3.4       1.0*
//   KKT chain (43)          0.95*     3.2      7.9     condensed chain (82)         26*       60
//   condensed chain (8002)   161*     581        -     condensed chain (8002)     2660*        -
//   KKT chain (16003)        346*    1250        -     2 in a row (40)              13        12*
//   2 in a row (400)         9.4*      25     1930     2 in a row (100)             40*       94
//   8 in a row (400)         462*     976     1920     4 in a row (200)            415*      556
//   full (40)                5.4*      17      6.6     8 in a row (200)            827       558*
//   full (100)                66      218       55*    full (100)                  180        95*
//   full (400)              3470     8860     2020*    full (400)                 5590      3710*
//
// Dense kernels gain more from newer processors: full (400) takes 2970 and 1240 on EPYC 9005. The estimate for
// dense_ldlt is therefore 12 % below what the older one takes; where that decides, either loses 15 % at most.
SolverType choose_solver(const Pattern& pattern) {
  Pattern symmetric = pattern;
  symmetric.symmetric = true;
  const Symbolic symbolic = analyse(symmetric, minimum_degree(symmetric));
  const double n = pattern.size;
  const double entries = n + static_cast<double>(symbolic.columns.items.size());
  const double products = symbolic.multiplications();
  std::vector<Candidate> candidates;
  if (pattern.symmetric) {
    candidates = {{SolverType::static_ldlt, 0.31 * products + 2.0 * entries + 10.0 * n},
                  {SolverType::sparse_ldlt, 0.8 * products + 8.0 * entries + 50.0 * n},
                  {SolverType::dense_ldlt, 0.0245 * n * n * n + 0.9 * n * n + 80.0 * n}};
    if (products > max_listed_products) candidates.erase(candidates.begin());
  } else {
    candidates = {{SolverType::sparse_lu, 3.0 * products + 400.0 * n},
                  {SolverType::dense_lu, 0.0575 * n * n * n + 1.8 * n * n + 110.0 * n}};
  }
  return std::ranges::min_element(candidates, {}, &Candidate::nanoseconds)->type;
}

SolverPointer make_solver(SolverType type, const Pattern& pattern, TeamPointer team) {
  switch (type) {
    case SolverType::automatic:
      return make_solver(choose_solver(pattern), pattern, std::move(team));
    case SolverType::static_ldlt:
      return make_static_ldlt(pattern, std::move(team));
    case SolverType::sparse_ldlt:
      return make_sparse_ldlt(pattern);
    case SolverType::sparse_lu:
      return make_sparse_lu(pattern);
    case SolverType::dense_ldlt:
      return make_dense_ldlt(pattern);
    case SolverType::dense_lu:
      return make_dense_lu(pattern);
    case SolverType::static_lu:
      return make_static_lu(pattern);
    case SolverType::dense_llt:
      return make_dense_llt(pattern);
    case SolverType::klu:
      return make_klu(pattern, true);
    case SolverType::klu_factor:
      return make_klu(pattern, false);
  }
  internal_error("a linear solver of no type");
}

namespace {

/// In the order of SolverType.
constexpr std::array<const char*, 10> type_names = {"automatic",  "static-ldlt", "sparse-ldlt", "sparse-lu",
                                                    "dense-ldlt", "dense-lu",    "static-lu",   "dense-llt",
                                                    "klu",        "klu-factor"};

}  // namespace

const char* name_of(SolverType type) { return type_names[static_cast<std::size_t>(type)]; }

std::span<const char* const> solver_names() { return type_names; }

SolverType solver_type(const std::string& name) {
  std::string known;
  for (std::size_t k = 0; k < type_names.size(); ++k) {
    if (name == type_names[k]) return static_cast<SolverType>(k);
    known += (k == 0 ? "" : ", ") + std::string(type_names[k]);
  }
  throw UserError("linear solver \"" + name + "\" is not known; expected " + known);
}

}  // namespace counterpoint::linear
