#include "coupling/initial_loops.hpp"

#include <cmath>

#include "check.hpp"
#include "linear/decompositions.hpp"
#include "numbers.hpp"

namespace counterpoint {

namespace {

using Vector = Eigen::VectorXd;
constexpr int most_iterations = 50;
constexpr int most_halvings = 10;
constexpr double tight = 1e-12;    ///< residual relative to 1 + |z| that ends the iteration
constexpr double accepted = 1e-7;  ///< that is good enough when it cannot be made smaller: models solve inside, too

class InitialLoops {
 public:
  InitialLoops(Network& network, const std::vector<TornInput>& torn) : network_(network), torn_(torn) {
    for (const TornInput& input : torn) size_ += input.width;
  }

  void solve() {
    Vector z = own_values();
    Vector r = residual(z);
    for (int iteration = 0; iteration < most_iterations && error(z, r) > tight; ++iteration) {
      const Vector step = linear::solve_singular(jacobian(z, r), -r);
      if (!step.allFinite() || !descend(z, r, step)) break;
    }
    if (!(error(z, r) <= accepted)) fail(z, r);
    residual(z);  // leaves the outputs as they belong to z
  }

 private:
  Vector own_values() const {
    Vector z(size_);
    int k = 0;
    for (const TornInput& input : torn_) {
      const Participant& p = network_.participants[input.participant];
      for (int j = 0; j < input.width; ++j) z[k++] = p.inputs->own_value(input.offset + j);
    }
    return z;
  }

  /// F(z) - z.
  Vector residual(const Vector& z) {
    int k = 0;
    for (const TornInput& input : torn_) {
      Inputs& inputs = *network_.participants[input.participant].inputs;
      inputs.fix(input.offset, std::vector<double>(z.data() + k, z.data() + k + input.width));
      k += input.width;
    }
    network_.refresh_initial_outputs(-1);
    Vector r(size_);
    k = 0;
    for (const TornInput& input : torn_) {
      Participant& p = network_.participants[input.participant];
      const double* driven = p.inputs->driven(input.offset, p.t);
      for (int j = 0; j < input.width; ++j, ++k) r[k] = driven[j] - z[k];
    }
    return r;
  }

  Eigen::MatrixXd jacobian(const Vector& z, const Vector& r) {
    Eigen::MatrixXd matrix(size_, size_);
    for (int j = 0; j < size_; ++j) {
      Vector moved = z;
      moved[j] += 1e-6 * (1.0 + std::abs(z[j]));
      matrix.col(j) = (residual(moved) - r) / (moved[j] - z[j]);
    }
    return matrix;
  }

  /// Go as far along a step as the residual becomes smaller; false when it does not.
  bool descend(Vector& z, Vector& r, Vector step) {
    for (int halving = 0; halving < most_halvings; ++halving, step *= 0.5) {
      const Vector next = z + step;
      const Vector next_residual = residual_or_nan(next);
      if (next_residual.norm() < r.norm()) {
        z = next;
        r = next_residual;
        return true;
      }
    }
    return false;
  }

  /// The residual; NaN where a model has no finite outputs, which a smaller step may avoid.
  Vector residual_or_nan(const Vector& z) {
    try {
      return residual(z);
    } catch (const StepFailure& failure) {
      if (failure.kind != Failure::Kind::not_finite) throw;
      network_.forget_failure();
      return Vector::Constant(size_, std::nan(""));
    }
  }

  static double error(const Vector& z, const Vector& r) {
    return (r.array().abs() / (1.0 + z.array().abs())).maxCoeff();
  }

  [[noreturn]] void fail(const Vector& z, const Vector& r) const {
    Eigen::Index worst = 0;
    r.array().abs().maxCoeff(&worst);
    Eigen::Index k = worst;
    std::size_t index = 0;
    while (k >= torn_[index].width) k -= torn_[index++].width;
    Text text;
    text << "the loop of direct feedthrough through " << torn_[index].label << " has no solution at the start: with "
         << z[worst] << " there, " << z[worst] + r[worst]
         << " comes back; give the connection an initial value (initial=...), or use other start values";
    Participant& p = network_.participants[torn_[index].participant];
    p.t_next = p.t;  // a failure of the start, not of a step
    network_.guarded(torn_[index].participant, [&] { throw SolverFailure(text.str()); });
    internal_error("a failure was not passed on");
  }

  Network& network_;
  const std::vector<TornInput>& torn_;
  int size_ = 0;
};

}  // namespace

void solve_initial_loops(Network& network, const std::vector<TornInput>& torn) { InitialLoops(network, torn).solve(); }

}  // namespace counterpoint
