// A ring of damped masses coupled by hand, without a framework: the limit that the benchmark `scale` measures a step of
// many subsystems against. Each extrapolates its two neighbours by a line through their last two samples, makes a step
// of ode4 (one matrix, as for any linear model), looks whether its output is finite, and keeps it as a result. All
// numbers that a mass needs lie one after another, and after those of the mass before. Built with -ffp-contract=off.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

constexpr double h = 0.01;

struct Mass {
  double x[2];
  double columns[8][2];  // of both inputs at the beginning, the middle and the end of a step, and of the state
  double c[2];
};

Mass made(std::int64_t k) {
  Mass mass{{static_cast<double>(k % 7), 0.0}, {}, {1.0, 0.0}};
  const double weights[3] = {h / 6.0, 4.0 * h / 6.0, h / 6.0};
  for (int j = 0; j < 6; ++j) mass.columns[j][1] = 0.1 * weights[j / 2];
  mass.columns[6][0] = 1.0, mass.columns[6][1] = -3.0 * h;
  mass.columns[7][0] = h, mass.columns[7][1] = 1.0 - 0.1 * h;
  return mass;
}

// One step of all; `before` and `newest` are the samples that all had, `made` is where the next ones go.
bool step(std::vector<Mass>& masses, const double* before, const double* newest, double* made) {
  const std::int64_t count = static_cast<std::int64_t>(masses.size());
  double probe = 0.0;
  for (std::int64_t k = 0; k < count; ++k) {
    Mass& m = masses[k];
    const std::int64_t sides[2] = {k > 0 ? k - 1 : count - 1, k + 1 < count ? k + 1 : 0};
    double sums[2] = {0.0, 0.0};
    for (int part = 0; part < 3; ++part) {
      for (int j = 0; j < 2; ++j) {
        const double slope = (newest[sides[j]] - before[sides[j]]) / h;
        const double u = newest[sides[j]] + slope * (0.5 * part * h);
        for (int i = 0; i < 2; ++i) sums[i] += m.columns[2 * part + j][i] * u;
      }
    }
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 2; ++i) sums[i] += m.columns[6 + j][i] * m.x[j];
    }
    m.x[0] = sums[0];
    m.x[1] = sums[1];
    made[k] = m.c[0] * m.x[0] + m.c[1] * m.x[1];
    probe += made[k] - made[k];
  }
  return probe == 0.0;
}

}  // namespace

// Seconds of a step of one mass: the least of `rounds` stretches of `steps`, the results of each kept by mass.
extern "C" double seconds_per_step(std::int64_t count, std::int64_t steps, std::int64_t rounds) {
  using clock = std::chrono::steady_clock;
  std::vector<Mass> masses;
  for (std::int64_t k = 0; k < count; ++k) masses.push_back(made(k));
  std::vector<double> samples((steps + 2) * count), rows(2 * (steps * rounds) * count);
  for (std::int64_t k = 0; k < count; ++k) samples[k] = samples[count + k] = masses[k].x[0];
  double least = INFINITY;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto began = clock::now();
    for (std::int64_t n = 0; n < steps; ++n) {
      double* const at = samples.data() + n * count;
      if (!step(masses, at, at + count, at + 2 * count)) return NAN;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      double* row = rows.data() + 2 * (k * steps * rounds + round * steps);
      for (std::int64_t n = 0; n < steps; ++n) {
        *row++ = static_cast<double>(round * steps + n + 1) * h;
        *row++ = samples[(n + 2) * count + k];
      }
    }
    std::copy_n(samples.data() + steps * count, 2 * count, samples.data());
    const double seconds = std::chrono::duration<double>(clock::now() - began).count();
    least = std::min(least, seconds / static_cast<double>(steps * count));
  }
  return least;
}
