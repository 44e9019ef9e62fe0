#pragma once

#include <string>

#include "coupling/comparison.hpp"

namespace counterpoint {
class Network;
class Participant;
}  // namespace counterpoint

namespace counterpoint::fast {

/// Fast path: comparisons made after the run, on request, from the record.
///
/// 1. Deferred: nothing is done during the run, except telling indicators other than the defect, such as a pace. The
///    assumed values follow from times and samples alone. Serves connections whose approximation uses only samples and
///    whose source and consumer are recorded and end their steps as proposed, in systems where a participant that
///    others wait for does not wait itself.
/// 2. Kept: assumed values are stored and compared after the run. Serves the other connections whose source is recorded
///    and does not jump, if only the defect listens; also in repeated windows and in rounds (derived_comparison.hpp).
///
/// If the record is in a file, only the first is used: the file contains its settings, known before the run, and a few
/// numbers, known when it is deferred.
///
/// Bit-equal: `Comparison` compares. Measured (`python -m benchmarks coupling --work indicators`): a run with deferred
/// comparisons takes as long as a run without comparisons; two masses take 0.75 to 0.94 of the time without this path.
class DeferredComparison {
 public:
  /// Rows of time and outputs.
  struct Record {
    const double* rows;
    std::size_t count;
    std::size_t columns;
  };

  static bool can_defer(const Participant& consumer, std::size_t connection, const Participant& source);
  /// Whether settings and numbers are sufficient: the approximation can be written, and few values are pending.
  static bool can_be_written(const Participant& consumer, std::size_t connection);
  static bool can_keep(const Participant& consumer, std::size_t connection, const Participant& source);
  /// From now on neither compare nor store values for the defect.
  static void defer(Participant& consumer, std::size_t connection);

  static bool is_needed(const Network& network, int connection);
  /// Construct it once, when the run has ended; at any time if nothing is kept.
  DeferredComparison(const Network& network, int connection);

  /// Approximation, gain etc. as bytes; empty if they cannot be written or nothing is compared.
  static std::string settings(const Network& network, int connection);
  /// Length of `numbers`.
  static std::size_t number_count(int width) { return 10 + 4 * static_cast<std::size_t>(width); }
  /// The time since which it is deferred, and the figures compared before.
  std::vector<double> numbers() const;
  /// From both; the rows of the source contain only the values of this connection.
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
  int first_column_;  ///< of its values in the record of the source
  int consumer_;
  Comparison::Saved before_;  ///< figures compared before
  std::vector<Rows> kept_;    ///< rows (t, assumed), or (assumed)
  bool keeps_times_ = true;
  double from_;       ///< time of the consumer when nothing more was kept, s; infinity: never
  double following_;  ///< end of the next step of the consumer, s
};

/// All deferred comparisons of a run that has ended.
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
