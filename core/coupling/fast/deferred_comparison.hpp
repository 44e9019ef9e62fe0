#pragma once

#include <string>

#include "coupling/comparison.hpp"

namespace counterpoint {
class Network;
class Participant;
}  // namespace counterpoint

namespace counterpoint::fast {

/// Fast path: comparisons that are made after the run, when they are asked for, from what was recorded.
///
/// 1. Deferred: nothing is done during the run, but that indicators beside the defect are told, such as a pace.
///    What was assumed follows from times and samples alone. Serves connections whose approximation looks at samples
///    only, whose source and consumer are recorded and end steps where they said, in systems where none that is waited
///    for waits.
/// 2. Kept: what was assumed is written down, and compared afterwards. Serves what is left where the source is recorded
///    and does not jump; windows that are repeated among them, in rounds as well (derived_comparison.hpp).
///
/// Where the record is kept in a file only the first: what it needs is written there as settings, known before the run,
/// and a few numbers, known when it is deferred.
///
/// The second only where no indicator but the defect listens. Bit-equal: it is `Comparison` that compares. Measured
/// (`python -m benchmarks coupling --work indicators`): what is deferred takes as long as a run that compares nothing,
/// two masses 0.75 to 0.94 of the time without it.
class DeferredComparison {
 public:
  /// Rows of time and outputs.
  struct Record {
    const double* rows;
    std::size_t count;
    std::size_t columns;
  };

  static bool can_defer(const Participant& consumer, std::size_t connection, const Participant& source);
  /// Whether settings and numbers say all: the approximation can be written down, and little is pending.
  static bool can_be_written(const Participant& consumer, std::size_t connection);
  static bool can_keep(const Participant& consumer, std::size_t connection, const Participant& source);
  /// Neither compare for the defect nor write down from now on.
  static void defer(Participant& consumer, std::size_t connection);

  static bool is_needed(const Network& network, int connection);
  /// To be made once, when the run has ended; any time where nothing is kept.
  DeferredComparison(const Network& network, int connection);

  /// Approximation, gain and the like, as bytes; empty where they cannot be written down or nothing is compared.
  static std::string settings(const Network& network, int connection);
  /// Places that `numbers` takes.
  static std::size_t number_count(int width) { return 10 + 4 * static_cast<std::size_t>(width); }
  /// Since when it is deferred and what had been compared before.
  std::vector<double> numbers() const;
  /// From both; the rows of its source are those of its own values.
  DeferredComparison(const std::string& settings, const std::vector<double>& numbers);
  int first_column() const { return first_column_; }
  int width() const { return connection_.samples.width; }

  /// All that was assumed in the run; rows since it was deferred or kept. The records are those of the whole run.
  Defect compare(const Record& source, const Record& consumer) const;
  int source() const { return connection_.source; }
  int consumer() const { return consumer_; }
  /// Of these rows.
  std::size_t columns() const { return 1 + 2 * static_cast<std::size_t>(width()); }

 private:
  std::vector<double> kept_rows(const Record& source) const;

  Connection connection_;
  int first_column_;  ///< of its values among those that the source records
  int consumer_;
  Comparison::Saved before_;  ///< what was compared before
  std::vector<Rows> kept_;    ///< rows (t, assumed), or (assumed)
  bool keeps_times_ = true;
  double from_;       ///< where the consumer stood when nothing was kept any more, s; infinity: never
  double following_;  ///< end of the step that the consumer would make next, s
};

/// All those of a run, which has ended.
class DeferredComparisons {
 public:
  explicit DeferredComparisons(const Network& network);

  /// By number, in their order.
  const std::vector<int>& connections() const { return connections_; }
  const DeferredComparison& of(int connection) const;

 private:
  std::vector<int> connections_;
  std::vector<DeferredComparison> comparisons_;
};

}  // namespace counterpoint::fast
