// ode23s: the modified Rosenbrock pair of Shampine and Reichelt (The MATLAB ODE suite, SIAM J. Sci. Comput. 18, 1997).
// Order 2 with an error estimate of order 3, L-stable, linearly implicit: one Jacobian and one factorisation a step, no
// iteration, so nothing is left to converge. For stiff models at moderate tolerances. The interpolant is of order 2.

#include <algorithm>
#include <cmath>

#include "linear/decompositions.hpp"
#include "ode/method.hpp"

namespace counterpoint {
namespace {

class Rosenbrock final : public Method {
 public:
  Rosenbrock(int states, const SolverOptions& options)
      : n_(states), options_(options), typical_(options.absolute_tolerance / options.relative_tolerance) {
    for (Vector* one : {&f0_, &f1_, &f2_, &k1_, &k2_, &k3_, &time_slope_, &stage_, &from_}) one->resize(states);
  }

  void begin() override { has_jacobian_ = false; }

  double attempt(double t, double t_end, const double* x, const double* first, double* x_end, Slopes& f) override {
    if (n_ == 0) return 0.0;
    h_ = t_end - t;
    t_ = t;
    from_ = Eigen::Map<const Vector>(x, n_);
    f0_ = Eigen::Map<const Vector>(first, n_);
    if (!has_jacobian_) differentiate(t, f);
    factors_.compute(Matrix::Identity(n_, n_) - h_ * d * jacobian_);
    k1_ = factors_.solve(f0_ + h_ * d * time_slope_);
    stage_ = from_ + 0.5 * h_ * k1_;
    f.evaluate(t + 0.5 * h_, 1, stage_.data(), f1_.data());
    k2_ = factors_.solve(f1_ - k1_) + k1_;
    stage_ = from_ + h_ * k2_;
    std::copy_n(stage_.data(), n_, x_end);
    f.evaluate(t_end, 2, x_end, f2_.data());
    k3_ = factors_.solve(f2_ - e32 * (k2_ - f1_) - 2.0 * (k1_ - f0_) + h_ * d * time_slope_);
    stage_ = (k1_ - 2.0 * k2_ + k3_) / 6.0;
    return scaled_error(options_, n_, h_, x, x_end, stage_.data());
  }

  bool interpolates() const override { return true; }
  void interpolate(double t, double* x) const override {
    const double s = (t - t_) / h_;
    Eigen::Map<Vector>(x, n_) = from_ + h_ / (1.0 - 2.0 * d) * (s * (1.0 - s) * k1_ + s * (s - 2.0 * d) * k2_);
  }

  int control_order() const override { return 3; }

  /// The power method on the Jacobian of the step; the mean growth of several rounds holds for complex pairs as well.
  double stiffness() const override {
    constexpr int rounds = 8, counted = 4;
    if (n_ == 0) return 0.0;
    Vector v = Vector::Ones(n_);
    double growth = 1.0;
    for (int k = 0; k < rounds; ++k) {
      v = jacobian_ * v;
      const double size = v.norm();
      if (!(size > 0.0) || !std::isfinite(size)) return 0.0;
      if (k >= rounds - counted) growth *= size;
      v /= size;
    }
    return h_ * std::pow(growth, 1.0 / counted);
  }

 private:
  static constexpr double root_two = 1.41421356237309504880;
  static constexpr double d = 1.0 / (2.0 + root_two);
  static constexpr double e32 = 6.0 + root_two;

  void differentiate(double t, Slopes& f) {
    jacobian_ = difference_jacobian(f, t, from_.data(), f0_, typical_);
    const double shift = std::min(1.5e-8 * std::max(std::abs(t), std::abs(t + h_)), 0.5 * h_);
    const double later = t + shift;
    f.evaluate(later, 0, from_.data(), time_slope_.data());
    time_slope_ = (time_slope_ - f0_) / (later - t);
    has_jacobian_ = true;
  }

  int n_;
  SolverOptions options_;
  double typical_;  ///< components below this are not resolved by the tolerances
  bool has_jacobian_ = false;
  double t_ = 0.0, h_ = 1.0;
  Matrix jacobian_;
  linear::RowLu factors_;
  Vector f0_, f1_, f2_, k1_, k2_, k3_, time_slope_, stage_, from_;
};

}  // namespace

MethodPointer make_rosenbrock(int states, const SolverOptions& options) {
  return std::make_unique<Rosenbrock>(states, options);
}

}  // namespace counterpoint
