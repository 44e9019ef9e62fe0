// L U of a fixed pattern in a fixed order, without pivoting, in place: for matrices whose pattern is symmetric (or made
// so) and whose diagonal can be divided by. Right-looking, as StaticLdlt: the elimination of row and column k subtracts
// l u^T from what comes later, and where these entries lie is known beforehand.

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "linear/ordering.hpp"
#include "linear/solvers.hpp"

namespace counterpoint::linear {
namespace {

class StaticLu final : public Solver {
 public:
  explicit StaticLu(const Pattern& pattern) : symmetric_(pattern.symmetric) {
    Pattern both = pattern;
    both.symmetric = true;
    symbolic_ = analyse(both, minimum_degree(both));
    if (2.0 * symbolic_.multiplications() > max_listed_products) {
      throw std::length_error("static-lu: the factors fill up too much to list their operations; take sparse-lu");
    }
    const std::size_t below = symbolic_.columns.items.size();
    upper_ = symbolic_.size();
    lower_ = upper_ + static_cast<int>(below);
    values_.assign(symbolic_.order.size() + 2 * below + 1, 0.0);
    for (const int position : symbolic_.columns.items) unknowns_.push_back(symbolic_.order[position]);
    list_targets();
  }

  int slot(int row, int column) const override {
    if (symmetric_ && symbolic_.position.at(row) < symbolic_.position.at(column)) std::swap(row, column);
    return place(symbolic_.position.at(row), symbolic_.position.at(column));
  }
  std::span<double> values() override { return values_; }

  void factorise() override {
    if (symmetric_) std::copy(values_.begin() + lower_, values_.end() - 1, values_.begin() + upper_);
    const std::int32_t* target = targets_.data();
    for (int k = 0; k < symbolic_.size(); ++k) {
      if (!is_pivot(values_[k])) throw_singular(symbolic_.order[k], values_[k]);
      const double inverse = values_[k] = 1.0 / values_[k];
      const int begin = start(k), end = start(k + 1);
      for (int a = begin; a < end; ++a) {
        const double l = values_[lower_ + a] *= inverse;
        for (int b = begin; b < end; ++b) values_[*target++] -= l * values_[upper_ + b];
      }
    }
  }

  void solve(double* b) override {
    for (int k = 0; k < symbolic_.size(); ++k) {
      const double known = b[symbolic_.order[k]];
      for (int a = start(k); a < start(k + 1); ++a) b[unknowns_[a]] -= values_[lower_ + a] * known;
    }
    for (int k = symbolic_.size(); k-- > 0;) {
      double sum = b[symbolic_.order[k]];
      for (int a = start(k); a < start(k + 1); ++a) sum -= values_[upper_ + a] * b[unknowns_[a]];
      b[symbolic_.order[k]] = sum * values_[k];
    }
  }

  int unknowns() const override { return symbolic_.size(); }
  const char* name() const override { return "static-lu"; }
  long long factor_entries() const override { return static_cast<long long>(values_.size()) - 1; }

 private:
  int start(int k) const { return symbolic_.columns.start[k]; }

  /// Pivots first, then the rows of U, then the columns of L.
  int place(int row, int column) const {
    if (row == column) return row;
    const auto [first, second] = std::minmax({row, column});
    return (row < column ? upper_ : lower_) + find(symbolic_.columns, second, first);
  }

  void list_targets() {
    for (int k = 0; k < symbolic_.size(); ++k) {
      for (int a = start(k); a < start(k + 1); ++a) {
        for (int b = start(k); b < start(k + 1); ++b) {
          targets_.push_back(place(symbolic_.columns.items[a], symbolic_.columns.items[b]));
        }
      }
    }
  }

  bool symmetric_;
  Symbolic symbolic_;
  int upper_ = 0, lower_ = 0;  ///< where U and L begin
  std::vector<double> values_;
  std::vector<int> unknowns_;
  std::vector<std::int32_t> targets_;
};

}  // namespace

SolverPointer make_static_lu(const Pattern& pattern) { return std::make_unique<StaticLu>(pattern); }

}  // namespace counterpoint::linear
