#pragma once

#include <memory>
#include <vector>

#include "multibody/assembled_model.hpp"
#include "multibody/stepper.hpp"
#include "recipe/origin.hpp"

namespace counterpoint::multibody {

/// What an output may look at.
struct Moment {
  const Model& model;
  const State& state;
  double t;

  /// What was made with the inputs of the step that ended; no output asks for newer ones.
  Instant now() const {
    Instant now = state.instant();
    now.t = t;
    return now;
  }
};

/// Something a mechanism shows: numbers made of its state, without looking at the inputs of the moment.
class Output : public recipe::Describable {
 public:
  virtual ~Output() = default;
  virtual int width() const = 0;
  virtual void evaluate(const Moment& moment, double* out) const = 0;
  /// Whether it looks at the multipliers of the state.
  virtual bool shows_multipliers() const { return false; }
  virtual bool offers_derivative() const { return false; }
  virtual void derivative(const Moment& /*moment*/, double* /*out*/) const {}
  /// Whether the model has what it shows.
  virtual bool fits(const Model& /*model*/) const { return true; }
};

using OutputPointer = std::shared_ptr<const Output>;

enum class Motion { position, velocity, acceleration };

/// A point or vector of a body.
OutputPointer make_point_output(Combination point, Motion motion);
/// An angle, distance or the like; its second derivative when `acceleration`.
OutputPointer make_measure_output(MeasurePointer measure, Motion motion);
/// All free coordinates or their derivatives.
OutputPointer make_coordinates_output(int coordinates, Motion motion);
/// Multipliers of equations first .. first + count - 1, times -1: what the joint does on the bodies, N or N m.
OutputPointer make_reaction_output(int first, int count);
/// Force of a support on the fixed point whose first coordinate is `offset`, N.
OutputPointer make_support_output(int offset, int dimension);
/// The values of a force element.
OutputPointer make_force_output(ForcePointer force);

enum class Scalar { kinetic_energy, potential_energy, total_energy, violation };
OutputPointer make_scalar_output(Scalar scalar);

}  // namespace counterpoint::multibody
