// P A Q = L U by KLU (SuiteSparse, LGPL), where it was found at build time; ordered by AMD, without blocks and scaling,
// which cost more than they give for matrices of mechanisms.
//
// klu keeps the pivots of its first factorisation, and looks for new ones only when the smallest pivot has become a
// hundred times smaller against the largest than it was then; klu-factor looks for them every time.

#include "check.hpp"
#include "linear/solvers.hpp"

#ifdef COUNTERPOINT_KLU

#include <klu.h>

namespace counterpoint::linear {
namespace {

class Klu final : public Solver {
 public:
  Klu(const Pattern& pattern, bool keeps_pivots)
      : keeps_pivots_(keeps_pivots), symmetric_(pattern.symmetric), columns_(columns(full(pattern))) {
    size_ = pattern.size;
    values_.assign(columns_.items.size() + 1, 0.0);
    if (symmetric_) list_mirrors();
    klu_defaults(&common_);
    common_.btf = 0;
    common_.scale = 0;
    symbolic_ = klu_analyze(size_, columns_.start.data(), columns_.items.data(), &common_);
    if (symbolic_ == nullptr) internal_error("klu: the pattern could not be analysed");
  }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  int slot(int row, int column) const override {
    return symmetric_ ? find(columns_, std::max(row, column), std::min(row, column)) : find(columns_, row, column);
  }
  std::span<double> values() override { return values_; }

  void factorise() override {
    for (const auto& [lower, upper] : mirrors_) values_[upper] = values_[lower];
    if (keeps_pivots_ && numeric_ != nullptr && refactorise()) return;
    klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(columns_.start.data(), columns_.items.data(), values_.data(), symbolic_, &common_);
    if (numeric_ == nullptr) throw SingularMatrix("the matrix is singular", common_.singular_col);
    klu_rcond(symbolic_, numeric_, &common_);
    if (!(common_.rcond > 0.0)) throw SingularMatrix("the matrix is singular", -1);
    first_rcond_ = common_.rcond;
  }

  void solve(double* b) override { klu_solve(symbolic_, numeric_, size_, 1, b, &common_); }

  int unknowns() const override { return size_; }
  const char* name() const override { return keeps_pivots_ ? "klu" : "klu-factor"; }
  long long factor_entries() const override { return numeric_ == nullptr ? 0 : numeric_->lnz + numeric_->unz; }

 private:
  bool refactorise() {
    constexpr double worse = 0.01;
    if (!klu_refactor(columns_.start.data(), columns_.items.data(), values_.data(), symbolic_, numeric_, &common_))
      return false;
    klu_rcond(symbolic_, numeric_, &common_);
    return common_.rcond >= worse * first_rcond_;
  }

  void list_mirrors() {
    for (int j = 0; j < size_; ++j) {
      for (int k = columns_.start[j]; k < columns_.start[j + 1]; ++k) {
        const int i = columns_.items[k];
        if (i > j) mirrors_.emplace_back(k, find(columns_, j, i));
      }
    }
  }

  bool keeps_pivots_, symmetric_;
  int size_ = 0;
  Lists columns_;
  std::vector<double> values_;
  std::vector<std::pair<int, int>> mirrors_;  ///< places of (i, j) and (j, i), i > j; only the first is the caller's
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  double first_rcond_ = 0.0;
};

}  // namespace

SolverPointer make_klu(const Pattern& pattern, bool keeps_pivots) {
  return std::make_unique<Klu>(pattern, keeps_pivots);
}
bool has_klu() { return true; }

}  // namespace counterpoint::linear

#else

namespace counterpoint::linear {

SolverPointer make_klu(const Pattern&, bool) {
  throw UserError(
      "linear solver \"klu\" is not in this build: SuiteSparse was not found when it was made. Install it (Debian: "
      "libsuitesparse-dev, conda: suitesparse) and build Counterpoint from source, or take \"static-lu\"");
}
bool has_klu() { return false; }

}  // namespace counterpoint::linear

#endif
