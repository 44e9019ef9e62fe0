#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "recipe/origin.hpp"

namespace counterpoint {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

/// f in dx/dt = f(t, x, u).
///
/// Contract: the same arguments give the same derivatives; nothing is kept between calls.
class RightHandSide : public recipe::Describable {
 public:
  RightHandSide(int states, int inputs) : states_(states), inputs_(inputs) {}
  virtual ~RightHandSide() = default;
  int states() const { return states_; }
  int inputs() const { return inputs_; }

  virtual void evaluate(double t, const double* x, const double* u, double* dx) const = 0;

 private:
  int states_;
  int inputs_;
};

/// f(t, x, u) = A x + B u.
class LinearRightHandSide final : public RightHandSide {
 public:
  LinearRightHandSide(Matrix a, Matrix b);
  void evaluate(double t, const double* x, const double* u, double* dx) const override;
  const Matrix& a() const { return a_; }
  const Matrix& b() const { return b_; }

 private:
  Matrix a_;
  Matrix b_;
};

/// A compiled function, e.g. made by numba or loaded from a shared library.
class CompiledRightHandSide final : public RightHandSide {
 public:
  using Function = void (*)(double t, const double* x, const double* u, double* dx);
  CompiledRightHandSide(int states, int inputs, Function function)
      : RightHandSide(states, inputs), function_(function) {}
  void evaluate(double t, const double* x, const double* u, double* dx) const override { function_(t, x, u, dx); }

 private:
  Function function_;
};

using RightHandSidePointer = std::shared_ptr<const RightHandSide>;

}  // namespace counterpoint
