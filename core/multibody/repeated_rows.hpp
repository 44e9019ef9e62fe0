#pragma once

#include <vector>

#include "multibody/sparse.hpp"

namespace counterpoint::multibody {

/// A matrix that stays as it is, for products with it. Of rows (or pairs of them) that follow each other and are alike
/// but for a shift, as those of a mechanism of equal parts are, the first is looked at only: a large matrix leaves the
/// caches to what changes.
class RepeatedRows {
 public:
  /// Pattern and values must stay.
  RepeatedRows(const SparsePattern& pattern, const double* values);
  /// y = factor (A x - z) for rows begin to end - 1.
  void multiply_less(const double* x, const double* z, double factor, double* y, int begin, int end) const;

 private:
  struct Piece {
    int first = 0, end = 0;  ///< rows
    SparsePattern::Run run;  ///< that they belong to
    bool repeated = false;
  };

  bool repeats(int row, int rows, int entries) const;

  const SparsePattern& pattern_;
  const double* values_;
  std::vector<Piece> pieces_;
};

}  // namespace counterpoint::multibody
