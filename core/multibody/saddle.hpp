#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linear/solver.hpp"
#include "multibody/model.hpp"

namespace counterpoint::multibody {

class PhaseClock;

/// The linear system behind every formulation,
///
///     [ W   J^T ] [ x  ]   [ top    ]
///     [ J   -D  ] [ mu ] = [ bottom ],    D = diag(compliance) > 0,
///
/// with W = M plus stiffness and damping terms. Contract for implementers: `solve_anew` takes W on the tangent pattern
/// and J on the Jacobian's, which the caller keeps as it is for later solutions by `solve`. Both overwrite `x`, which
/// holds top, by x, and write mu, which may take the place of bottom. `project` solves for three right-hand sides at
/// once (right[3 i + k] is row i of side k, top, and bottom from row `room()` on), which share the waiting for each
/// other's results: it adds J x0 and J x1 to the bottoms of sides 0 and 1 first. It overwrites the tops by x, and
/// subtracts mu of side 1 from `multipliers`, unless that is null; the bottoms are lost. Rows of fixed coordinates do
/// not take part.
class SaddleSystem {
 public:
  virtual ~SaddleSystem() = default;
  virtual void set_compliance(const std::vector<double>& compliance) = 0;
  /// `same_W`: W is as it was the last time.
  virtual void solve_anew(const double* W, bool same_W, const double* J, double* x, const double* bottom,
                          double* mu) = 0;
  virtual void solve(double* x, const double* bottom, double* mu) = 0;
  virtual void project(const double* x0, const double* x1, double* right, double* multipliers) = 0;
  virtual const linear::Solver& solver() const = 0;
  /// Places of x, and rows of `right` before its bottoms.
  virtual int room() const = 0;
};

using SaddleSystemPointer = std::unique_ptr<SaddleSystem>;

/// The full system, quasi-definite: as accurate for stiff constraints as for soft ones. Unless null, the clock ends the
/// phases before and after what the solver does.
SaddleSystemPointer make_kkt_system(const Model& model, linear::SolverType solver, PhaseClock* clock = nullptr);
/// The multipliers eliminated, W + J^T D^-1 J: the form of González Varela (2010); smaller, but digits go as D becomes
/// small. Unless null, the members of the team work on parts of it at once; x needs more room then.
SaddleSystemPointer make_condensed_system(const Model& model, linear::SolverType solver,
                                          linear::TeamPointer team = nullptr, PhaseClock* clock = nullptr);

}  // namespace counterpoint::multibody
