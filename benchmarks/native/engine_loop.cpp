// The mean-value engine of the benchmark `diagram` by hand, RK4 with a fixed step: what the same arithmetic costs
// without a diagram. The functions of its diagram are here as well, for function blocks.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

constexpr double pi = 3.141592653589793;
constexpr double ambient = 1.0;  // bar
constexpr double spark = 15.0;   // degrees before top dead centre

double throttle_area(double theta) { return 2.821 + theta * (-0.05231 + theta * (0.10299 - 0.00063 * theta)); }
double flow_factor(double r) { return 2.0 * std::sqrt(r - r * r); }
double pumping(double n, double p) { return -0.366 + n * (p * (0.08979 - 0.0337 * p) + 0.0001 * n * p); }
double gas_torque(double m, double s) { return m * (379.36 + s * (2.55 - 0.05 * s)); }
double spark_torque(double s, double n) { return s * (0.26 - 0.0028 * s + 0.00048 * n); }
double friction_torque(double n) { return -181.3 + 21.91 * 14.6 - 0.85 * 14.6 * 14.6 + n * (0.027 - 0.000107 * n); }

// x: manifold pressure, air in a cylinder, speed, crank angle
void slope(double t, const double* x, double* dx) {
  const double p = x[0], m = x[1], n = x[2];
  const double theta = std::clamp(t < 5.0 ? 8.97 : 11.93, 0.0, 90.0);
  const double load = (t < 2.0 ? 25.0 : 20.0) + (t < 8.0 ? 0.0 : 5.0);
  const double r = std::min(p / ambient, ambient / p);
  const double g = r >= 0.5 ? flow_factor(r) : 1.0;
  const double difference = ambient - p;
  const double sign = difference > 0.0 ? 1.0 : difference < 0.0 ? -1.0 : 0.0;
  const double in = throttle_area(theta) * g * sign;
  const double out = pumping(n, p);
  const double torque = gas_torque(m, spark) + spark_torque(spark, n) + friction_torque(n);
  dx[0] = 0.41328 * (in - out);
  dx[1] = (pi * (out / n) - m) * n * (1.0 / pi);
  dx[2] = (torque - load) * (1.0 / 0.14);
  dx[3] = n;
}

}  // namespace

// x: the four states, in place. speed: steps + 1 values in revolutions a minute, the result.
extern "C" void engine_loop(std::int64_t steps, double h, double* x, double* speed) {
  double k1[4], k2[4], k3[4], k4[4], stage[4];
  speed[0] = x[2] * (30.0 / pi);
  for (std::int64_t i = 0; i < steps; ++i) {
    const double t = static_cast<double>(i) * h;
    slope(t, x, k1);
    for (int j = 0; j < 4; ++j) stage[j] = x[j] + 0.5 * h * k1[j];
    slope(t + 0.5 * h, stage, k2);
    for (int j = 0; j < 4; ++j) stage[j] = x[j] + 0.5 * h * k2[j];
    slope(t + 0.5 * h, stage, k3);
    for (int j = 0; j < 4; ++j) stage[j] = x[j] + h * k3[j];
    slope(t + h, stage, k4);
    for (int j = 0; j < 4; ++j) x[j] += h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]);
    speed[i + 1] = x[2] * (30.0 / pi);
  }
}

extern "C" void f_throttle_area(double, const double* u, double* y) { *y = throttle_area(u[0]); }
extern "C" void f_flow_factor(double, const double* u, double* y) { *y = flow_factor(u[0]); }
extern "C" void f_pumping(double, const double* u, double* y) { *y = pumping(u[0], u[1]); }
extern "C" void f_gas_torque(double, const double* u, double* y) { *y = gas_torque(u[0], u[1]); }
extern "C" void f_spark_torque(double, const double* u, double* y) { *y = spark_torque(u[0], u[1]); }
extern "C" void f_friction_torque(double, const double* u, double* y) { *y = friction_torque(u[0]); }
