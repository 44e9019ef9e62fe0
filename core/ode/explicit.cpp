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

/// At most 4 states, and few enough inputs that Eigen multiplies coefficient by coefficient whatever the type: the same
/// bits as with matrices of any size, without their memory. This is most of the cost of a model's first step.
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 4, 11>;
bool is_small(int rows, int columns) { return rows <= 4 && columns <= 11; }

/// Carry the linear map (x, u_0, u_1, ...) -> slopes through the stages.
template <class Tableau, class AnyMatrix>
void carry(const LinearRightHandSide& f, double h, int distinct, std::vector<double>& columns) {
  const int n = f.states();
  const int m = f.inputs();
  const AnyMatrix start = AnyMatrix::Identity(n, n + distinct * m);
  AnyMatrix end = start;
  std::array<AnyMatrix, Tableau::stages> slopes;
  int input = -1;
  for (int s = 0; s < Tableau::stages; ++s) {
    AnyMatrix stage = start;
    for (int k = 0; k < s; ++k) stage += h * Tableau::a[s][k] * slopes[k];
    slopes[s].noalias() = f.a() * stage;
    input += is_first<Tableau>(s) ? 1 : 0;
    slopes[s].block(0, n + input * m, n, m) += f.b();
    end += h * Tableau::b[s] * slopes[s];
  }
  columns.clear();
  append_columns(end.rightCols(distinct * m), columns);
  append_columns(end.leftCols(n), columns);
}

template <class Tableau>
void gather(const LinearRightHandSide& f, double h, std::vector<double>& columns) {
  int distinct = 0;
  for (int s = 0; s < Tableau::stages; ++s) distinct += is_first<Tableau>(s) ? 1 : 0;
  if (is_small(f.states(), f.states() + distinct * f.inputs()))
    return carry<Tableau, SmallMatrix>(f, h, distinct, columns);
  carry<Tableau, Matrix>(f, h, distinct, columns);
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
