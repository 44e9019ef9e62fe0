// Fixed-step explicit Runge-Kutta methods ode1 to ode5. On a linear system a step is one matrix, gathered here from the
// same tableaux; other systems take the stages one by one (runge_kutta.cpp).

#include <array>

#include "ode/linear_step.hpp"
#include "ode/tableau.hpp"

namespace counterpoint {
namespace {

/// Whether stage s is the first at its time; equal times are neighbours in these tableaux.
template <class Tableau>
bool is_first(int s) {
  return s == 0 || Tableau::c[s] != Tableau::c[s - 1];
}

/// Carry the linear map (x, u_0, u_1, ...) -> slopes through the stages.
template <class Tableau>
LinearMap gather(const LinearRightHandSide& f, double h) {
  const int n = f.states();
  const int m = f.inputs();
  int distinct = 0;
  for (int s = 0; s < Tableau::stages; ++s) distinct += is_first<Tableau>(s) ? 1 : 0;
  const Matrix start = Matrix::Identity(n, n + distinct * m);
  Matrix end = start;
  std::array<Matrix, Tableau::stages> slopes;
  int input = -1;
  for (int s = 0; s < Tableau::stages; ++s) {
    Matrix stage = start;
    for (int k = 0; k < s; ++k) stage += h * Tableau::a[s][k] * slopes[k];
    slopes[s] = f.a() * stage;
    input += is_first<Tableau>(s) ? 1 : 0;
    slopes[s].block(0, n + input * m, n, m) += f.b();
    end += h * Tableau::b[s] * slopes[s];
  }
  LinearMap map{end.leftCols(n), {}};
  for (int j = 0; j < distinct; ++j) map.q.push_back(end.middleCols(n + j * m, m));
  return map;
}

template <class Tableau>
SolverPointer make(std::shared_ptr<const LinearRightHandSide> f) {
  std::vector<double> fractions;
  for (int s = 0; s < Tableau::stages; ++s) {
    if (is_first<Tableau>(s)) fractions.push_back(Tableau::c[s]);
  }
  return make_linear_step(std::move(f), std::move(fractions), gather<Tableau>);
}

}  // namespace

SolverPointer make_explicit_solver(OdeSolver solver, RightHandSidePointer f) {
  auto linear = std::dynamic_pointer_cast<const LinearRightHandSide>(f);
  if (!linear) return make_method_solver(solver, std::move(f), {});
  switch (solver) {
    case OdeSolver::ode1:
      return make<tableau::Ode1>(std::move(linear));
    case OdeSolver::ode2:
      return make<tableau::Ode2>(std::move(linear));
    case OdeSolver::ode3:
      return make<tableau::Ode3>(std::move(linear));
    case OdeSolver::ode4:
      return make<tableau::Ode4>(std::move(linear));
    default:
      return make<tableau::Ode5>(std::move(linear));
  }
}

}  // namespace counterpoint
