#include "multibody/redundancy.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <utility>

namespace counterpoint::multibody {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;

constexpr double smallest_pivot = 1e-8;  ///< of rows whose largest entries are about 1
constexpr double rounding = 1e-17;
/// What an equation weighs by itself. One that follows from others finds its pivot there and takes no direction from
/// later ones, which may be put together from it: from its neighbours, and not from far away with factors that grow on
/// the way.
constexpr double own_weight = 1e-14;

struct MatrixEntry {
  int column;
  double value;
};
using Row = std::vector<MatrixEntry>;  ///< by growing column, none zero

/// The Jacobian's transpose at an instant: a column for each equation.
Matrix transposed_jacobian(const Model& model, const Instant& now) {
  const int n = model.coordinates(), m = model.equations();
  std::vector<double> phi(m), J(model.jacobian_pattern().entries());
  model.constraints(now, phi.data(), J.data());
  std::vector<Eigen::Triplet<double>> entries;
  const SparsePattern& pattern = model.jacobian_pattern();
  for (int row = 0; row < m; ++row) {
    for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k) {
      if (pattern.column[k] < n && std::abs(J[k]) > rounding) entries.emplace_back(pattern.column[k], row, J[k]);
    }
  }
  Matrix transposed(n, m);
  transposed.setFromTriplets(entries.begin(), entries.end());
  return transposed;
}

/// Turns two rows that begin in one column so that only the upper still has something there.
void rotate(Row& upper, Row& lower) {
  const double length = std::hypot(upper.front().value, lower.front().value);
  const double c = upper.front().value / length, s = lower.front().value / length;
  Row turned_upper{{upper.front().column, length}}, turned_lower;
  turned_upper.reserve(upper.size() + lower.size());
  turned_lower.reserve(upper.size() + lower.size());
  std::size_t i = 1, j = 1;
  while (i < upper.size() || j < lower.size()) {
    const bool in_upper = j == lower.size() || (i < upper.size() && upper[i].column <= lower[j].column);
    const bool in_lower = i == upper.size() || (j < lower.size() && lower[j].column <= upper[i].column);
    const int column = in_upper ? upper[i].column : lower[j].column;
    const double a = in_upper ? upper[i++].value : 0.0, b = in_lower ? lower[j++].value : 0.0;
    if (const double turned = c * a + s * b; std::abs(turned) > rounding) turned_upper.push_back({column, turned});
    if (const double turned = c * b - s * a; std::abs(turned) > rounding) turned_lower.push_back({column, turned});
  }
  upper = std::move(turned_upper);
  lower = std::move(turned_lower);
}

/// The triangle R of a QR factorisation, made from the rows of a matrix one by one (George and Heath, Linear Algebra
/// and its Applications 1980): neither Q nor the rows that it leaves over for free motions take room.
class Triangle {
 public:
  explicit Triangle(int columns) : rows_(columns) {}

  void add(Row row) {
    while (!row.empty()) {
      Row& there = rows_[row.front().column];
      if (there.empty()) {
        there = std::move(row);
        return;
      }
      rotate(there, row);
    }
  }

  /// How far the column sticks out of those before it, when all rows that begin in it or before have been added.
  double finish(int column) {
    add({{column, own_weight}});
    const Row done = std::move(rows_[column]);
    return std::abs(done.front().value);
  }

 private:
  std::vector<Row> rows_;
};

/// The rows of a matrix, by the column that they begin in.
std::vector<std::vector<Row>> rows_by_beginning(const Matrix& A) {
  std::vector<Row> rows(A.rows());
  for (int column = 0; column < A.cols(); ++column) {
    for (Matrix::InnerIterator entry(A, column); entry; ++entry) rows[entry.row()].push_back({column, entry.value()});
  }
  std::vector<std::vector<Row>> begun(A.cols());
  for (Row& row : rows) {
    if (!row.empty()) begun[row.front().column].push_back(std::move(row));
  }
  return begun;
}

}  // namespace

Redundancy find_redundancy(const Model& model, const Instant& now) {
  const int n = model.coordinates(), m = model.equations();
  if (m == 0) return {{}, n};
  Matrix A = transposed_jacobian(model, now);
  Permutation place;
  Eigen::COLAMDOrdering<int>()(A, place);
  A = A * place.inverse();
  const Permutation equation = place.inverse();
  std::vector<std::vector<Row>> rows = rows_by_beginning(A);
  Triangle triangle(m);
  Redundancy found;
  for (int column = 0; column < m; ++column) {
    for (Row& row : rows[column]) triangle.add(std::move(row));
    if (triangle.finish(column) < smallest_pivot) found.equations.push_back(equation.indices()[column]);
  }
  found.degrees_of_freedom = n - (m - static_cast<int>(found.equations.size()));
  std::sort(found.equations.begin(), found.equations.end());
  return found;
}

}  // namespace counterpoint::multibody
