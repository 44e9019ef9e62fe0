// Cubic spline through the samples on both sides of t, in repeats, which know them: error O(H^4) from values alone,
// nine times smaller than that of the cubic through four samples (1/384 against 9/384 of H^4 y''''), and smooth at the
// samples. Where it has no more than the sample ahead it is the cubic through the newest four.
//
// The second derivatives m at the samples solve a tridiagonal system with the cubics of the outer two intervals joined
// (not-a-knot). What a sample changes dies out by a factor of 0.27 from one interval to the next: 16 samples on either
// side give all 9 digits of the whole. Reference: de Boor (1978), chapter 4.

#include <array>

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

constexpr std::size_t reach = 16;  ///< samples on either side

class Spline final : public Approximation {
 public:
  int points_behind() const override { return static_cast<int>(reach); }
  bool uses_both_sides() const override { return true; }
  std::string name() const override { return "spline"; }

  void build(const Samples& samples, const ConsumerStep&, double t, Polynomial& out) const override {
    const std::size_t k = samples.ahead_of(t);
    cover_while_ahead(samples, k, out);
    const std::size_t first = k > samples.begin + reach ? k - reach : samples.begin;
    const std::size_t last = std::min(samples.last(), k + reach - 1);
    if (!samples.both_sides || k == samples.begin || last - first < 4) {
      const std::size_t newest = newest_around(samples, k, 4);
      return newton_through(samples, newest, available(samples, newest, 4), out);
    }
    out.degree = 3;
    out.nodes[0] = samples.time(k - 1);
    out.nodes[1] = samples.time(k);
    out.nodes[2] = samples.time(k - 1);
    for (int j = 0; j < out.width; ++j) build_component(samples, first, last, k, j, out);
  }

 private:
  /// p = y0 + (t - t0)(chord + (t - t1)(a + (t - t0) b)) with p'' = m0 at t0 and m1 at t1.
  static void build_component(const Samples& s, std::size_t first, std::size_t last, std::size_t k, int j,
                              Polynomial& out) {
    const double span = s.time(k) - s.time(k - 1);
    const auto [m0, m1] = second_derivatives(s, first, last, k, j);
    out.coefficient(0)[j] = s.value(k - 1)[j];
    out.coefficient(1)[j] = (s.value(k)[j] - s.value(k - 1)[j]) / span;
    out.coefficient(2)[j] = (2.0 * m0 + m1) / 6.0;
    out.coefficient(3)[j] = (m1 - m0) / (6.0 * span);
  }

  /// At samples k - 1 and k, by elimination from both ends towards them.
  static std::array<double, 2> second_derivatives(const Samples& s, std::size_t first, std::size_t last, std::size_t k,
                                                  int j) {
    std::array<double, 2 * reach> diagonal, right, upper;
    const std::size_t n = last - first + 1;
    const auto h = [&](std::size_t i) { return s.time(first + i + 1) - s.time(first + i); };
    const auto chord = [&](std::size_t i) { return (s.value(first + i + 1)[j] - s.value(first + i)[j]) / h(i); };
    for (std::size_t i = 1; i + 1 < n; ++i) {
      double lower = h(i - 1);
      diagonal[i] = 2.0 * (h(i - 1) + h(i));
      upper[i] = h(i);
      right[i] = 6.0 * (chord(i) - chord(i - 1));
      if (i == 1) {  // m_0 = m_1 + (m_1 - m_2) h_0 / h_1
        diagonal[i] += lower * (1.0 + h(0) / h(1));
        upper[i] -= lower * h(0) / h(1);
        continue;
      }
      if (i + 2 == n) {  // m_n-1 = m_n-2 + (m_n-2 - m_n-3) h_n-2 / h_n-3
        const double ratio = h(i) / h(i - 1);
        diagonal[i] += upper[i] * (1.0 + ratio);
        lower -= upper[i] * ratio;
        upper[i] = 0.0;
      }
      const double factor = lower / diagonal[i - 1];
      diagonal[i] -= factor * upper[i - 1];
      right[i] -= factor * right[i - 1];
    }
    std::array<double, 2 * reach> m;
    m[n - 2] = right[n - 2] / diagonal[n - 2];
    for (std::size_t i = n - 2; i-- > 1;) m[i] = (right[i] - upper[i] * m[i + 1]) / diagonal[i];
    m[0] = m[1] + (m[1] - m[2]) * h(0) / h(1);
    m[n - 1] = m[n - 2] + (m[n - 2] - m[n - 3]) * h(n - 2) / h(n - 3);
    return {m[k - 1 - first], m[k - first]};
  }
};

}  // namespace

ApproximationPointer make_spline() { return std::make_shared<Spline>(); }

}  // namespace counterpoint
