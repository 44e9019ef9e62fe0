#pragma once

#include <string>
#include <vector>

#include "multibody/model.hpp"
#include "multibody/stepper.hpp"

namespace counterpoint::multibody {

/// Positions, velocities and accelerations that fit the constraints, found from an estimate.
///
/// Each moves as little as the masses allow: the change is M-orthogonal to the motions that the constraints leave free.
class InitialProblem {
 public:
  InitialProblem(ModelPointer model, double length);

  /// Assembly: Phi(q, t) = 0 by Newton's method with shortened steps. Throws SolverFailure that names the worst
  /// constraint.
  void positions(Instant now, std::vector<double>& q);
  /// Phi_q v + Phi_t = 0.
  void velocities(Instant now, std::vector<double>& v);
  /// M a + Phi_q^T lambda = Q, Phi'' = 0.
  void accelerations(Instant now, std::vector<double>& a, std::vector<double>& multipliers);

 private:
  void linearise(const Instant& now);
  /// right_ by the system as linearised.
  void solve();
  double largest_violation() const;

  ModelPointer model_;
  double length_;
  SaddleSystemPointer system_;
  MassOnTangent mass_on_tangent_;
  std::vector<double> mass_, W_, J_, phi_, right_;
  bool is_factorised_ = false;
};

}  // namespace counterpoint::multibody
