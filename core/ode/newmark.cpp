// Newmark's method for second-order systems, states x = (q, v) and f = (v, a(t, q, v, u)):
//     q+ = q + h v + h^2 ((1/2 - beta) a + beta a+),   v+ = v + h ((1 - gamma) a + gamma a+).
// beta = 1/4, gamma = 1/2 is the trapezoidal rule (order 2, A-stable); gamma > 1/2 damps, order 1.
// The acceleration at the start is evaluated again with the inputs known now.

#include <cmath>
#include <stdexcept>

#include "coupling/subsystem.hpp"
#include "linear/decompositions.hpp"
#include "numbers.hpp"
#include "ode/implicit.hpp"

namespace counterpoint {
namespace {

class Newmark final : public Solver {
 public:
  Newmark(RightHandSidePointer f, double beta, double gamma)
      : f_(std::move(f)), m_(f_->states() / 2), beta_(beta), gamma_(gamma), slope_(2 * m_), trial_(2 * m_) {
    if (f_->states() % 2 != 0) {
      throw std::invalid_argument("newmark needs positions and as many velocities; the model has " +
                                  std::to_string(f_->states()) + " states");
    }
    if (!(beta >= 0.0 && beta <= 0.5) || !(gamma >= 0.5 && gamma <= 1.0)) {
      throw std::invalid_argument("newmark: beta = " + number_text(beta) + ", gamma = " + number_text(gamma) +
                                  "; allowed are 0 <= beta <= 0.5 and 0.5 <= gamma <= 1");
    }
    linear_ = dynamic_cast<const LinearRightHandSide*>(f_.get());
  }

  void start(double, const std::vector<double>&) override { step_.set(0.0); }
  void keep_memory(std::vector<double>& into) const override { into.assign(1, step_.value()); }
  void set_memory(const std::vector<double>& memory) override {
    if (memory[0] == step_.value()) return;
    step_.set(memory[0]);
    if (linear_ != nullptr && memory[0] != 0.0) form_inverse(memory[0], linear_->a());
  }

  void step(double t, double t_end, double* x, Inputs& u) override {
    const double h = t_end - t;
    f_->evaluate(t, x, u.at(t), slope_.data());
    for (int i = 0; i < 2 * m_; ++i) {
      if (!std::isfinite(slope_[i])) right_hand_side_not_finite(t, i);
    }
    const Vector start_acceleration = slope_.tail(m_);
    const Eigen::Map<const Vector> q(x, m_);
    const Eigen::Map<const Vector> v(x + m_, m_);
    q_base_ = q + h * v + h * h * (0.5 - beta_) * start_acceleration;
    v_base_ = v + h * (1.0 - gamma_) * start_acceleration;
    Vector a = start_acceleration;
    solve(t_end, h, u.at(t_end), a);
    place(h, a);
    Eigen::Map<Vector>(x, 2 * m_) = trial_;
  }

 private:
  void place(double h, const Vector& a) {
    trial_.head(m_) = q_base_ + h * h * beta_ * a;
    trial_.tail(m_) = v_base_ + h * gamma_ * a;
  }

  void solve(double t, double h, const double* u, Vector& a) {
    if (linear_ != nullptr) {
      if (step_.changed(h)) form_inverse(h, linear_->a());
    } else {
      place(h, a);
      f_->evaluate(t, trial_.data(), u, slope_.data());
      SlopesWithInputs slopes(*f_, u);
      form_inverse(h, difference_jacobian(slopes, t, trial_.data(), slope_, 1.0));
    }
    for (int iteration = 0; iteration < newton_iterations; ++iteration) {
      place(h, a);
      f_->evaluate(t, trial_.data(), u, slope_.data());
      const Vector correction = inverse_ * (slope_.tail(m_) - a);
      a += correction;
      // For a linear system one correction is the solution; a second one removes rounding of the step.
      if (linear_ != nullptr && iteration == 1) return;
      if (!correction.allFinite()) break;
      if (newton_converged(correction, a)) return;
    }
    newton_failed(t, (slope_.tail(m_) - a).norm());
  }

  void form_inverse(double h, const Matrix& jacobian) {
    const Matrix tangent = Matrix::Identity(m_, m_) - h * h * beta_ * jacobian.bottomLeftCorner(m_, m_) -
                           h * gamma_ * jacobian.bottomRightCorner(m_, m_);
    inverse_ = linear::inverse(tangent);
  }

  RightHandSidePointer f_;
  int m_;
  double beta_;
  double gamma_;
  const LinearRightHandSide* linear_ = nullptr;
  Vector slope_;
  Vector trial_;
  Vector q_base_;
  Vector v_base_;
  Matrix inverse_;
  NominalStep step_;
};

}  // namespace

SolverPointer make_newmark(RightHandSidePointer f, double beta, double gamma) {
  return std::make_unique<Newmark>(std::move(f), beta, gamma);
}

}  // namespace counterpoint
