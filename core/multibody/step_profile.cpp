#include "multibody/step_profile.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace counterpoint::multibody {

namespace {

class WatchedSolver final : public linear::Solver {
 public:
  WatchedSolver(linear::SolverPointer solver, PhaseClock& clock) : solver_(std::move(solver)), clock_(&clock) {}

  // A solution comes next.
  void factorise() override {
    clock_->end(Phase::tangent);
    solver_->factorise();
  }
  void factorise_and_solve(double* b) override {
    clock_->end(Phase::tangent);
    solver_->factorise_and_solve(b);
    clock_->end(Phase::factorisation);
  }
  void solve(double* b) override {
    solver_->solve(b);
    clock_->end(Phase::factorisation);
  }
  void solve_many(double* b, int count) override {
    clock_->end(Phase::projection_terms);
    solver_->solve_many(b, count);
    clock_->end(Phase::projection_solutions);
  }

  int slot(int row, int column) const override { return solver_->slot(row, column); }
  std::span<double> values() override { return solver_->values(); }
  int unknowns() const override { return solver_->unknowns(); }
  int places() const override { return solver_->places(); }
  const char* name() const override { return solver_->name(); }
  int domains() const override { return solver_->domains(); }
  int domain_of(int unknown) const override { return solver_->domain_of(unknown); }
  std::pair<int, int> values_of(int domain) override { return solver_->values_of(domain); }
  long long factor_entries() const override { return solver_->factor_entries(); }

 private:
  linear::SolverPointer solver_;
  PhaseClock* clock_;
};

}  // namespace

const char* name_of(Phase phase) {
  constexpr std::array<const char*, phases> names{
      "prediction",       "dynamic terms",        "residual",  "tangent", "factorisation", "correction", "checks",
      "projection terms", "projection solutions", "acceptance"};
  return names[static_cast<std::size_t>(phase)];
}

linear::SolverPointer watched(linear::SolverPointer solver, PhaseClock* clock) {
  if (clock == nullptr) return solver;
  return std::make_unique<WatchedSolver>(std::move(solver), *clock);
}

double seconds_per_reading() {
  constexpr int batches = 50, readings = 200;
  double least = INFINITY;
  for (int batch = 0; batch < batches; ++batch) {
    PhaseClock clock;
    clock.begin();
    for (int k = 0; k < readings; ++k) clock.end(Phase::checks);
    least = std::min(least, clock.profile()->seconds[static_cast<std::size_t>(Phase::checks)] / readings);
  }
  return least;
}

}  // namespace counterpoint::multibody
