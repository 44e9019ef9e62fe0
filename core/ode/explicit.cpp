// Fixed-step explicit Runge-Kutta methods ode1 to ode5, orders 1 to 5. Conditionally stable: the
// product of step and largest eigenvalue must stay within about 2 to 3.5.

#include <array>

#include "ode/linear_step.hpp"
#include "ode/tableau.hpp"
#include "signal/unrolled.hpp"

namespace counterpoint {
namespace {

template <class Tableau>
double stage_time(int s, double t, double t_end) {
  return Tableau::c[s] == 1.0 ? t_end : t + Tableau::c[s] * (t_end - t);
}

/// Sum over earlier stages of a[s][k] slope_k[i], zeros left out at compile time.
template <class Tableau, int s, class Slopes>
inline double stage_sum(const Slopes& slopes, int i) {
  double sum = 0.0;
  unrolled<s>([&](auto k) {
    if constexpr (Tableau::a[s][k] != 0.0) sum += Tableau::a[s][k] * slopes[k][i];
  });
  return sum;
}

template <class Tableau, class Slopes>
inline double weighted_sum(const Slopes& slopes, int i) {
  double sum = 0.0;
  unrolled<Tableau::stages>([&](auto s) {
    if constexpr (Tableau::b[s] != 0.0) sum += Tableau::b[s] * slopes[s][i];
  });
  return sum;
}

/// Any right-hand side.
template <class Tableau>
class ExplicitSolver final : public Solver {
 public:
  explicit ExplicitSolver(RightHandSidePointer f) : f_(std::move(f)), stage_(f_->states()) {
    slopes_.fill(stage_);
  }

  void step(double t, double t_end, double* x, Inputs& inputs) override {
    const int n = f_->states();
    const double h = t_end - t;
    unrolled<Tableau::stages>([&](auto s) {
      for (int i = 0; i < n; ++i) stage_[i] = x[i] + h * stage_sum<Tableau, s>(slopes_, i);
      const double time = stage_time<Tableau>(s, t, t_end);
      f_->evaluate(time, stage_.data(), inputs.at(time), slopes_[s].data());
    });
    for (int i = 0; i < n; ++i) x[i] += h * weighted_sum<Tableau>(slopes_, i);
  }

 private:
  RightHandSidePointer f_;
  std::vector<double> stage_;
  std::array<std::vector<double>, Tableau::stages> slopes_;
};

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
SolverPointer make(RightHandSidePointer f) {
  if (auto linear = std::dynamic_pointer_cast<const LinearRightHandSide>(f)) {
    std::vector<double> fractions;
    for (int s = 0; s < Tableau::stages; ++s) {
      if (is_first<Tableau>(s)) fractions.push_back(Tableau::c[s]);
    }
    return make_linear_step(std::move(linear), std::move(fractions), gather<Tableau>);
  }
  return std::make_unique<ExplicitSolver<Tableau>>(std::move(f));
}

}  // namespace

SolverPointer make_explicit_solver(int order, RightHandSidePointer f) {
  switch (order) {
    case 1: return make<tableau::Ode1>(std::move(f));
    case 2: return make<tableau::Ode2>(std::move(f));
    case 3: return make<tableau::Ode3>(std::move(f));
    case 4: return make<tableau::Ode4>(std::move(f));
    default: return make<tableau::Ode5>(std::move(f));
  }
}

}  // namespace counterpoint
