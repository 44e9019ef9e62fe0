#include "linear/solver.hpp"

#include <cstdio>

#include "linear/kinds.hpp"
#include "linear/ordering.hpp"

namespace counterpoint::linear {

void throw_singular(int equation, double pivot) {
  char text[80];
  std::snprintf(text, sizeof text, "the matrix is singular: pivot %g in equation %d", pivot, equation);
  throw SingularMatrix(text, equation);
}

std::string choose_solver(const Pattern& pattern) {
  if (!pattern.symmetric) return pattern.size <= 40 ? "dense-lu" : "sparse-lu";
  return "static-ldlt";
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
