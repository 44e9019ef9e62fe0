#pragma once

#include "linear/block_kernels.hpp"
#include "linear/domains.hpp"
#include "linear/ordering.hpp"
#include "linear/unroll.hpp"

namespace counterpoint::linear {

/// L D L^T in place, without pivoting: for positive definite and quasi-definite matrices of fixed pattern.
///
/// Columns of L that follow each other and have the same rows (or nearly) form a block. A block of width w lies in one
/// piece: its triangle row by row, with the pivots at the ends of the rows (after factorise: their inverses), then the
/// w values of each row below.
///
/// For a caller who wants it, the matrix is split into domains of the tree of elimination, which are factorised and
/// solved at once by the members of the team. What a domain subtracts from the top it gathers in places of its own,
/// behind the values and behind b; they are added to the top in the order of the domains, so that the bits are the same
/// for any number of threads.
class StaticLdlt final : public Solver {
 public:
  StaticLdlt(const Pattern& pattern, TeamPointer team);
  StaticLdlt(const StaticLdlt&) = delete;
  StaticLdlt& operator=(const StaticLdlt&) = delete;

  int slot(int row, int column) const override;
  std::span<double> values() override { return values_; }
  void factorise() override;
  void solve(double* b) override;
  void factorise_and_solve(double* b) override;
  void solve_many(double* b, int count) override;
  int unknowns() const override { return static_cast<int>(order_.size()); }
  int places() const override { return first_share_ + domains_in_b() * in_top(); }
  const char* name() const override { return "static-ldlt"; }
  long long factor_entries() const override { return entries_; }
  int domains() const override { return domains_; }
  int domain_of(int unknown) const override { return domain_of_block_[block_of_[position_[unknown]]]; }
  std::pair<int, int> values_of(int domain) override;

 private:
  /// Blocks of one shape, where the first of them lies, and the end of the last.
  struct Part {
    Batch batch;
    BlockKernels kernels;
    double* values;
    const std::int32_t* unknowns;
    const std::int32_t* targets;
    const double* values_end;
    const std::int32_t* unknowns_end;
  };

  using Parts = std::vector<Part>;

  void split(const Pattern& pattern, Symbolic& symbolic, std::vector<int>& widths);
  void make_blocks(const Lists& columns, const std::vector<int>& widths);
  void make_room_for_domains();
  void list_targets();
  void make_parts();
  int width(std::size_t block) const { return first_[block + 1] - first_[block]; }
  int rows(std::size_t block) const { return rows_.start[block + 1] - rows_.start[block]; }
  int place(int row, int column) const;
  int target(std::size_t block, int row, int column) const;
  bool is_top(std::size_t block) const { return domain_of_block_[block] == domains_; }

  COUNTERPOINT_INLINE static const double* eliminate(const Parts& parts, int kernel, double* values, double* b);
  COUNTERPOINT_INLINE static void substitute_back(const Parts& parts, int kernel, double* b);
  COUNTERPOINT_INLINE static void substitute_forward(const Parts& parts, int kernel, double* b);
  COUNTERPOINT_INLINE void solve_with(int kernel, double* b, int sides);
  void eliminate_domains(int kernel, double* b);
  void forward_domains(int kernel, double* b, int sides);
  void back_domains(int kernel, double* b, int sides);
  void clear_shares(int group, double* b, int sides) const;
  void add_to_top(double* b, int sides) const;
  void hand_down_top(double* b, int sides) const;
  int in_top() const { return static_cast<int>(order_.size()) - top_column_; }
  int domains_in_b() const { return domains_ > 1 ? domains_ : 0; }
  [[noreturn]] void fail(const double* pivot) const;

  TeamPointer team_;
  int domains_ = 1;
  Parts parts_;                ///< of the top; of all blocks where there is one domain
  std::vector<Parts> groups_;  ///< below the top: a group for each domain, or one where a single thread does all
  std::vector<double> values_;
  std::vector<std::int32_t> unknowns_;  ///< of each block: its own, then those of the rows below
  std::vector<std::int32_t> targets_;   ///< of each block: where the product of rows a and b >= a is subtracted

  // To find the place of an entry:
  std::vector<int> order_, position_;
  std::vector<int> block_of_;  ///< of each column
  std::vector<int> first_;     ///< column of each block; one more at the end
  std::vector<int> start_;     ///< of each block in values_
  Lists rows_;                 ///< below the triangle of each block, ascending
  long long entries_ = 0;

  // Where there are domains:
  std::vector<int> domain_of_block_;
  int top_column_ = 0;                 ///< first one of the top
  int top_value_ = 0;                  ///< where the top begins in values_
  int top_size_ = 0;                   ///< values of the top
  int first_share_ = 0;                ///< in b: where the share of the first domain in the top's unknowns begins
  std::vector<const double*> failed_;  ///< pivot of each group
};

}  // namespace counterpoint::linear
