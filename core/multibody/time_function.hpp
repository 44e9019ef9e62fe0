#pragma once

#include <memory>
#include <vector>

#include "multibody/model.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::multibody {

/// A prescribed value with its first and second time derivatives.
struct Prescribed {
  double value = 0.0;
  double rate = 0.0;
  double acceleration = 0.0;
};

/// What guides a coordinate: a function of time or an input.
class TimeFunction : public recipe::Describable {
 public:
  virtual ~TimeFunction() = default;
  virtual Prescribed at(const Instant& now) const = 0;
  /// Index of the input it follows, or -1.
  virtual int input() const { return -1; }
};

using TimeFunctionPointer = std::shared_ptr<const TimeFunction>;

/// c0 + c1 t + c2 t^2 + ...
TimeFunctionPointer make_polynomial(std::vector<double> coefficients);
/// offset + amplitude * sin(angular_frequency * t + phase).
TimeFunctionPointer make_harmonic(double offset, double amplitude, double angular_frequency, double phase);
/// From `before` to `after` between t0 and t1, with rate and acceleration zero at both ends.
TimeFunctionPointer make_smooth_step(double t0, double t1, double before, double after);
/// Through the given values with continuous rate and acceleration, held before the first and after the last. The rate
/// is zero at both ends, so it is continuous there too.
TimeFunctionPointer make_table(std::vector<double> times, std::vector<double> values);
/// Through the given values with straight lines, held before the first and after the last; for forces and wind, not for
/// guides: the rate jumps.
TimeFunctionPointer make_linear(std::vector<double> times, std::vector<double> values);
/// Input number `input`, multiplied by a factor.
TimeFunctionPointer make_following(int input, double factor);

}  // namespace counterpoint::multibody
