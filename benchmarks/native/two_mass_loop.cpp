// The two-mass problem coupled by hand, without a framework: the limit that the benchmark `coupling` measures
// against. It does the arithmetic that the coupling asks for and nothing else: two linear state-space models
// (2 x 2), ode4 stage by stage and the trapezoidal rule, polynomials of an order given at run time on whatever
// times the samples have (kept in Newton form, rebuilt when their samples change), comparison of times with a
// tolerance, a look whether the outputs are finite, the interface defect with its mean, variance, maximum and
// magnitude, and both histories and the defect over time kept as results. Built with -ffp-contract=off.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace {

// The time history of one mass: the arrays are the caller's, and large enough.
struct Side {
  double* t;
  double* x;
  double* v;
  std::int64_t count = 0;

  bool append(double time, const double* state) {
    t[count] = time;
    x[count] = state[0];
    v[count] = state[1];
    ++count;
    return std::isfinite(state[0]) && std::isfinite(state[1]);
  }
};

// The polynomial through the last samples of a history, in Newton form (divided differences).
struct Newton {
  int degree = 0;
  double node[5];
  double coefficient[5];

  void rebuild(const Side& side, int order) {
    degree = static_cast<int>(std::min<std::int64_t>(order, side.count - 1));
    for (int i = 0; i <= degree; ++i) {
      node[i] = side.t[side.count - 1 - i];
      coefficient[i] = side.x[side.count - 1 - i];
    }
    for (int level = 1; level <= degree; ++level)
      for (int i = degree; i >= level; --i)
        coefficient[i] = (coefficient[i] - coefficient[i - 1]) / (node[i] - node[i - level]);
  }

  double operator()(double t) const {
    double value = coefficient[degree];
    for (int i = degree - 1; i >= 0; --i) value = value * (t - node[i]) + coefficient[i];
    return value;
  }
};

// dx/dt = a x + b u
struct Model {
  double a[2][2];
  double b[2];

  void slope(const double* x, double u, double* out) const {
    for (int i = 0; i < 2; ++i) out[i] = a[i][0] * x[0] + a[i][1] * x[1] + b[i] * u;
  }
};

void ode4(const Model& model, double t, double t_end, const Newton& input, double* x) {
  const double h = t_end - t;
  const double u_middle = input(t + 0.5 * h);
  double k1[2], k2[2], k3[2], k4[2], stage[2];
  model.slope(x, input(t), k1);
  for (int i = 0; i < 2; ++i) stage[i] = x[i] + 0.5 * h * k1[i];
  model.slope(stage, u_middle, k2);
  for (int i = 0; i < 2; ++i) stage[i] = x[i] + 0.5 * h * k2[i];
  model.slope(stage, u_middle, k3);
  for (int i = 0; i < 2; ++i) stage[i] = x[i] + h * k3[i];
  model.slope(stage, input(t_end), k4);
  for (int i = 0; i < 2; ++i) x[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
}

// Trapezoidal rule; the slope at the start is computed with the input known now.
void trapezoidal(const Model& model, double t, double t_end, const Newton& input, double* x) {
  const double half = 0.5 * (t_end - t);
  const double u_end = input(t_end);
  double k[2], right[2];
  model.slope(x, input(t), k);
  for (int i = 0; i < 2; ++i) right[i] = x[i] + half * (k[i] + model.b[i] * u_end);
  const double m00 = 1.0 - half * model.a[0][0], m01 = -half * model.a[0][1];
  const double m10 = -half * model.a[1][0], m11 = 1.0 - half * model.a[1][1];
  const double determinant = m00 * m11 - m01 * m10;
  x[0] = (m11 * right[0] - m01 * right[1]) / determinant;
  x[1] = (m00 * right[1] - m10 * right[0]) / determinant;
}

struct Defect {
  double* rows;  // (t, assumed, arrived), the caller's
  std::int64_t count = 0;
  double squares = 0.0, mean = 0.0, spread = 0.0, maximum = 0.0, time = 0.0, magnitude = 0.0;

  void compare(double t, double assumed, double arrived) {
    double* row = rows + 3 * count;
    row[0] = t;
    row[1] = assumed;
    row[2] = arrived;
    ++count;
    const double difference = assumed - arrived, from_mean = arrived - mean;
    squares += difference * difference;
    mean += from_mean / static_cast<double>(count);
    spread += from_mean * (arrived - mean);
    magnitude = std::max(magnitude, std::abs(arrived));
    if (std::abs(difference) > maximum) {
      maximum = std::abs(difference);
      time = t;
    }
  }
};

}  // namespace

// parameters: m1 m2 k1 k2 k3 x1(0) x2(0) h H. The arrays hold fast_steps + 1 samples of the fast mass,
// ceil(fast_steps h / H) + 1 of the slow one and as many rows of defects. Returns the slow samples written, or -1
// when a value is not finite. What the defect sums up to is left in parameters[9] to [14]: maximum, its time, sum of
// squares, mean, spread, magnitude.
extern "C" std::int64_t two_mass_loop(int order, std::int64_t fast_steps, double* p, double* t1, double* x1, double* v1,
                                      double* t2, double* x2, double* v2, double* defects) {
  const double h = p[7], H = p[8], tolerance = 1e-6 * h;
  const double until = static_cast<double>(fast_steps) * h;
  const Model fast_model{{{0.0, 1.0}, {-(p[2] + p[3]) / p[0], 0.0}}, {0.0, p[3] / p[0]}};
  const Model slow_model{{{0.0, 1.0}, {-(p[3] + p[4]) / p[1], 0.0}}, {0.0, p[3] / p[1]}};
  Side fast{t1, x1, v1}, slow{t2, x2, v2};
  Newton of_fast, of_slow;
  Defect defect{defects};
  double fast_state[2] = {p[5], 0.0}, slow_state[2] = {p[6], 0.0};
  double fast_time = 0.0, slow_time = 0.0;
  bool finite = fast.append(0.0, fast_state) && slow.append(0.0, slow_state);

  while (fast_time + tolerance < until && finite) {
    of_fast.rebuild(fast, order);
    const double slow_end = std::min(until, static_cast<double>(slow.count) * H);
    trapezoidal(slow_model, slow_time, slow_end, of_fast, slow_state);
    slow_time = slow_end;
    finite = slow.append(slow_time, slow_state);
    const double assumed = of_fast(slow_time);

    of_slow.rebuild(slow, order);
    while (fast.count <= fast_steps && finite) {
      const double fast_end = static_cast<double>(fast.count) * h;
      if (fast_end > slow_time + tolerance) break;
      ode4(fast_model, fast_time, fast_end, of_slow, fast_state);
      fast_time = fast_end;
      finite = fast.append(fast_time, fast_state);
    }
    defect.compare(slow_time, assumed, fast_state[0]);
  }
  const double sums[] = {defect.maximum, defect.time, defect.squares, defect.mean, defect.spread, defect.magnitude};
  std::copy(std::begin(sums), std::end(sums), p + 9);
  return finite ? slow.count : -1;
}
