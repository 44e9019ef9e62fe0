#include "multibody/redundancy.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>
#include <algorithm>

namespace counterpoint::multibody {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;

constexpr double kSmallestPivot = 1e-8;  ///< of rows whose largest entries are about 1
constexpr int kNone = -1;

/// The Jacobian's transpose at an instant: a column for each equation.
Matrix transposed_jacobian(const Model& model, const Instant& now) {
  const int n = model.coordinates(), m = model.equations();
  std::vector<double> phi(m), J(model.jacobian_pattern().entries());
  model.constraints(now, phi.data(), J.data());
  std::vector<Eigen::Triplet<double>> entries;
  const SparsePattern& pattern = model.jacobian_pattern();
  for (int row = 0; row < m; ++row) {
    for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k) {
      if (pattern.column[k] < n) entries.emplace_back(pattern.column[k], row, J[k]);
    }
  }
  Matrix transposed(n, m);
  transposed.setFromTriplets(entries.begin(), entries.end());
  return transposed;
}

/// Which column a column's Householder vector is next needed in (Gilbert, Li, Ng and Peyton, BIT 2001).
std::vector<int> elimination_tree(const Matrix& A) {
  std::vector<int> parent(A.cols(), kNone), ancestor(A.cols(), kNone), last_of_row(A.rows(), kNone);
  for (int column = 0; column < A.cols(); ++column) {
    for (Matrix::InnerIterator entry(A, column); entry; ++entry) {
      for (int at = last_of_row[entry.row()]; at != kNone && at < column;) {
        const int next = ancestor[at];
        ancestor[at] = column;
        if (next == kNone) parent[at] = column;
        at = next;
      }
      last_of_row[entry.row()] = column;
    }
  }
  return parent;
}

/// Rows so that each column finds on the diagonal a row that it fills anyway; Eigen's SparseQR leaves rows where they are, and
/// any other row on the diagonal would be fill that grows along the whole matrix.
Permutation rows_to_diagonal(const Matrix& A) {
  const std::vector<int> parent = elimination_tree(A);
  std::vector<std::vector<int>> rows(A.cols());
  std::vector<bool> is_met(A.rows(), false);
  std::vector<int> order;
  for (int column = 0; column < A.cols(); ++column) {
    for (Matrix::InnerIterator entry(A, column); entry; ++entry) {
      if (!is_met[entry.row()]) rows[column].push_back(static_cast<int>(entry.row()));
      is_met[entry.row()] = true;
    }
    if (rows[column].empty()) continue;
    order.push_back(rows[column].back());
    rows[column].pop_back();
    if (parent[column] != kNone) {
      std::vector<int>& above = rows[parent[column]];
      above.insert(above.end(), rows[column].begin(), rows[column].end());
      rows[column].clear();
    }
  }
  for (const std::vector<int>& left : rows) order.insert(order.end(), left.begin(), left.end());
  for (int row = 0; row < A.rows(); ++row) {
    if (!is_met[row]) order.push_back(row);
  }
  Permutation place(A.rows());
  for (int k = 0; k < A.rows(); ++k) place.indices()[order[k]] = k;
  return place;
}

}  // namespace

Redundancy find_redundancy(const Model& model, const Instant& now) {
  const int n = model.coordinates(), m = model.equations();
  if (m == 0) return {{}, n};
  Matrix A = transposed_jacobian(model, now);
  Permutation columns;
  Eigen::COLAMDOrdering<int>()(A, columns);
  A = A * columns.inverse();
  A = rows_to_diagonal(A) * A;
  A.makeCompressed();
  Eigen::SparseQR<Matrix, Eigen::NaturalOrdering<int>> qr;
  qr.setPivotThreshold(kSmallestPivot);
  qr.compute(A);
  Redundancy found;
  const int rank = static_cast<int>(qr.rank());
  found.degrees_of_freedom = n - rank;
  // Dependent columns of J^T are moved to the end.
  const Permutation original = columns.inverse();
  for (int k = rank; k < m; ++k) found.equations.push_back(original.indices()[qr.colsPermutation().indices()[k]]);
  std::sort(found.equations.begin(), found.equations.end());
  return found;
}

}  // namespace counterpoint::multibody
