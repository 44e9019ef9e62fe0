#pragma once

#include "coupling/comparison.hpp"

namespace counterpoint {
class Network;
class Participant;
}  // namespace counterpoint

namespace counterpoint::fast {

/// Fast path: comparisons that are made after the run, when they are asked for.
///
/// What was assumed follows from times and samples alone. Where source and consumer are recorded and the record is
/// kept, a run need not compare: this remembers how, and does it from the record. Serves connections whose
/// approximation looks at samples only, whose source and consumer end steps where they said, and that no indicator but
/// the defect listens to. Bit-equal: it is `Comparison` that compares. Measured (`python -m benchmarks coupling --work
/// indicators`): the run takes as long as one that compares nothing.
class DeferredComparison {
 public:
  /// Rows of time and outputs.
  struct Record {
    const double* rows;
    std::size_t count;
    std::size_t columns;
  };

  static bool serves(const Participant& consumer, std::size_t connection, const Participant& source);
  /// Compare no more from now on.
  static void defer(Participant& consumer, std::size_t connection);

  /// Made when the run has ended: how this connection was deferred.
  DeferredComparison(const Network& network, int connection);

  /// All that was compared in the run; rows since it was deferred. The records are those of the whole run.
  Defect compare(const Record& source, const Record& consumer) const;
  int source() const { return connection_.source; }
  int consumer() const { return consumer_; }
  /// Of these rows.
  std::size_t columns() const { return 1 + 2 * static_cast<std::size_t>(connection_.samples.width); }

 private:
  Connection connection_;
  int consumer_;
  Comparison::Saved before_;  ///< what was compared before it was deferred
  double from_;               ///< where the consumer stood then, s
  double following_;          ///< end of the step that the consumer would make next, s
};

}  // namespace counterpoint::fast
