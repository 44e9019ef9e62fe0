// Fixed-step explicit Runge-Kutta methods ode1 to ode5, orders 1 to 5. Conditionally stable: the
// product of step and largest eigenvalue must stay within about 2 to 3.5.

#include <array>
#include <type_traits>

#include "ode/solver.hpp"
#include "ode/tableau.hpp"

namespace counterpoint {
namespace {

/// N is the number of states when the compiler may know it (small linear systems), else 0.
template <class Tableau, class Rhs, int N>
class ExplicitSolver final : public Solver {
 public:
  explicit ExplicitSolver(std::shared_ptr<const Rhs> f) : f_(std::move(f)) {
    if constexpr (N == 0) {
      for (auto& k : slopes_) k.resize(f_->states());
      stage_.resize(f_->states());
    }
  }

  void step(double t, double t_end, double* x, Inputs& inputs) override {
    const int n = N > 0 ? N : f_->states();
    const double h = t_end - t;
    const double* u = nullptr;
    unrolled<Tableau::stages>([&](auto stage) {
      constexpr int s = stage;
      for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        unrolled<s>([&](auto earlier) {
          constexpr double a = Tableau::a[s][earlier];
          if constexpr (a != 0.0) sum += a * slopes_[earlier][i];
        });
        stage_[i] = s == 0 ? x[i] : x[i] + h * sum;
      }
      if constexpr (s == 0) {
        u = inputs.at(t);
      } else if constexpr (Tableau::c[s] != Tableau::c[s - 1]) {
        u = inputs.at(Tableau::c[s] == 1.0 ? t_end : t + Tableau::c[s] * h);
      }
      evaluate(t + Tableau::c[s] * h, u, slopes_[s]);
    });
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      unrolled<Tableau::stages>([&](auto s) {
        constexpr double b = Tableau::b[s];
        if constexpr (b != 0.0) sum += b * slopes_[s][i];
      });
      x[i] += h * sum;
    }
  }

 private:
  using Storage = std::conditional_t<(N > 0), std::array<double, (N > 0 ? N : 1)>, std::vector<double>>;

  template <int Count, class Body>
  static void unrolled(Body&& body) {
    [&]<int... k>(std::integer_sequence<int, k...>) {
      (body(std::integral_constant<int, k>{}), ...);
    }(std::make_integer_sequence<int, Count>{});
  }

  void evaluate(double t, const double* u, Storage& slope) {
    if constexpr (N > 0) {
      f_->template evaluate_fixed<N>(stage_.data(), u, slope.data());
    } else {
      f_->evaluate(t, stage_.data(), u, slope.data());
    }
  }

  std::shared_ptr<const Rhs> f_;
  std::array<Storage, Tableau::stages> slopes_;
  Storage stage_;
};

template <class Tableau>
SolverPointer make(RightHandSidePointer f) {
  if (auto linear = std::dynamic_pointer_cast<const LinearRightHandSide>(f)) {
    switch (linear->states()) {
      case 1: return std::make_unique<ExplicitSolver<Tableau, LinearRightHandSide, 1>>(linear);
      case 2: return std::make_unique<ExplicitSolver<Tableau, LinearRightHandSide, 2>>(linear);
      case 3: return std::make_unique<ExplicitSolver<Tableau, LinearRightHandSide, 3>>(linear);
      case 4: return std::make_unique<ExplicitSolver<Tableau, LinearRightHandSide, 4>>(linear);
      default: return std::make_unique<ExplicitSolver<Tableau, LinearRightHandSide, 0>>(linear);
    }
  }
  return std::make_unique<ExplicitSolver<Tableau, RightHandSide, 0>>(std::move(f));
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
