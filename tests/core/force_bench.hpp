#pragma once

// What tests of force elements need: a place for coordinates, numerical derivatives, a rigid body and small runs.

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <vector>

#include "multibody/assembled_model.hpp"
#include "multibody/stepper.hpp"

namespace counterpoint::testing {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using multibody::Combination;
using multibody::Force;
using multibody::ForcePointer;
using multibody::Instant;

inline Combination at_offset(int offset, int dimension = 3) {
  return {.dimension = dimension, .weights = {{.offset = offset, .weight = 1.0}}};
}
inline Combination constant(double x, double y, double z, int dimension = 3) {
  return {.dimension = dimension, .weights = {}, .constant = {x, y, z}};
}

/// Coordinates, velocities, inputs and memory that belong to the test.
struct Bench {
  explicit Bench(int coordinates) : q(VectorXd::Zero(coordinates)), v(VectorXd::Zero(coordinates)) {}

  Instant now() const {
    return {.t = t,
            .q = q.data(),
            .v = v.data(),
            .u = u.data(),
            .du = u.data(),
            .ddu = u.data(),
            .memory = memory.data(),
            .step_start = step_start};
  }
  VectorXd force(const Force& element) const {
    VectorXd Q = VectorXd::Zero(q.size());
    element.add(now(), Q.data());
    return Q;
  }
  std::vector<double> values(const Force& element) const {
    std::vector<double> out(element.value_names().size());
    element.values(now(), out.data());
    return out;
  }
  /// stiffness * K + damping * C as the element says, over all coordinates.
  MatrixXd tangent(const Force& element, double stiffness, double damping) const {
    const std::vector<int>& columns = element.columns();
    std::vector<double> block(columns.size() * columns.size());
    element.tangent(now(), stiffness, damping, block.data());
    MatrixXd full = MatrixXd::Zero(q.size(), q.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) full(columns[i], columns[j]) = block[i * columns.size() + j];
    }
    return full;
  }
  /// -dQ/dx by central differences, x being q or v of this bench.
  MatrixXd derivative(const Force& element, VectorXd Bench::* x, double difference = 1e-6) const {
    MatrixXd made(q.size(), q.size());
    Bench moved = *this;
    for (int c = 0; c < q.size(); ++c) {
      (moved.*x)[c] = (this->*x)[c] + difference;
      const VectorXd above = moved.force(element);
      (moved.*x)[c] = (this->*x)[c] - difference;
      made.col(c) = -(above - moved.force(element)) / (2.0 * difference);
      (moved.*x)[c] = (this->*x)[c];
    }
    return made;
  }
  VectorXd energy_gradient(const Force& element, double difference = 1e-6) const {
    VectorXd made(q.size());
    Bench moved = *this;
    for (int c = 0; c < q.size(); ++c) {
      moved.q[c] = q[c] + difference;
      const double above = element.energy(moved.now());
      moved.q[c] = q[c] - difference;
      made[c] = (above - element.energy(moved.now())) / (2.0 * difference);
      moved.q[c] = q[c];
    }
    return made;
  }
  void start(Force& element) {
    memory.assign(element.memory(), 0.0);
    element.start(now(), memory.data());
  }
  /// Moves the clock and lets the element remember; coordinates and velocities stay.
  void accept(const Force& element, double h) {
    t = step_start + h;
    std::vector<double> next = memory;
    element.accept(now(), next.data());
    memory = next;
    step_start = t;
  }

  VectorXd q, v;
  std::vector<double> u = std::vector<double>(4, 0.0), memory;
  double t = 0.0, step_start = 0.0;
};

inline MatrixXd symmetrised(const MatrixXd& A) { return 0.5 * (A + A.transpose()); }

/// Places a frame of three axes at `offset` and gives it an angular velocity.
inline void place_frame(Bench& bench, int offset, const Matrix3d& axes, const Vector3d& turning) {
  for (int k = 0; k < 3; ++k) {
    bench.q.segment<3>(offset + 3 * k) = axes.col(k);
    bench.v.segment<3>(offset + 3 * k) = turning.cross(Vector3d(axes.col(k)));
  }
}

inline Matrix3d turned(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

struct NoInputs final : multibody::InputSource {
  void fill(double, Instant& now) override { now.u = now.du = now.ddu = zeros; }
  double zeros[4] = {};
};

/// A model and everything that moves it.
struct Run {
  Run(multibody::Parts parts, const multibody::StepperOptions& options) {
    parts.coordinates.resize(std::max(parts.coordinates.size(), static_cast<std::size_t>(parts.free)));
    parts.constant_force.resize(parts.coordinates.size());
    model = std::make_shared<multibody::AssembledModel>(std::move(parts));
    stepper = multibody::make_stepper(model, options);
    state.q.assign(model->all_coordinates(), 0.0);
    state.v = state.a = state.auxiliary = state.q;
    state.multipliers.assign(model->equations(), 0.0);
    state.memory.assign(model->memory(), 0.0);
  }
  Instant now() {
    Instant made{
        .t = state.t, .q = state.q.data(), .v = state.v.data(), .memory = state.memory.data(), .step_start = state.t};
    inputs.fill(state.t, made);
    return made;
  }
  void start() {
    model->start(now(), state.memory.data());
    stepper->start(state, inputs);
  }
  void step(double h) { stepper->step(state, state.t + h, inputs); }
  void until(double end, double h) {
    const int steps = static_cast<int>(std::lround((end - state.t) / h));
    for (int k = 0; k < steps; ++k) step(h);
  }
  std::vector<double> values(int force) {
    const Force& element = *model->parts().forces[force];
    std::vector<double> out(element.value_names().size());
    element.values(now(), out.data());
    return out;
  }

  std::shared_ptr<multibody::AssembledModel> model;
  multibody::StepperPointer stepper;
  multibody::State state;
  NoInputs inputs;
};

/// A point mass with its weight along `down`.
inline multibody::Parts point_mass(double mass, int dimension, double gravity) {
  multibody::Parts parts;
  parts.free = dimension;
  parts.coordinates.resize(dimension);
  for (int d = 0; d < dimension; ++d) parts.mass.push_back({d, d, mass});
  parts.constant_force.assign(dimension, 0.0);
  parts.constant_force.back() = -mass * gravity;
  return parts;
}

}  // namespace counterpoint::testing
