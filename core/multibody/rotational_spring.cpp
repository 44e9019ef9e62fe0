// Spring over the rotation vector phi from one frame to another: energy 1/2 phi . K phi, so torque -J^-T K phi with J
// the derivative of the rotation by phi: J. Stuelpnagel, "On the parametrization of the three-dimensional rotation
// group", SIAM Review 6 (1964), and A. Mueller, "Coordinate mappings for rigid body motions", J. Comput. Nonlinear Dyn.
// 12 (2017).
#include "multibody/rotational_spring.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

#include "check.hpp"
#include "multibody/attachment.hpp"

namespace counterpoint::multibody {

namespace {

using Matrix3 = Eigen::Matrix3d;

std::vector<Combination> joined(const std::array<Combination, 3>& first, const std::array<Combination, 3>& second) {
  std::vector<Combination> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

/// Angle times axis of a rotation matrix that need not be quite orthonormal yet.
Vector rotation_vector(const Matrix3& R) {
  const Vector twice_sine(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const double sine = 0.5 * twice_sine.norm(), cosine = 0.5 * (R.trace() - 1.0);
  if (sine < 1e-9) return 0.5 * twice_sine;
  return std::atan2(sine, cosine) / (2.0 * sine) * twice_sine;
}

/// J^-T moment.
Vector torque_of(const Vector& phi, const Vector& moment) {
  const double angle = phi.norm();
  // (1 - (angle / 2) cot(angle / 2)) / angle^2 and its limit.
  const double factor = angle < 1e-3 ? 1.0 / 12.0 : (1.0 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
  return moment + 0.5 * phi.cross(moment) + factor * phi.cross(phi.cross(moment));
}

class RotationalSpring final : public Force {
 public:
  RotationalSpring(const std::array<Combination, 3>& first, const std::array<Combination, 3>& second,
                   const RotationalSpringLaw& law)
      : attachment_(joined(first, second)), stiffness_(law.stiffness.data()), damping_(law.damping.data()) {
    columns_ = attachment_.columns();
    row_.resize(columns_.size());
  }

  void add(const Instant& now, double* Q) const override {
    const Frames frames = look(now);
    const Vector torque = frames.first * local_torque(frames, now);
    for (int k = 0; k < 3; ++k) {
      attachment_.add_force(k, -0.5 * torque.cross(Vector(frames.first.col(k))), Q);
      attachment_.add_force(3 + k, 0.5 * torque.cross(Vector(frames.second.col(k))), Q);
    }
  }

  bool is_local() const override { return true; }
  bool has_tangent() const override { return true; }
  // About each axis of the first frame; exact where the spring is relaxed.
  void tangent(const Instant& now, double stiffness, double damping, double* block) const override {
    std::fill_n(block, columns_.size() * columns_.size(), 0.0);
    const Frames frames = look(now);
    for (int axis = 0; axis < 3; ++axis) {
      std::fill(row_.begin(), row_.end(), 0.0);
      const Vector about = frames.first.col(axis);
      for (int k = 0; k < 3; ++k) {
        attachment_.add_to_row(k, -0.5 * about.cross(Vector(frames.first.col(k))), row_.data());
        attachment_.add_to_row(3 + k, 0.5 * about.cross(Vector(frames.second.col(k))), row_.data());
      }
      add_square(row_, stiffness * stiffness_[axis] + damping * damping_[axis], block);
    }
  }

  double energy(const Instant& now) const override {
    const Vector phi = rotation_vector(look(now).between());
    return 0.5 * phi.dot(stiffness_.cwiseProduct(phi));
  }

  std::vector<std::string> value_names() const override {
    return {"rotation_x", "rotation_y", "rotation_z", "torque_x", "torque_y", "torque_z"};
  }
  void values(const Instant& now, double* out) const override {
    const Frames frames = look(now);
    const Vector phi = rotation_vector(frames.between()), torque = local_torque(frames, now);
    for (int d = 0; d < 3; ++d) {
      out[d] = phi[d];
      out[3 + d] = torque[d];
    }
  }

 private:
  struct Frames {
    Matrix3 first, second;  ///< axes in columns
    Matrix3 between() const { return first.transpose() * second; }
  };

  Frames look(const Instant& now) const {
    Frames frames;
    for (int k = 0; k < 3; ++k) {
      frames.first.col(k) = attachment_.at(k, now.q);
      frames.second.col(k) = attachment_.at(3 + k, now.q);
    }
    return frames;
  }

  /// On the second frame, along the axes of the first.
  Vector local_torque(const Frames& frames, const Instant& now) const {
    const Vector phi = rotation_vector(frames.between());
    const Vector turning = angular_velocity(3, frames.second, now) - angular_velocity(0, frames.first, now);
    return -torque_of(phi, stiffness_.cwiseProduct(phi)) - damping_.cwiseProduct(frames.first.transpose() * turning);
  }

  /// Sum of e x e' / 2 over the frame's axes.
  Vector angular_velocity(int begin, const Matrix3& axes, const Instant& now) const {
    Vector sum = Vector::Zero();
    for (int k = 0; k < 3; ++k) sum += 0.5 * Vector(axes.col(k)).cross(attachment_.rate(begin + k, now.v));
    return sum;
  }

  Attachment attachment_;
  Vector stiffness_, damping_;
  mutable std::vector<double> row_;  // scratch
};

}  // namespace

ForcePointer make_rotational_spring(const std::array<Combination, 3>& first, const std::array<Combination, 3>& second,
                                    const RotationalSpringLaw& law) {
  for (int k = 0; k < 3; ++k) {
    if (first[k].dimension != 3 || second[k].dimension != 3)
      throw UserError("rotational spring: its frames are not in space");
  }
  return std::make_shared<RotationalSpring>(first, second, law);
}

}  // namespace counterpoint::multibody
