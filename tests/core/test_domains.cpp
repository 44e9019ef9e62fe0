// Domains of large matrices, and the threads that work on them.
#include <atomic>
#include <cmath>
#include <random>
#include <stdexcept>

#include "check.hpp"
#include "four_bar.hpp"
#include "linear/domains.hpp"
#include "linear/team.hpp"

using namespace counterpoint;
using namespace counterpoint::linear;
using testing::Assembly;
using testing::FourBarChain;
using testing::Matrix;

namespace {

/// Points of a square net, each connected with its four neighbours: its tree has many branches.
Matrix net(int side) {
  Matrix matrix;
  matrix.pattern.size = side * side;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int here = i * side + j;
      matrix.add(here, here, 4.5 + 0.1 * std::sin(here));
      if (j + 1 < side) matrix.add(here, here + 1, -1.0 + 0.1 * std::cos(here));
      if (i + 1 < side) matrix.add(here, here + side, -1.0);
    }
  }
  return matrix;
}

std::vector<double> sine(int count) {
  std::vector<double> b(count);
  for (int k = 0; k < count; ++k) b[k] = std::sin(1.0 + k);
  return b;
}

/// The solution, the same by `factorise_and_solve`, and that of three right-hand sides, one after the other.
std::vector<double> solutions(const Matrix& matrix, SolverType type, int threads) {
  const SolverPointer solver = make_solver(type, matrix.pattern, std::make_shared<Team>(threads));
  const int size = matrix.pattern.size;
  std::vector<double> all, carried = sine(size), alone = sine(size), three = sine(3 * size);
  for (std::vector<double>* b : {&carried, &alone}) b->resize(static_cast<std::size_t>(solver->places()));
  three.resize(3 * static_cast<std::size_t>(solver->places()));
  Assembly(matrix, *solver)();
  solver->factorise_and_solve(carried.data());
  Assembly(matrix, *solver)();
  solver->factorise();
  solver->solve(alone.data());
  solver->solve_many(three.data(), 3);
  all.insert(all.end(), carried.begin(), carried.begin() + size);
  all.insert(all.end(), alone.begin(), alone.begin() + size);
  all.insert(all.end(), three.begin(), three.begin() + 3 * size);
  return all;
}

/// The same matrix for a caller who wants domains.
Matrix with_domains(Matrix matrix) {
  matrix.pattern.used_places = matrix.pattern.size + 3;
  return matrix;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

int domains(const Matrix& matrix) { return make_solver(SolverType::static_ldlt, matrix.pattern)->domains(); }

}  // namespace

TEST(a_chain_has_two_domains_and_a_net_has_more) {
  CHECK(domains(with_domains(FourBarChain(1200).condensed(1.0))) == 2);
  CHECK(domains(with_domains(FourBarChain(1200).kkt(1.0))) == 2);
  CHECK(domains(with_domains(net(60))) >= 2);
  CHECK(domains(FourBarChain(1200).condensed(1.0)) == 1);
}

TEST(no_entry_connects_two_domains) {
  for (const Matrix& matrix : {with_domains(FourBarChain(1200).kkt(1.0)), with_domains(net(60))}) {
    const SolverPointer solver = make_solver(SolverType::static_ldlt, matrix.pattern);
    for (const auto& [row, column] : matrix.pattern.entries) {
      const int first = solver->domain_of(row), second = solver->domain_of(column);
      CHECK(first == second || first == solver->domains() || second == solver->domains());
    }
  }
}

// Another solver knows no domains. Its sums are others: the difference is rounding times the condition.
TEST(domains_give_the_solution) {
  for (const Matrix& given : {FourBarChain(1200).condensed(1e4), FourBarChain(1200).kkt(1e4), net(60)}) {
    const Matrix matrix = with_domains(given);
    const std::vector<double> expected = solutions(matrix, SolverType::sparse_ldlt, 1);
    const std::vector<double> actual = solutions(matrix, SolverType::static_ldlt, 1);
    CHECK_CLOSE(0.0, largest_difference(expected, actual), 1e-8);
  }
}

TEST(the_number_of_threads_changes_no_bit) {
  for (const Matrix& given : {FourBarChain(1200).condensed(1e4), FourBarChain(1200).kkt(1e4), net(60)}) {
    const Matrix matrix = with_domains(given);
    const std::vector<double> expected = solutions(matrix, SolverType::static_ldlt, 1);
    for (const int threads : {2, 3, 8}) CHECK(solutions(matrix, SolverType::static_ldlt, threads) == expected);
  }
}

TEST(a_pivot_of_zero_in_a_domain_is_named) {
  Matrix matrix = with_domains(FourBarChain(1200).condensed(0.0));
  for (double& value : matrix.values) value = 0.0;
  for (const int threads : {1, 2}) {
    const SolverPointer solver = make_solver(SolverType::static_ldlt, matrix.pattern, std::make_shared<Team>(threads));
    Assembly(matrix, *solver)();
    CHECK_THROWS(SingularMatrix, "pivot 0 in equation", solver->factorise());
  }
}

TEST(a_tree_that_cannot_be_split_stays_whole) {
  std::vector<int> parent(1000);
  for (int k = 0; k < 1000; ++k) parent[k] = k + 1 < 1000 ? k + 1 : -1;
  CHECK(find_domains(parent, std::vector<double>(1000, 1.0)).count == 1);
}

TEST(every_part_is_done_once) {
  for (const int threads : {1, 2, 5}) {
    Team team(threads);
    std::vector<std::atomic<int>> done(7);
    for (int task = 0; task < 200; ++task) team.run(7, [&](int part) { done[part] += 1; });
    for (const auto& times : done) CHECK(times == 200);
  }
}

TEST(the_failure_of_the_lowest_part_is_thrown_and_the_team_goes_on) {
  Team team(3);
  const auto fails = [](int part) {
    if (part > 0) throw std::runtime_error("part " + std::to_string(part));
  };
  for (int task = 0; task < 50; ++task) CHECK_THROWS(std::runtime_error, "part 1", team.run(3, fails));
  std::atomic<int> done{0};
  team.run(3, [&](int) { ++done; });
  CHECK(done == 3);
}

TEST(threads_that_sleep_wake_up) {
  Team team(2);
  std::atomic<int> done{0};
  for (int task = 0; task < 3; ++task) {
    team.run(2, [&](int) { ++done; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(done == 6);
}
