#include <Eigen/Dense>
#include <limits>
#include <random>
#include <set>

#include "../../core/check.hpp"

#include "check.hpp"
#include "four_bar.hpp"
#include "linear/ordering.hpp"

using namespace counterpoint;
using namespace counterpoint::linear;
using testing::Assembly;
using testing::FourBarChain;
using testing::Matrix;

namespace {

const std::vector<SolverType> symmetric_types{SolverType::static_ldlt, SolverType::sparse_ldlt, SolverType::dense_ldlt,
                                              SolverType::sparse_lu,   SolverType::dense_lu,    SolverType::static_lu,
                                              SolverType::automatic};
const std::vector<SolverType> ldlt_types{SolverType::static_ldlt, SolverType::sparse_ldlt, SolverType::dense_ldlt};
const std::vector<SolverType> unsymmetric_types{SolverType::sparse_lu, SolverType::dense_lu, SolverType::automatic};

Eigen::MatrixXd dense(const Matrix& matrix) {
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(matrix.pattern.size, matrix.pattern.size);
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    const auto [row, column] = matrix.pattern.entries[k];
    full(row, column) += matrix.values[k];
    if (matrix.pattern.symmetric && row != column) full(column, row) += matrix.values[k];
  }
  return full;
}

Eigen::VectorXd right_hand_side(int size) {
  Eigen::VectorXd b(size);
  for (int k = 0; k < size; ++k) b[k] = std::sin(1.0 + k);
  return b;
}

SolverPointer factorised(SolverType type, const Matrix& matrix) {
  SolverPointer solver = make_solver(type, matrix.pattern);
  Assembly(matrix, *solver)();
  solver->factorise();
  return solver;
}

Eigen::VectorXd solved(Solver& solver, Eigen::VectorXd b) {
  solver.solve(b.data());
  return b;
}

void check_against_dense(SolverType type, const Matrix& matrix, double tolerance) {
  const Eigen::VectorXd b = right_hand_side(matrix.pattern.size);
  const Eigen::VectorXd expected = dense(matrix).fullPivLu().solve(b);
  const SolverPointer solver = factorised(type, matrix);
  const double error = (solved(*solver, b) - expected).norm() / expected.norm();
  if (!(error <= tolerance)) {
    const std::string where = std::string(name_of(type)) + ", size " + std::to_string(b.size());
    check::fail(__FILE__, __LINE__, where + ": relative error " + check::number(error));
  }
}

/// Random entries; the diagonal outweighs them. Each entry in the triangle that chance picks.
Matrix random_symmetric(std::mt19937& random, int size, double fill) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::bernoulli_distribution there(fill);
  std::bernoulli_distribution upper(0.5);
  Matrix matrix;
  matrix.pattern.size = size;
  std::vector<double> weight(size, 1.0);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < i; ++j) {
      if (!there(random)) continue;
      const double value = number(random);
      weight[i] += std::abs(value);
      weight[j] += std::abs(value);
      upper(random) ? matrix.add(j, i, value) : matrix.add(i, j, value);
    }
  }
  for (int i = 0; i < size; ++i) matrix.add(i, i, weight[i]);
  return matrix;
}

/// [K J^T; J -e] with random J of three entries in each row; the multipliers lie between the other unknowns.
Matrix random_quasi_definite(std::mt19937& random, int unknowns, int multipliers, double e) {
  std::uniform_real_distribution<double> number(0.5, 1.5);
  std::uniform_int_distribution<int> any(0, unknowns - 1);
  const int size = unknowns + multipliers;
  std::vector<int> place(size);
  for (int k = 0; k < size; ++k) place[k] = k;
  std::shuffle(place.begin(), place.end(), random);
  Matrix matrix;
  matrix.pattern.size = size;
  matrix.pattern.late.assign(size, false);
  for (int i = 0; i < unknowns; ++i) {
    matrix.add(place[i], place[i], 3.0 * number(random));
    if (i > 0) matrix.add(place[i], place[i - 1], number(random));
  }
  for (int m = unknowns; m < size; ++m) {
    matrix.pattern.late[place[m]] = true;
    matrix.add(place[m], place[m], -e);
    const int own = m - unknowns;  // keeps the rows of J independent
    std::set<int> columns{own, any(random), any(random)};
    for (int i : columns) matrix.add(place[m], place[i], i == own ? 4.0 : number(random));
  }
  return matrix;
}

Matrix random_unsymmetric(std::mt19937& random, int size, double fill) {
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::bernoulli_distribution there(fill);
  Matrix matrix;
  matrix.pattern.size = size;
  matrix.pattern.symmetric = false;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      if (i != j && there(random)) matrix.add(i, j, number(random));
    }
    matrix.add(i, (i + 1) % size, 2.0 + number(random));  // the large entries lie beside the diagonal
  }
  return matrix;
}

/// The equation that the factorisation names, or -2 if it succeeds.
int failing_equation(SolverType type, const Matrix& matrix) {
  try {
    factorised(type, matrix);
  } catch (const SingularMatrix& error) {
    return error.equation;
  }
  return -2;
}

}  // namespace

TEST(every_kind_solves_positive_definite_matrices) {
  std::mt19937 random(1);
  for (const int size : {1, 2, 3, 5, 8, 13, 40, 90}) {
    for (const double fill : {0.0, 0.05, 0.3, 1.0}) {
      const Matrix matrix = random_symmetric(random, size, fill);
      for (SolverType type : symmetric_types) check_against_dense(type, matrix, 1e-13);
    }
  }
}

TEST(long_columns_with_gaps_are_solved_too) {
  std::mt19937 random(2);
  const Matrix matrix = random_symmetric(random, 200, 0.03);
  for (SolverType type : symmetric_types) check_against_dense(type, matrix, 1e-13);
}

TEST(every_kind_solves_quasi_definite_matrices) {
  std::mt19937 random(3);
  for (const int multipliers : {1, 3, 10, 30}) {
    const Matrix matrix = random_quasi_definite(random, 2 * multipliers + 1, multipliers, 1e-3);
    for (SolverType type : symmetric_types) check_against_dense(type, matrix, 1e-10);
  }
}

TEST(a_multiplier_is_no_pivot_before_its_unknowns) {
  std::mt19937 random(4);
  for (const double e : {1e-12, 0.0}) {
    const Matrix matrix = random_quasi_definite(random, 41, 20, e);
    for (SolverType type : symmetric_types) check_against_dense(type, matrix, 1e-9);
  }
  const Matrix chain = FourBarChain(20).kkt(1e12);
  for (SolverType type : symmetric_types) check_against_dense(type, chain, 1e-9);
}

TEST(late_unknowns_come_after_their_other_neighbours) {
  std::mt19937 random(5);
  for (const int multipliers : {1, 5, 60, 400}) {
    const Pattern pattern = random_quasi_definite(random, 2 * multipliers, multipliers, 1.0).pattern;
    const Symbolic symbolic = analyse(pattern, minimum_degree(pattern));
    for (auto [row, column] : pattern.entries) {
      if (pattern.late[row] == pattern.late[column]) continue;
      if (pattern.late[column]) std::swap(row, column);
      CHECK(symbolic.position[column] < symbolic.position[row]);
    }
  }
}

TEST(unsymmetric_matrices_are_solved_with_pivoting) {
  std::mt19937 random(6);
  for (const int size : {1, 2, 7, 30, 80}) {
    const Matrix matrix = random_unsymmetric(random, size, 0.05);
    for (SolverType type : unsymmetric_types) check_against_dense(type, matrix, 1e-11);
  }
}

TEST(the_condensed_and_the_full_system_of_a_chain_agree) {
  const double p = 2.5e3;
  const FourBarChain chain(12);
  const Matrix condensed = chain.condensed(p);
  const Matrix kkt = chain.kkt(p);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(kkt.pattern.size);
  b.head(condensed.pattern.size) = right_hand_side(condensed.pattern.size);
  const Eigen::VectorXd x = solved(*factorised(SolverType::static_ldlt, condensed), b.head(condensed.pattern.size));
  const Eigen::VectorXd y = solved(*factorised(SolverType::static_ldlt, kkt), b);
  CHECK_CLOSE(0.0, (x - y.head(x.size())).norm() / x.norm(), 1e-9);
}

TEST(a_chain_is_eliminated_with_hardly_any_fill) {
  const int loops = 1000;
  CHECK(make_solver(SolverType::static_ldlt, FourBarChain(loops).condensed(1.0).pattern)->factor_entries() <=
        7 * (loops + 1));
  const long long kkt = make_solver(SolverType::static_ldlt, FourBarChain(loops).kkt(1.0).pattern)->factor_entries();
  CHECK(kkt <= 22 * (loops + 1));
}

TEST(a_row_that_touches_everything_is_eliminated_last) {
  const int size = 20000;
  Matrix arrow;
  arrow.pattern.size = size;
  for (int i = 0; i < size; ++i) arrow.add(i, i, 2.0);
  for (int i = 1; i < size; ++i) arrow.add(0, i, 1.0 / size);
  const SolverPointer solver = factorised(SolverType::static_ldlt, arrow);
  CHECK(solver->factor_entries() == 2 * size - 1);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(size);
  Eigen::VectorXd b = 2.0 * x + Eigen::VectorXd::Constant(size, 1.0 / size);
  b[0] = 2.0 + (size - 1.0) / size;
  CHECK_CLOSE(0.0, (solved(*solver, b) - x).norm(), 1e-10);
}

TEST(slots_are_one_for_both_triangles_of_a_symmetric_pattern) {
  std::mt19937 random(7);
  const Matrix matrix = random_symmetric(random, 30, 0.2);
  for (SolverType type : symmetric_types) {
    const SolverPointer solver = make_solver(type, matrix.pattern);
    std::set<int> used;
    for (const auto& [row, column] : matrix.pattern.entries) {
      CHECK(solver->slot(row, column) == solver->slot(column, row));
      CHECK(used.insert(solver->slot(row, column)).second);
    }
    CHECK(*used.rbegin() < solver->spare_slot());
    CHECK_THROWS(std::logic_error, "", solver->slot(0, 30));
  }
}

TEST(unsymmetric_slots_differ) {
  Pattern pattern{2, {{0, 1}, {1, 0}}, false, {}};
  for (SolverType type : unsymmetric_types) {
    const SolverPointer solver = make_solver(type, pattern);
    CHECK(solver->slot(0, 1) != solver->slot(1, 0));
    CHECK(solver->slot(0, 0) != solver->slot(1, 1));
  }
}

TEST(sparse_solvers_have_no_slot_outside_of_the_pattern) {
  const Pattern pattern{3, {{0, 0}, {1, 1}, {2, 2}, {0, 1}}, true, {}};
  for (SolverType type : {SolverType::static_ldlt, SolverType::sparse_ldlt, SolverType::sparse_lu}) {
    CHECK_THROWS(InternalError, "not in the pattern", make_solver(type, pattern)->slot(0, 2));
  }
}

TEST(the_spare_slot_is_never_read) {
  std::mt19937 random(8);
  const Matrix matrix = random_symmetric(random, 12, 0.4);
  const Eigen::VectorXd b = right_hand_side(12);
  for (SolverType type : symmetric_types) {
    const SolverPointer solver = make_solver(type, matrix.pattern);
    const Eigen::VectorXd expected = solved(*factorised(type, matrix), b);
    Assembly(matrix, *solver)();
    solver->values()[solver->spare_slot()] = std::numeric_limits<double>::quiet_NaN();
    solver->factorise();
    CHECK((solved(*solver, b).array() == expected.array()).all());
  }
}

TEST(the_same_values_give_the_same_bits) {
  std::mt19937 random(9);
  const Matrix matrix = random_symmetric(random, 60, 0.1);
  Matrix other = matrix;
  for (double& value : other.values) value *= 1.5;
  const Eigen::VectorXd b = right_hand_side(60);
  for (SolverType type : symmetric_types) {
    const SolverPointer solver = factorised(type, matrix);
    const Eigen::VectorXd first = solved(*solver, b);
    CHECK((solved(*solver, b).array() == first.array()).all());
    Assembly(other, *solver)();
    solver->factorise();
    solved(*solver, b);
    Assembly(matrix, *solver)();
    solver->factorise();
    CHECK((solved(*solver, b).array() == first.array()).all());
  }
}

TEST(a_singular_matrix_names_its_equation) {
  std::mt19937 random(10);
  Matrix matrix = random_symmetric(random, 9, 0.3);
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    const auto [row, column] = matrix.pattern.entries[k];
    if (row == 5 || column == 5) matrix.values[k] = 0.0;
  }
  for (SolverType type : ldlt_types) CHECK(failing_equation(type, matrix) == 5);
  CHECK(failing_equation(SolverType::dense_lu, matrix) == 5);
  CHECK(failing_equation(SolverType::sparse_lu, matrix) == -1);
}

TEST(values_that_are_not_finite_are_refused) {
  std::mt19937 random(11);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity}) {
    Matrix matrix = random_symmetric(random, 9, 0.3);
    matrix.values.back() = bad;  // the last diagonal entry
    for (SolverType type : ldlt_types) CHECK(failing_equation(type, matrix) == 8);
    CHECK(failing_equation(SolverType::dense_lu, matrix) >= 0);
    CHECK(failing_equation(SolverType::sparse_lu, matrix) == -1);
    matrix = random_symmetric(random, 9, 0.3);
    matrix.values.front() = bad;  // beside the diagonal
    for (SolverType type : symmetric_types) CHECK(failing_equation(type, matrix) != -2);
  }
}

TEST(a_solver_works_again_after_a_singular_matrix) {
  Matrix matrix;
  matrix.pattern.size = 1;
  matrix.add(0, 0, 0.0);
  for (SolverType type : symmetric_types) {
    const SolverPointer solver = make_solver(type, matrix.pattern);
    Assembly(matrix, *solver)();
    CHECK_THROWS(SingularMatrix, "singular", solver->factorise());
    solver->values()[solver->slot(0, 0)] = 4.0;
    solver->factorise();
    double b = 2.0;
    solver->solve(&b);
    CHECK_CLOSE(0.5, b, 0.0);
  }
}

TEST(bad_patterns_and_types_are_refused) {
  const Pattern good{2, {{0, 0}}, true, {}};
  CHECK_THROWS(UserError, "static-ldlt", solver_type("cholesky"));
  for (SolverType type : symmetric_types) {
    CHECK_THROWS(InternalError, "size 0", make_solver(type, {}));
    CHECK_THROWS(InternalError, "(0, 2)", make_solver(type, {2, {{0, 2}}, true, {}}));
    CHECK_THROWS(InternalError, "late", make_solver(type, {2, {{0, 0}}, true, {true}}));
  }
  for (SolverType type : ldlt_types) {
    CHECK_THROWS(InternalError, "symmetric", make_solver(type, {2, {{0, 0}}, false, {}}));
  }
}
