#pragma once

namespace counterpoint {

/// What was assumed of a source against what it published; both in units of the input, after gain and offset.
struct Arrival {
  double t;               ///< s
  double sample;          ///< time of the sample that has told it, s; not before t
  const double* assumed;  ///< `width` numbers
  const double* arrived;
  int connection;  ///< its number in the run
  int width;
};

/// What a run says about its own quality without a reference. It is told, and changes nothing.
///
/// Contract for implementers:
///  1. `arrived` is called once per sample that was extrapolated: the consumer had assumed one value for the end
///     of a step, and the source has published another.
///  2. Calls for one connection come in order of time; those for different connections come in any order, and from
///     different threads at once when the run has threads.
///  3. Which calls are made follows from times alone: the same with fast paths or without, with one thread or many.
///     When they are made does not: several may come at once, later than the samples.
///  4. `returned_to(t)` says that a stretch of time is repeated: what was told of times after t does not count.
///  5. It throws only to end the run.
class Indicator {
 public:
  virtual ~Indicator() = default;
  virtual void arrived(const Arrival& arrival) = 0;
  virtual void returned_to(double /*t*/) {}
};

}  // namespace counterpoint
