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

/// Rows (t, assumed, arrived) of an input that is held, made from rows of its source when they are read; where it is
/// repeated, from these and from what was assumed. Measured: 0.84 of the time without it.
class DerivedRows {
 public:
  /// `before`: what the source had published before these rows; none when they begin with its initial outputs.
  DerivedRows(Rows source, std::size_t columns, const LineInput& input, std::optional<double> before)
      : source_(std::move(source)), columns_(columns), input_(input), before_(before) {}

  /// `assumed`: as many as there are rows.
  DerivedRows(Rows source, std::size_t columns, const LineInput& input, Rows assumed)
      : source_(std::move(source)), columns_(columns), input_(input), before_(0.0), assumed_(std::move(assumed)) {}

  std::size_t count() const { return source_.size / columns_ - (before_ ? 0 : 1); }
  void drop_last() { source_.size -= columns_; }
  /// Write them, 3 columns.
  void write(double* out) const;
  /// What the source has published last.
  double last() const { return source_.data[source_.size - columns_ + 1 + input_.column]; }

 private:
  Rows source_;
  std::size_t columns_;
  LineInput input_;
  std::optional<double> before_;
  Rows assumed_;  ///< none: what the source had published before
};

/// Fast path: defect rows that are not written down.
///
/// Serves a scalar connection that is held in a round (round.hpp) and whose source is recorded: what was assumed for a
/// sample is the sample before it. Saves writing and keeping three numbers per step and connection; the rows that
/// the source gives away are kept alive instead, and the defects are made when they are read. In rounds that are
/// repeated, held or not, what was assumed is kept beside: one number instead of three. Bit-equal to `Defect::arrived`.
class DerivedDefectRows {
 public:
  enum class Assumed { sample_before, kept };
  void use(const LineInput& input, Assumed assumed) {
    input_ = input;
    keeps_ = assumed == Assumed::kept;
  }
  bool is_used() const { return input_.has_value(); }
  bool keeps_assumed() const { return keeps_; }

  /// The source gives these rows away.
  void source_gives(const std::vector<Rows>& blocks, std::size_t columns);

  /// What was assumed for rows that the source gives away, in their order.
  void keep_assumed(std::vector<Rows> blocks);

  std::size_t count() const;
  /// Whether there are so many rows. Where not all are asked for, many have to be: they cost nothing while they wait.
  bool is_worth_giving(std::size_t at_least) const {
    constexpr std::size_t many = 1 << 14;
    return count() >= (at_least > 1 ? std::max(at_least, many) : 1);
  }
  /// `compared`: how many rows there are in all. The source may have published once more: for the end of a step of the
  /// consumer that failed, nothing was assumed.
  std::vector<DerivedRows> take(std::size_t compared);
  std::vector<Rows> take_made(std::size_t compared);

 private:
  std::optional<LineInput> input_;
  std::optional<double> before_;
  void match();

  std::vector<DerivedRows> blocks_;
  std::size_t taken_ = 0;  ///< rows so far
  bool keeps_ = false;
  bool past_first_ = false;        ///< initial outputs were assumed by no step
  std::size_t columns_ = 0;        ///< of the source
  std::deque<Rows> given_, kept_;  ///< of the source, and what was assumed: those that wait for each other
};

}  // namespace counterpoint::fast
