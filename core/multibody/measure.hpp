#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "multibody/combination.hpp"
#include "multibody/model.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::multibody {

/// A scalar function of the coordinates: a distance, an angle, how far a slider has moved.
///
/// Relative coordinates are measures: they are driven (guided constraint), loaded (spring, actuator), related (gear)
/// and shown, without making the system larger.
///
/// Contract for implementers: `columns` never changes; `gradient` writes ds/dq on those columns and returns s;
/// `gradient_change` is the derivative of the gradient along dq; `curvature` is what s'' has besides gradient * a; a
/// measure that `wraps` is known up to multiples of 2 pi.
class Measure : public recipe::Describable {
 public:
  virtual ~Measure() = default;
  const std::vector<int>& columns() const { return columns_; }
  virtual double value(const double* q) const = 0;
  virtual double gradient(const double* q, double* gradient) const = 0;
  virtual void gradient_change(const double* q, const double* dq, double* change) const = 0;
  virtual double curvature(const double* q, const double* v) const = 0;
  virtual bool wraps() const { return false; }

  double rate(const double* q, const double* v) const;
  /// The value that is nearest to what the memory holds, for measures that wrap.
  double unwrapped(double raw, const Instant& now) const;

  /// Value at the start, on the turn next to `start_near`.
  double start_value(const double* q) const;

  double start_near = 0.0;  ///< for measures that wrap: which turn they begin on; 0 is (-pi, pi]
  int memory_slot = -1;     ///< given by the model to measures that wrap
  std::string name;

 protected:
  std::vector<int> columns_;
};

using MeasurePointer = std::shared_ptr<Measure>;

/// What is made of the dot products x = A1.B1 and y = A2.B2.
enum class MeasureFunction {
  dot,       ///< x
  distance,  ///< sqrt(x)
  angle,     ///< atan2(y, x): angle from A1 to B1 = B2 when A1, A2 are the two axes it is measured in
  rotation,  ///< asin((x - y) / 2): small rotation between two frames about one axis
};

/// `first` is A1, B1; `second` is A2, B2 and is left empty by functions of one product.
MeasurePointer make_measure(MeasureFunction function, std::pair<Combination, Combination> first,
                            std::pair<Combination, Combination> second);
}  // namespace counterpoint::multibody
