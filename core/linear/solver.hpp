#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "linear/team.hpp"

namespace counterpoint::linear {

/// A pivot that is zero or not finite.
class SingularMatrix : public std::runtime_error {
 public:
  SingularMatrix(const std::string& message, int row) : std::runtime_error(message), equation(row) {}
  int equation;  ///< row of the matrix whose pivot failed; -1 when the solver cannot say
};

/// Where a square matrix has entries; found once, never changed.
struct Pattern {
  int size = 0;
  std::vector<std::pair<int, int>> entries;  ///< (row, column) in any order; repeated entries are one; symmetric
                                             ///< matrices may give either triangle or both
  bool symmetric = true;
  /// Unknowns (one flag each, or empty) that must be eliminated only after all their neighbours without the flag:
  /// the multipliers of a quasi-definite system, whose own diagonal is too small to be a pivot.
  std::vector<bool> late;
  /// Places of b that the caller uses, when it has room for more behind them (`Solver::places`) and wants domains; 0:
  /// neither.
  int used_places = 0;
};

/// A x = b with a pattern that stays and values that change.
///
/// Contract for implementers:
///  1. `slot(i, j)` says where in `values()` the entry (i, j) of the pattern lies; with a symmetric pattern every
///  solver has
///     one slot for (i, j) and (j, i). The diagonal always has slots. Slots never change.
///  2. `values()` never moves. It may be larger than the pattern (fill, and one last place that is not read,
///  `spare_slot()`). Before each
///     `factorise` the caller sets all of it: zero where it has nothing to say.
///  3. `factorise` may destroy the values. It throws SingularMatrix.
///  4. `solve` overwrites b by x; it may be called many times after one factorise. No memory is taken after
///     construction by solvers of fixed pattern.
///  5. The same values give the same bits.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual int slot(int row, int column) const = 0;
  virtual std::span<double> values() = 0;
  int spare_slot() { return static_cast<int>(values().size()) - 1; }
  virtual void factorise() = 0;
  virtual void solve(double* b) = 0;
  /// Both in turn; a solver may take b along through the factorisation.
  virtual void factorise_and_solve(double* b) {
    factorise();
    solve(b);
  }
  /// Several right-hand sides at once, interleaved: b[i * count + k] is row i of side k.
  virtual void solve_many(double* b, int count);
  virtual int unknowns() const = 0;
  /// Places that b must have: those behind the caller's are scratch.
  virtual int places() const { return unknowns(); }
  virtual const char* name() const = 0;
  /// Parts of the unknowns that can be worked on at once, because no entry connects one with another.
  virtual int domains() const { return 1; }
  /// The domain of an unknown, or `domains()` where it may be connected with several.
  virtual int domain_of(int /*unknown*/) const { return domains(); }
  /// Begin and end of those of `values()` that only this domain works on; for `domains()`: of the others.
  virtual std::pair<int, int> values_of(int domain) {
    return {0, domain == domains() ? static_cast<int>(values().size()) : 0};
  }
  /// Entries of the factors, a measure of cost.
  virtual long long factor_entries() const = 0;
};

using SolverPointer = std::unique_ptr<Solver>;

enum class SolverType {
  automatic,
  static_ldlt,
  sparse_ldlt,
  sparse_lu,
  dense_ldlt,
  dense_lu,
  static_lu,
  dense_llt,
  klu,
  klu_factor
};

/// "automatic", "static-ldlt", ...: as users write it. Throws UserError.
SolverType solver_type(const std::string& name);
const char* name_of(SolverType type);
/// In the order of SolverType.
std::span<const char* const> solver_names();
/// Whether this build has KLU.
bool has_klu();

/// `team`: who works on domains at once; none: the thread that calls.
SolverPointer make_solver(SolverType type, const Pattern& pattern, TeamPointer team = nullptr);

/// What `automatic` chooses for a pattern, from its size and the fill of its factors (measured rule).
SolverType choose_solver(const Pattern& pattern);

}  // namespace counterpoint::linear
