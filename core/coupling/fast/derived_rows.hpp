#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "coupling/fast/line_input.hpp"
#include "coupling/rows.hpp"

namespace counterpoint::fast {

/// Rows (t, assumed, arrived) of a held input, computed from the rows of its source when they are read; in repeats,
/// from these and the assumed values. Measured: 0.84 of the time without it.
class DerivedRows {
 public:
  /// `before`: the sample of the source before these rows; none if they begin with its initial outputs.
  DerivedRows(Rows source, std::size_t columns, const LineInput& input, std::optional<double> before)
      : source_(std::move(source)), columns_(columns), input_(input), before_(before) {}

  /// `assumed`: one per row.
  DerivedRows(Rows source, std::size_t columns, const LineInput& input, Rows assumed)
      : source_(std::move(source)), columns_(columns), input_(input), before_(0.0), assumed_(std::move(assumed)) {}

  std::size_t count() const { return source_.size / columns_ - (before_ ? 0 : 1); }
  void drop_last() { source_.size -= columns_; }
  /// Write them, 3 columns.
  void write(double* out) const;
  /// The last sample of the source.
  double last() const { return source_.data[source_.size - columns_ + 1 + input_.column]; }

 private:
  Rows source_;
  std::size_t columns_;
  LineInput input_;
  std::optional<double> before_;
  Rows assumed_;  ///< none: the sample of the source before each row
};

/// Fast path: defect rows that are not stored.
///
/// Serves a scalar connection that is held in a round (round.hpp) and whose source is recorded: the value assumed for a
/// sample is the sample before it. Saves storing three numbers per step and connection: the rows of the source are kept
/// instead, and the defects are computed when they are read. In repeated rounds, held or not, the assumed values are
/// also kept: one number instead of three. Bit-equal to `Defect::arrived`.
class DerivedDefectRows {
 public:
  enum class Assumed { sample_before, kept };
  void use(const LineInput& input, Assumed assumed) {
    input_ = input;
    keeps_ = assumed == Assumed::kept;
  }
  bool is_used() const { return input_.has_value(); }
  bool keeps_assumed() const { return keeps_; }

  /// The source hands over these rows.
  void source_gives(const std::vector<Rows>& blocks, std::size_t columns);

  /// The values assumed for rows that the source hands over, in their order.
  void keep_assumed(std::vector<Rows> blocks);

  std::size_t count() const;
  /// Whether there are this many rows. Unless all are requested, there have to be many: waiting rows cost nothing.
  bool is_worth_giving(std::size_t at_least) const {
    constexpr std::size_t many = 1 << 14;
    return count() >= (at_least > 1 ? std::max(at_least, many) : 1);
  }
  /// `compared`: number of rows in total. The source may have published one more sample: if a step of the consumer
  /// fails, no value is assumed for its end.
  std::vector<DerivedRows> take(std::size_t compared);
  std::vector<Rows> take_made(std::size_t compared);

 private:
  std::optional<LineInput> input_;
  std::optional<double> before_;
  void match();

  std::vector<DerivedRows> blocks_;
  std::size_t taken_ = 0;  ///< rows so far
  bool keeps_ = false;
  bool past_first_ = false;        ///< initial outputs are skipped: no step has assumed them
  std::size_t columns_ = 0;        ///< of the source
  std::deque<Rows> given_, kept_;  ///< rows of the source and assumed values that wait for each other
};

}  // namespace counterpoint::fast
