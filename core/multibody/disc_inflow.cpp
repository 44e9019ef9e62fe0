#include "multibody/disc_inflow.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "linear/decompositions.hpp"

namespace counterpoint::multibody {

namespace {

using std::numbers::pi;
constexpr double least_flow = 1e-3;  // m/s: an inflow has something to act on

/// How the wake leaves the disc.
struct Wake {
  double total = 0.0, mass_flow = 0.0;  ///< V_T and V of Peters and HaQuang, m/s
  double skew = 0.0;                    ///< tan(chi / 2)
  Vector downstream, across;            ///< in the disc
};

/// Buhl's thrust over momentum theory's where the wake would reverse: 1 below a = 0.4, and again where the inflow is
/// well above the wind, as in a hover that sinks a little.
double high_thrust(double axial, double induced) {
  const double a = axial > 0.0 ? induced / axial : 0.0;
  if (a <= 0.4) return 1.0;
  const double coefficient = 8.0 / 9.0 + (4.0 - 40.0 / 9.0) * a + (50.0 / 9.0 - 4.0) * a * a;
  return std::max(1.0, coefficient / (4.0 * a * std::max(std::abs(1.0 - a), 0.05)));
}

Wake wake_of(const DiscInflow& inflow, const DiscLoad& load) {
  Wake wake;
  const double axial = load.wind.dot(load.axis), through = axial - inflow.mean;
  const Vector in_plane = load.wind - axial * load.axis;
  const double edgewise = in_plane.norm();
  wake.total = std::max(std::hypot(edgewise, through), least_flow);
  wake.mass_flow = (edgewise * edgewise + through * (through - inflow.mean)) / wake.total;
  wake.mass_flow = std::max(wake.mass_flow, 0.2 * wake.total);
  const double cosine = std::abs(through) / wake.total;
  wake.skew = std::sqrt(std::max(0.0, (1.0 - cosine) / (1.0 + cosine)));
  wake.total *= high_thrust(axial, inflow.mean);
  wake.downstream = edgewise > 1e-9 ? Vector(in_plane / edgewise) : load.axis.unitOrthogonal();
  wake.across = load.axis.cross(wake.downstream);
  return wake;
}

double area_mass(const DiscLoad& load) { return load.density * pi * load.radius * load.radius; }

}  // namespace

DiscInflow advance_uniform(const DiscInflow& before, const DiscLoad& load, double h) {
  const Wake wake = wake_of(before, load);
  const double inertia = 8.0 / (3.0 * pi) * load.radius / h;
  return {(inertia * before.mean + load.thrust / area_mass(load)) / (inertia + 2.0 * wake.total), Vector::Zero()};
}

DiscInflow advance_pitt_peters(const DiscInflow& before, const DiscLoad& load, double h) {
  const Wake wake = wake_of(before, load);
  const double X = wake.skew, R = load.radius, A = area_mass(load);
  const Eigen::Array3d apparent(128.0 / (75.0 * pi), 16.0 / (45.0 * pi), 16.0 / (45.0 * pi));
  Eigen::Matrix3d L;
  L << 0.5, 0.0, -15.0 * pi / 64.0 * X, 0.0, 2.0 * (1.0 + X * X), 0.0, 15.0 * pi / 64.0 * X, 0.0, 2.0 * (1.0 - X * X);
  const Eigen::Vector3d flow(wake.total, wake.mass_flow, wake.mass_flow);
  const Eigen::Vector3d state(before.mean, R * before.gradient.dot(wake.across),
                              R * before.gradient.dot(wake.downstream));
  const Eigen::Vector3d forcing(load.thrust / A, load.moment.dot(wake.across) / (R * A),
                                load.moment.dot(wake.downstream) / (R * A));
  const Eigen::Vector3d inertia = apparent * R / h;
  const Eigen::Matrix3d resistance = flow.asDiagonal() * L.inverse();
  const Eigen::Matrix3d left = resistance + Eigen::Matrix3d(inertia.asDiagonal());
  const Eigen::Vector3d next = linear::solve(left, inertia.cwiseProduct(state) + forcing);
  return {next[0], Vector((next[1] * wake.across + next[2] * wake.downstream) / R)};
}

}  // namespace counterpoint::multibody
