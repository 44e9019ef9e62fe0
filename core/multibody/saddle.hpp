#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linear/solver.hpp"
#include "multibody/model.hpp"

namespace counterpoint::multibody {

/// The linear system behind every formulation,
///
///     [ W   J^T ] [ x  ]   [ top    ]
///     [ J   -D  ] [ mu ] = [ bottom ],    D = diag(compliance) > 0,
///
/// with W = M plus stiffness and damping terms. Contract for implementers: `factorise` takes W on the tangent pattern and J
/// on the Jacobian's. `solve` overwrites `right`, which holds top then bottom, by x then mu. `solve_three` does so for three
/// right-hand sides at once (right[3 i + k] is row i of side k), which share the waiting for each other's results; of mu only that
/// of side 1 is asked for. Rows of fixed coordinates do not take part.
class SaddleSystem {
 public:
  virtual ~SaddleSystem() = default;
  virtual void set_compliance(const std::vector<double>& compliance) = 0;
  /// W will stay as it is: `factorise` need not copy it again.
  virtual void factorise(const double* W, bool same_W, const double* J) = 0;
  virtual void solve(double* right) = 0;
  virtual void solve_three(double* right) = 0;
  virtual const linear::Solver& solver() const = 0;
};

using SaddleSystemPointer = std::unique_ptr<SaddleSystem>;

/// The system as it stands, quasi-definite: as accurate for stiff constraints as for soft ones.
SaddleSystemPointer make_kkt_system(const Model& model, const std::string& solver);
/// The multipliers eliminated, W + J^T D^-1 J: the thesis' form; smaller, but digits go as D becomes small.
SaddleSystemPointer make_condensed_system(const Model& model, const std::string& solver);

}  // namespace counterpoint::multibody
