// The three operations of a step that a generic sparse library does slowly, measured beside the same with places known
// beforehand: what the study of linear algebra shows.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <chrono>

#include "bind/multibody_python.hpp"

namespace counterpoint::bind {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Indices = std::vector<int>;

Sparse sparse(int rows, int columns, const Indices& row, const Indices& column, const std::vector<double>& value) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < row.size(); ++k) entries.emplace_back(row[k], column[k], value[k]);
  Sparse made(rows, columns);
  made.setFromTriplets(entries.begin(), entries.end());
  return made;
}

int place(const Sparse& matrix, int row, int column) {
  const int *first = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column],
            *last = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(first, last, row) - matrix.innerIndexPtr());
}

template <typename Action>
double best_seconds(int repeats, Action action) {
  double best = 1e300;
  for (int k = 0; k < repeats; ++k) {
    const auto began = std::chrono::steady_clock::now();
    action();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  }
  return best;
}

/// Seconds of J^T a J, of its sum with M, and of writing J: generic, then planned.
std::vector<double> measure_operations(const Sparse& mass, const Sparse& jacobian, double penalty, int repeats) {
  const Sparse transposed = jacobian.transpose();  // its columns are the rows of J
  const Sparse product = penalty * transposed * jacobian;
  const Sparse total = mass + product;
  Sparse made, sum, written = jacobian;
  Indices products, rows, columns, places;
  for (int row = 0; row < transposed.outerSize(); ++row) {
    for (Sparse::InnerIterator a(transposed, row); a; ++a) {
      for (Sparse::InnerIterator b(transposed, row); b && b.index() <= a.index(); ++b)
        products.push_back(place(total, static_cast<int>(a.index()), static_cast<int>(b.index())));
      rows.push_back(row);
      columns.push_back(static_cast<int>(a.index()));
      places.push_back(place(jacobian, row, columns.back()));
    }
  }
  Eigen::VectorXd values = Eigen::VectorXd::Zero(total.nonZeros()), on_pattern = values, added = values;
  const double* entries = transposed.valuePtr();
  const auto update = [&] {
    values.setZero();
    const int* target = products.data();
    for (int row = 0; row < transposed.outerSize(); ++row) {
      const int first = transposed.outerIndexPtr()[row], last = transposed.outerIndexPtr()[row + 1];
      for (int a = first; a < last; ++a) {
        const double scaled = penalty * entries[a];
        for (int b = first; b <= a; ++b) values[*target++] += scaled * entries[b];
      }
    }
  };
  return {best_seconds(repeats, [&] { made = penalty * transposed * jacobian; }),
          best_seconds(repeats, update),
          best_seconds(repeats, [&] { sum = mass + product; }),
          best_seconds(repeats, [&] { added = on_pattern + values; }),
          best_seconds(repeats,
                       [&] {
                         for (std::size_t k = 0; k < rows.size(); ++k)
                           written.coeffRef(rows[k], columns[k]) = entries[k];
                       }),
          best_seconds(repeats, [&] {
            double* const target = written.valuePtr();
            for (std::size_t k = 0; k < places.size(); ++k) target[places[k]] = entries[k];
          })};
}

}  // namespace

void bind_linear_operations(nb::module_& m) {
  m.def(
      "measure_operations",
      [](int size, int equations, const std::vector<Indices>& mass_places, const std::vector<double>& mass,
         const std::vector<Indices>& jacobian_places, const std::vector<double>& jacobian, double penalty,
         int repeats) {
        return measure_operations(sparse(size, size, mass_places.at(0), mass_places.at(1), mass),
                                  sparse(equations, size, jacobian_places.at(0), jacobian_places.at(1), jacobian),
                                  penalty, repeats);
      },
      nb::arg("size"), nb::arg("equations"), nb::arg("mass_places"), nb::arg("mass"), nb::arg("jacobian_places"),
      nb::arg("jacobian"), nb::arg("penalty"), nb::arg("repeats"));
}

}  // namespace counterpoint::bind
