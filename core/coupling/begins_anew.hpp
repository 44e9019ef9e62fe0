#pragma once

namespace counterpoint {

/// A step law that looks at more than the step before: what was before an event says little of what follows.
///
/// Contract for implementers:
///  1. `begin_anew()` says that the step proposed last begins at an event; errors of earlier steps do not count from
///     now on, as at the start.
class BeginsAnew {
 public:
  virtual ~BeginsAnew() = default;
  virtual void begin_anew() = 0;
};

}  // namespace counterpoint
