// A solver compiled for one pattern against our schedule for all of them: the condensed matrix of the chain of
// four-bars with L loops, eliminated in the order that our solver takes.
//
//   pattern_kernel print L        prints the kernel as C++: every operation of L D L^T a statement of its own
//   pattern_kernel time L FILE    compares the library compiled from it with static-ldlt; prints size, ns of one
//                                 factorisation and four solutions by the kernel, and by static-ldlt

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../tests/core/four_bar.hpp"
#include "linear/ordering.hpp"
#include "nanoseconds.hpp"

using namespace counterpoint;
using testing::Matrix;

namespace {

/// Entries are numbered column by column, the diagonal first.
struct Numbering {
  explicit Numbering(const linear::Pattern& pattern) : symbolic(analyse(pattern, linear::minimum_degree(pattern))) {}

  int begin(int column) const { return symbolic.columns.start[column]; }
  int end(int column) const { return symbolic.columns.start[column + 1]; }
  int row(int k) const { return symbolic.columns.items[k]; }
  int diagonal(int column) const { return begin(column) + column; }
  int entry(int k, int column) const { return k + column + 1; }
  int of(int r, int column) const {
    if (r == column) return diagonal(column);
    return entry(linear::find(symbolic.columns, r, column), column);
  }
  int entries() const { return static_cast<int>(symbolic.columns.items.size()) + symbolic.size(); }

  linear::Symbolic symbolic;
};

void print_factorise(const Numbering& n) {
  std::puts("extern \"C\" void factorise(const double* a, double* f) {");
  for (int k = 0; k < n.entries(); ++k) std::printf("  double v%d = a[%d];\n", k, k);
  for (int j = 0; j < n.symbolic.size(); ++j) {
    std::printf("  const double i%d = f[%d] = 1.0 / v%d;\n", j, n.diagonal(j), n.diagonal(j));
    for (int a = n.begin(j); a < n.end(j); ++a) {
      const int l = n.entry(a, j);
      std::printf("  const double l%d = f[%d] = v%d * i%d;\n", l, l, l, j);
      for (int b = n.begin(j); b <= a; ++b) {
        std::printf("  v%d -= l%d * v%d;\n", n.of(n.row(a), n.row(b)), l, n.entry(b, j));
      }
    }
  }
  std::puts("}");
}

void print_solve(const Numbering& n) {
  std::puts("extern \"C\" void solve(const double* f, double* b) {");
  const auto& order = n.symbolic.order;
  for (int j = 0; j < n.symbolic.size(); ++j) std::printf("  double x%d = b[%d];\n", j, order[j]);
  for (int j = 0; j < n.symbolic.size(); ++j) {
    for (int k = n.begin(j); k < n.end(j); ++k) std::printf("  x%d -= f[%d] * x%d;\n", n.row(k), n.entry(k, j), j);
  }
  for (int j = n.symbolic.size() - 1; j >= 0; --j) {
    std::printf("  x%d *= f[%d];\n", j, n.diagonal(j));
    for (int k = n.begin(j); k < n.end(j); ++k) std::printf("  x%d -= f[%d] * x%d;\n", j, n.entry(k, j), n.row(k));
    std::printf("  b[%d] = x%d;\n", order[j], j);
  }
  std::puts("}");
}

int compare(const Matrix& matrix, const char* file) {
  void* const library = dlopen(file, RTLD_NOW);
  if (library == nullptr) return 1;
  const auto factorise = reinterpret_cast<void (*)(const double*, double*)>(dlsym(library, "factorise"));
  const auto solve = reinterpret_cast<void (*)(const double*, double*)>(dlsym(library, "solve"));
  const Numbering n(matrix.pattern);
  std::vector<double> a(static_cast<std::size_t>(n.entries()), 0.0), f = a;
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    const auto [row, column] = matrix.pattern.entries[k];
    const auto [first, second] = std::minmax({n.symbolic.position[row], n.symbolic.position[column]});
    a[static_cast<std::size_t>(n.of(second, first))] += matrix.values[k];
  }
  const linear::SolverPointer solver = linear::make_solver(linear::SolverType::static_ldlt, matrix.pattern);
  testing::Assembly(matrix, *solver)();
  const std::vector<double> values(solver->values().begin(), solver->values().end());
  const std::vector<double> right(static_cast<std::size_t>(matrix.pattern.size), 1.0);
  std::vector<double> x = right, y = right;
  double kernel[2] = {1e300, 1e300}, ours[2] = {1e300, 1e300};
  for (int repeat = 0; repeat < 30; ++repeat) {
    kernel[0] = std::min(kernel[0], nanoseconds([&] { factorise(a.data(), f.data()); }));
    ours[0] = std::min(ours[0], nanoseconds([&] {
                         std::ranges::copy(values, solver->values().begin());
                         solver->factorise();
                       }));
    kernel[1] = std::min(kernel[1], nanoseconds([&] {
                           std::ranges::copy(right, x.begin());
                           solve(f.data(), x.data());
                         }));
    ours[1] = std::min(ours[1], nanoseconds([&] {
                         std::ranges::copy(right, y.begin());
                         solver->solve(y.data());
                       }));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(std::abs(x[i] - y[i]) <= 1e-8 * std::abs(y[i]) + 1e-8)) return 1;
  }
  std::printf("%d %.1f %.1f\n", matrix.pattern.size, kernel[0] + 4.0 * kernel[1], ours[0] + 4.0 * ours[1]);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string command = count > 2 ? arguments[1] : "";
  const Matrix matrix = testing::FourBarChain(count > 2 ? std::atoi(arguments[2]) : 1).condensed(2.5e3);
  if (command == "print") {
    const Numbering numbering(matrix.pattern);
    print_factorise(numbering);
    print_solve(numbering);
    return 0;
  }
  if (command == "time" && count > 3) return compare(matrix, arguments[3]);
  std::fputs("usage: pattern_kernel print L | time L FILE\n", stderr);
  return 2;
}
