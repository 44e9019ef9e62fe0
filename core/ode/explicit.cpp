// Fixed-step explicit Runge-Kutta methods ode1 to ode5, orders 1 to 5. Conditionally stable: the
// product of step and largest eigenvalue must stay within about 2 to 3.5.

#include <array>
#include <utility>

#include "ode/solver.hpp"
#include "ode/tableau.hpp"

namespace counterpoint {
namespace {

template <int Count, class Body>
inline void unrolled(Body&& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (body(std::integral_constant<int, k>{}), ...);
  }(std::make_integer_sequence<int, Count>{});
}

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

/// A linear system of N states and one input, small enough that the compiler may know its size. The
/// input does not depend on the state: it is asked for first, and the stages then run in registers.
template <class Tableau, int N>
class SmallLinearSolver final : public Solver {
 public:
  explicit SmallLinearSolver(std::shared_ptr<const LinearRightHandSide> f) : f_(std::move(f)) {}

  void step(double t, double t_end, double* x, Inputs& inputs) override {
    double u[Tableau::stages];
    unrolled<Tableau::stages>([&](auto s) {
      constexpr bool same_time = s > 0 && Tableau::c[s] == Tableau::c[s > 0 ? s - 1 : 0];
      u[s] = same_time ? u[s > 0 ? s - 1 : 0] : *inputs.at(stage_time<Tableau>(s, t, t_end));
    });
    const double h = t_end - t;
    const double* a = f_->a().data();
    const double* b = f_->b().data();
    double slopes[Tableau::stages][N];
    unrolled<Tableau::stages>([&](auto s) {
      double stage[N];
      for (int i = 0; i < N; ++i) stage[i] = s == 0 ? x[i] : x[i] + h * stage_sum<Tableau, s>(slopes, i);
      for (int i = 0; i < N; ++i) {
        double sum = b[i] * u[s];
        for (int j = 0; j < N; ++j) sum += a[i * N + j] * stage[j];
        slopes[s][i] = sum;
      }
    });
    for (int i = 0; i < N; ++i) x[i] += h * weighted_sum<Tableau>(slopes, i);
  }

 private:
  std::shared_ptr<const LinearRightHandSide> f_;
};

template <class Tableau>
SolverPointer make(RightHandSidePointer f) {
  auto linear = std::dynamic_pointer_cast<const LinearRightHandSide>(f);
  if (linear && linear->inputs() == 1) {
    switch (linear->states()) {
      case 1: return std::make_unique<SmallLinearSolver<Tableau, 1>>(linear);
      case 2: return std::make_unique<SmallLinearSolver<Tableau, 2>>(linear);
      case 3: return std::make_unique<SmallLinearSolver<Tableau, 3>>(linear);
      case 4: return std::make_unique<SmallLinearSolver<Tableau, 4>>(linear);
      default: break;
    }
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
