#include "multibody/model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace counterpoint::multibody {

void Model::projection_terms(const Instant& now, const double*, const double*, double* sides, double*) const {
  std::vector<double> phi_t(equations(), 0.0), rest(equations());
  if (rheonomic()) velocity_terms(now, phi_t.data());
  acceleration_terms(now, rest.data());
  put_sides(phi_t, rest, sides);
}

void put_sides(const std::vector<double>& phi_t, const std::vector<double>& rest, double* sides) {
  for (std::size_t r = 0; r < rest.size(); ++r, sides += 3) {
    sides[0] = phi_t[r];
    sides[1] = rest[r];
    sides[2] = 0.0;
  }
}

namespace {

// Phi_q v + Phi_t where the motion is `later` seconds after `now`.
std::vector<double> rates(const Model& model, const Instant& now, double later) {
  const int n = model.all_coordinates();
  std::vector<double> q(n), phi(model.equations()), jacobian(model.jacobian_pattern().entries()),
      rate(model.equations(), 0.0);
  for (int c = 0; c < n; ++c) q[c] = now.q[c] + later * now.v[c];
  Instant there = now;
  there.t += later;
  there.q = q.data();
  model.constraints(there, phi.data(), jacobian.data());
  if (model.rheonomic()) model.velocity_terms(there, rate.data());
  const SparsePattern& pattern = model.jacobian_pattern();
  for (int row = 0; row < pattern.rows; ++row) {
    for (int k = pattern.row_start[row]; k < pattern.row_start[row + 1]; ++k)
      rate[row] += jacobian[k] * now.v[pattern.column[k]];
  }
  return rate;
}

}  // namespace

void difference_of_rates(const Model& model, const Instant& now, double length, double* rest) {
  constexpr double fraction = 1e-5;
  double speed = length;
  for (int c = 0; c < model.all_coordinates(); ++c) speed = std::max(speed, std::abs(now.v[c]));
  const double interval = fraction * length / speed;
  const std::vector<double> after = rates(model, now, interval), before = rates(model, now, -interval);
  for (int row = 0; row < model.equations(); ++row) rest[row] = (after[row] - before[row]) / (2.0 * interval);
}

void Model::force_change(const Instant& now, const double* dq, const double* dv, double step, double* dQ) const {
  std::fill_n(dQ, all_coordinates(), 0.0);
  add_difference([this](const Instant& there, double* Q) { forces(there, Q); }, now, all_coordinates(), dq, dv, step,
                 dQ);
}

void add_difference(const std::function<void(const Instant&, double*)>& add, const Instant& now, int coordinates,
                    const double* dq, const double* dv, double step, double* dQ) {
  const auto count = static_cast<std::size_t>(coordinates);
  std::vector<double> q(count), v(count), Q(count);
  Instant there = now;
  there.q = q.data();
  there.v = v.data();
  constexpr double places[] = {-2.0, -1.0, 1.0, 2.0}, weights[] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  for (int k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      q[i] = now.q[i] + places[k] * step * dq[i];
      v[i] = now.v[i] + places[k] * step * dv[i];
    }
    std::fill(Q.begin(), Q.end(), 0.0);
    add(there, Q.data());
    for (std::size_t i = 0; i < count; ++i) dQ[i] += weights[k] / step * Q[i];
  }
}

}  // namespace counterpoint::multibody
