#include "linear/solver.hpp"

#include <algorithm>
#include <cstdio>

#include "linear/kinds.hpp"
#include "linear/ordering.hpp"

namespace counterpoint::linear {

void throw_singular(int equation, double pivot) {
  char text[80];
  std::snprintf(text, sizeof text, "the matrix is singular: pivot %g in equation %d", pivot, equation);
  throw SingularMatrix(text, equation);
}

void Solver::solve_many(double* b, int count) {
  if (count == 1) return solve(b);
  const std::size_t size = static_cast<std::size_t>(unknowns());
  std::vector<double> side(size);
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < size; ++i) side[i] = b[i * count + k];
    solve(side.data());
    for (std::size_t i = 0; i < size; ++i) b[i * count + k] = side[i];
  }
}

namespace {

struct Candidate {
  const char* kind;
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
std::string choose_solver(const Pattern& pattern) {
  Pattern symmetric = pattern;
  symmetric.symmetric = true;
  const Symbolic symbolic = analyse(symmetric, minimum_degree(symmetric));
  const double n = pattern.size;
  const double entries = n + static_cast<double>(symbolic.columns.items.size());
  const double products = symbolic.multiplications();
  std::vector<Candidate> candidates;
  if (pattern.symmetric) {
    candidates = {{"static-ldlt", 0.31 * products + 2.0 * entries + 10.0 * n},
                  {"sparse-ldlt", 0.8 * products + 8.0 * entries + 50.0 * n},
                  {"dense-ldlt", 0.028 * n * n * n + 0.9 * n * n + 80.0 * n}};
    if (products > most_listed_products) candidates.erase(candidates.begin());
  } else {
    candidates = {{"sparse-lu", 3.0 * products + 400.0 * n},
                  {"dense-lu", 0.0575 * n * n * n + 1.8 * n * n + 110.0 * n}};
  }
  return std::ranges::min_element(candidates, {}, &Candidate::nanoseconds)->kind;
}

SolverPointer make_solver(const std::string& kind, const Pattern& pattern) {
  if (kind == "automatic") return make_solver(choose_solver(pattern), pattern);
  if (kind == "static-ldlt") return make_static_ldlt(pattern);
  if (kind == "sparse-ldlt") return make_sparse_ldlt(pattern);
  if (kind == "sparse-lu") return make_sparse_lu(pattern);
  if (kind == "dense-ldlt") return make_dense_ldlt(pattern);
  if (kind == "dense-lu") return make_dense_lu(pattern);
  throw std::invalid_argument("no linear solver \"" + kind +
                              "\"; there are automatic, static-ldlt, sparse-ldlt, sparse-lu, dense-ldlt, dense-lu");
}

}  // namespace counterpoint::linear
