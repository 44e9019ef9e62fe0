#pragma once

namespace counterpoint {

/// A value assumed for a source and the value that arrived, both in units of the input (after gain and offset).
struct Arrival {
  double t;               ///< s
  double sample;          ///< time of the sample that gave `arrived`, s; not before t
  const double* assumed;  ///< `width` numbers
  const double* arrived;
  int connection;  ///< its number in the run
  int width;
};

/// Measures the quality of a run without a reference. It only listens, and changes nothing.
///
/// Contract for implementers:
///  1. `arrived` is called once per extrapolated sample: the consumer assumed one value for the end of a step, and the
///     source published another.
///  2. Calls for one connection come in order of time. Calls for different connections come in any order, and from
///     several threads at once if the run has threads.
///  3. Which calls are made depends on times alone: they are the same with or without fast paths, with one thread or
///     many. When they are made is not defined: several may come together, later than the samples.
///  4. `returned_to(t)`: a time span is repeated. Calls for times after t no longer count.
///  5. It throws only to end the run.
class Indicator {
 public:
  virtual ~Indicator() = default;
  virtual void arrived(const Arrival& arrival) = 0;
  virtual void returned_to(double /*t*/) {}
};

}  // namespace counterpoint
