#pragma once

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
  static bool can_keep(const Participant& consumer, std::size_t connection, const Participant& source);
  /// Neither compare for the defect nor write down from now on.
  static void defer(Participant& consumer, std::size_t connection);

  static bool is_needed(const Network& network, int connection);
  /// To be made once, when the run has ended.
  DeferredComparison(const Network& network, int connection);

  /// All that was assumed in the run; rows since it was deferred or kept. The records are those of the whole run.
  Defect compare(const Record& source, const Record& consumer) const;
  int source() const { return connection_.source; }
  int consumer() const { return consumer_; }
  /// Of these rows.
  std::size_t columns() const { return 1 + 2 * static_cast<std::size_t>(connection_.samples.width); }

 private:
  Connection connection_;
  int consumer_;
  Comparison::Saved before_;  ///< what was compared before
  std::vector<Rows> kept_;    ///< rows (t, assumed)
  double from_;               ///< where the consumer stood when nothing was kept any more, s; infinity: never
  double following_;          ///< end of the step that the consumer would make next, s
};

}  // namespace counterpoint::fast
