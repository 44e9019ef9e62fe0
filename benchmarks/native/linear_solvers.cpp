// Nanoseconds that each linear solver needs for a factorisation and for a solution, for the matrices that its choice
// depends on (core/linear/solver.cpp holds the rule and a summary): the four-bar chain, random patterns of several
// fills, nearly full ones. Setting the values and the right-hand side is part of the time: it is part of the work.
//
//   linear_solvers chain|random [quick]
//
// prints one line for each matrix and solver: matrix, size, solver, entries of the factors, multiplications of a sparse
// L D L^T of the symmetric pattern, ns of a factorisation, ns of a solution, ns of one factorisation and four
// solutions, and a mark (*) at the solver that `choose_solver` takes. The solvers are measured in turn and the best
// counts.

#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "../../tests/core/four_bar.hpp"
#include "linear/ordering.hpp"
#include "nanoseconds.hpp"

using namespace counterpoint;
using testing::Matrix;

namespace {

class Candidate {
 public:
  Candidate(const std::string& kind, const Matrix& matrix)
      : solver_(linear::make_solver(linear::solver_type(kind), matrix.pattern)) {
    testing::Assembly(matrix, *solver_)();
    values_.assign(solver_->values().begin(), solver_->values().end());
    right_hand_side_.assign(matrix.pattern.size, 1.0);
    x_ = right_hand_side_;
  }

  void measure() {
    factorise_ = std::min(factorise_, nanoseconds([&] {
                            std::ranges::copy(values_, solver_->values().begin());
                            solver_->factorise();
                          }));
    solve_ = std::min(solve_, nanoseconds([&] {
                        std::ranges::copy(right_hand_side_, x_.begin());
                        solver_->solve(x_.data());
                      }));
  }

  double step() const { return factorise_ + 4.0 * solve_; }

  void print(const char* matrix, double multiplications, const std::string& chosen) const {
    std::printf("%-16s %6zu %-12s %9lld %12.0f %12.0f %10.0f %12.0f %s\n", matrix, x_.size(), solver_->name(),
                solver_->factor_entries(), multiplications, factorise_, solve_, step(),
                chosen == solver_->name() ? "*" : "");
  }

 private:
  linear::SolverPointer solver_;
  std::vector<double> values_, right_hand_side_, x_;
  double factorise_ = 1e300, solve_ = 1e300;
};

void compare(const char* name, const Matrix& matrix, bool quick) {
  const bool symmetric = matrix.pattern.symmetric;
  linear::Pattern pattern = matrix.pattern;
  pattern.symmetric = true;
  const double multiplications = analyse(pattern, linear::minimum_degree(pattern)).multiplications();
  std::vector<std::string> kinds{"sparse-lu"};
  if (symmetric) kinds = {"static-ldlt", "sparse-ldlt"};
  if (matrix.pattern.size <= 500) kinds.push_back(symmetric ? "dense-ldlt" : "dense-lu");
  std::vector<Candidate> candidates;
  for (const std::string& kind : kinds) candidates.emplace_back(kind, matrix);
  for (int repeat = 0; repeat < (quick ? 2 : 15); ++repeat) {
    for (Candidate& candidate : candidates) candidate.measure();
  }
  const std::string chosen = linear::name_of(linear::choose_solver(matrix.pattern));
  for (const Candidate& candidate : candidates) candidate.print(name, multiplications, chosen);
  std::fflush(stdout);
}

/// The matrix with both triangles, for the solvers that know no symmetry.
Matrix full(const Matrix& matrix) {
  Matrix both = matrix;
  both.pattern.symmetric = false;
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    const auto [row, column] = matrix.pattern.entries[k];
    if (row != column) both.add(column, row, matrix.values[k]);
  }
  return both;
}

/// `neighbours` random entries in each row on the average, and a diagonal that outweighs them.
Matrix random_matrix(int size, double neighbours, bool symmetric) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::bernoulli_distribution there(std::min(1.0, neighbours / std::max(1, size - 1)));
  Matrix matrix;
  matrix.pattern.size = size;
  matrix.pattern.symmetric = symmetric;
  for (int i = 0; i < size; ++i) {
    matrix.add(i, i, neighbours + 1.0);
    for (int j = 0; j < (symmetric ? i : size); ++j) {
      if (i != j && there(random)) matrix.add(i, j, number(random));
    }
  }
  return matrix;
}

void compare_chains(bool quick) {
  for (const int loops : {1, 2, 4, 10, 40, 100, 500, 1000, 4000}) {
    const testing::FourBarChain chain(loops);
    compare("condensed", chain.condensed(2.5e3), quick);
    compare("kkt", chain.kkt(2.5e3), quick);
    compare("unsymmetric", full(chain.condensed(2.5e3)), quick);
  }
}

void compare_random(bool quick) {
  for (const bool symmetric : {true, false}) {
    const auto compare_with = [&](int size, double neighbours) {
      const std::string name = symmetric ? "symmetric" : "unsymmetric";
      compare((name + "/" + std::to_string(static_cast<int>(neighbours))).c_str(),
              random_matrix(size, neighbours, symmetric), quick);
    };
    for (const int size : {5, 10, 20, 40, 100, 200, 400}) {
      for (const int neighbours : {2, 4, 8}) {
        if (neighbours < size / 2) compare_with(size, neighbours);
      }
      compare_with(size, size / 2);
      compare_with(size, size);
    }
    for (const int size : {1000, 3000}) {
      for (const int neighbours : {2, 3, 4}) {
        if (!quick) compare_with(size, neighbours);
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments, arguments + count);
  const bool quick = count > 2 && words[2] == "quick";
  if (count > 1 && words[1] == "chain") {
    compare_chains(quick);
  } else if (count > 1 && words[1] == "random") {
    compare_random(quick);
  } else {
    std::fputs("usage: linear_solvers chain|random [quick]\n", stderr);
    return 2;
  }
}
