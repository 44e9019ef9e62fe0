// Cubic Hermite polynomial through the samples on both sides of t (or the last two, beyond the
// samples) and their slopes. Error O(H^4) with slopes from the subsystem, O(H^3) with slopes from
// divided differences over three samples. In a repeat, which knows two samples on either side: the polynomial of degree
// 5 through these four and the slopes of the inner two, O(H^6), or without slopes the cubic through the four, O(H^4).

#include <array>

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

/// Slope at sample k of the parabola through k and its neighbours; the chord when only two exist.
double difference_slope(const Samples& s, std::size_t k, int j) {
  const std::size_t low = k > s.begin ? k - 1 : k;
  const std::size_t high = k < s.last() ? k + 1 : k;
  const std::size_t a = high - low == 2 ? low : (low == k ? k : (low > s.begin ? low - 1 : low));
  const std::size_t c = high - low == 2 ? high : (high == k ? k : (high < s.last() ? high + 1 : high));
  if (c - a < 2) return (s.value(c)[j] - s.value(a)[j]) / (s.time(c) - s.time(a));
  const std::size_t b = a + 1;
  const double ab = (s.value(b)[j] - s.value(a)[j]) / (s.time(b) - s.time(a));
  const double bc = (s.value(c)[j] - s.value(b)[j]) / (s.time(c) - s.time(b));
  const double curvature = (bc - ab) / (s.time(c) - s.time(a));
  return ab + curvature * (2.0 * s.time(k) - s.time(a) - s.time(b));
}

double slope(const Samples& s, std::size_t k, int j) {
  return s.has_derivative(k) ? s.derivative(k)[j] : difference_slope(s, k, j);
}

class Hermite final : public Approximation {
 public:
  int points_behind() const override { return 3; }
  bool wants_derivatives() const override { return true; }
  bool uses_both_sides() const override { return true; }
  std::string name() const override { return "hermite"; }

  void build(const Samples& samples, const ConsumerStep&, double t, Polynomial& out) const override {
    const std::size_t k = samples.ahead_of(t);
    cover_while_ahead(samples, k, out);
    if (k == samples.begin) return build_from_one(samples, k, out);
    if (samples.both_sides && !samples.has_derivatives()) {
      const std::size_t newest = newest_around(samples, k, 4);
      return newton_through(samples, newest, available(samples, newest, 4), out);
    }
    if (samples.both_sides) return build_from_four(samples, k, out);
    const double span = samples.time(k) - samples.time(k - 1);
    out.degree = 3;
    out.nodes[0] = out.nodes[1] = samples.time(k - 1);
    out.nodes[2] = samples.time(k);
    for (int j = 0; j < out.width; ++j) {
      const double chord = (samples.value(k)[j] - samples.value(k - 1)[j]) / span;
      const double before = slope(samples, k - 1, j);
      const double after = slope(samples, k, j);
      out.coefficient(0)[j] = samples.value(k - 1)[j];
      out.coefficient(1)[j] = before;
      out.coefficient(2)[j] = (chord - before) / span;
      out.coefficient(3)[j] = (after - 2.0 * chord + before) / (span * span);
    }
  }

 private:
  /// Divided differences on nodes of which the two around t are double: there they are slopes.
  static void build_from_four(const Samples& samples, std::size_t k, Polynomial& out) {
    std::array<std::size_t, Polynomial::max_degree + 1> node{};
    int count = 0;
    const std::size_t newest = newest_around(samples, k, 4);
    for (int d = available(samples, newest, 4) - 1; d >= 0; --d) {
      const std::size_t sample = newest - static_cast<std::size_t>(d);
      node[count++] = sample;
      if (sample == k || sample + 1 == k) node[count++] = sample;
    }
    out.degree = count - 1;
    for (int i = 0; i < out.degree; ++i) out.nodes[i] = samples.time(node[i]);
    for (int j = 0; j < out.width; ++j) {
      for (int i = 0; i < count; ++i) out.coefficient(i)[j] = samples.value(node[i])[j];
      for (int level = 1; level < count; ++level) {
        for (int i = count - 1; i >= level; --i) {
          const double span = samples.time(node[i]) - samples.time(node[i - level]);
          double& c = out.coefficient(i)[j];
          c = span == 0.0 ? samples.derivative(node[i])[j] : (c - out.coefficient(i - 1)[j]) / span;
        }
      }
    }
  }

  static void build_from_one(const Samples& samples, std::size_t k, Polynomial& out) {
    newton_through(samples, k, 1, out);
    if (!samples.has_derivative(k)) return;
    out.degree = 1;
    out.nodes[0] = samples.time(k);
    for (int j = 0; j < out.width; ++j) out.coefficient(1)[j] = samples.derivative(k)[j];
  }
};

}  // namespace

ApproximationPointer make_hermite() { return std::make_shared<Hermite>(); }

}  // namespace counterpoint
