#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>

#include "bind/multibody_python.hpp"
#include "linear/solver.hpp"

namespace counterpoint::bind {

namespace {

/// A linear solver with the matrix that it is given: what studies measure.
class MeasuredSolver {
 public:
  MeasuredSolver(const std::string& name, int size, const std::vector<int>& rows, const std::vector<int>& columns,
                 bool symmetric, const std::vector<bool>& late) {
    linear::Pattern pattern;
    pattern.size = size;
    pattern.symmetric = symmetric;
    pattern.late = late;
    for (std::size_t k = 0; k < rows.size(); ++k) pattern.entries.emplace_back(rows[k], columns[k]);
    solver_ = linear::make_solver(linear::solver_type(name), pattern);
    for (const auto& [row, column] : pattern.entries) slots_.push_back(solver_->slot(row, column));
  }

  std::string name() const { return solver_->name(); }
  long long factor_entries() const { return solver_->factor_entries(); }

  std::vector<double> solve(const std::vector<double>& values, std::vector<double> b) {
    take(values);
    base_.assign(solver_->values().begin(), solver_->values().end());
    factorise();
    solver_->solve(b.data());
    return b;
  }

  /// Seconds of one factorisation, and of one solution: the best of `repeats` after `solve`.
  std::vector<double> measure(int repeats) {
    std::vector<double> b(static_cast<std::size_t>(solver_->unknowns()), 1.0);
    double factor = 1e300, solution = 1e300;
    for (int k = 0; k < repeats; ++k) {
      factor = std::min(factor, seconds([&] { factorise(); }));
      std::fill(b.begin(), b.end(), 1.0);
      solution = std::min(solution, seconds([&] { solver_->solve(b.data()); }));
    }
    return {factor, solution};
  }

 private:
  void take(const std::vector<double>& values) {
    std::ranges::fill(solver_->values(), 0.0);
    for (std::size_t k = 0; k < slots_.size(); ++k) solver_->values()[slots_[k]] = values[k];
  }
  void factorise() {
    std::ranges::copy(base_, solver_->values().begin());
    solver_->factorise();
  }
  template <typename Action>
  static double seconds(Action action) {
    const auto began = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

  linear::SolverPointer solver_;
  std::vector<int> slots_;
  std::vector<double> base_;
};

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("solver_names", [] {
    const auto names = linear::solver_names();
    return std::vector<std::string>(names.begin(), names.end());
  });
  m.def("has_klu", &linear::has_klu);
  nb::class_<MeasuredSolver>(m, "LinearSolver", "A linear solver of the core with a matrix of given pattern.")
      .def(nb::init<const std::string&, int, const std::vector<int>&, const std::vector<int>&, bool,
                    const std::vector<bool>&>(),
           nb::arg("name"), nb::arg("size"), nb::arg("rows"), nb::arg("columns"), nb::arg("symmetric") = true,
           nb::arg("late") = std::vector<bool>())
      .def_prop_ro("name", &MeasuredSolver::name)
      .def_prop_ro("factor_entries", &MeasuredSolver::factor_entries)
      .def("solve", &MeasuredSolver::solve, nb::arg("values"), nb::arg("b"))
      .def("measure", &MeasuredSolver::measure, nb::arg("repeats"));
}

}  // namespace counterpoint::bind
