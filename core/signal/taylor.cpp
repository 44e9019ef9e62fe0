// Taylor expansion about the nearest sample. With slopes from the subsystem the expansion is the
// integral of the polynomial through the slopes, so order P needs P samples and has error
// O(H^(P+1)); without them the derivatives are those of the polynomial through P + 1 values.

#include <algorithm>
#include <array>

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

/// Rewrite Newton coefficients c over nodes n as powers of (t - origin).
void to_powers(std::array<double, 5>& c, const std::array<double, 5>& n, int degree, double origin) {
  for (int low = degree - 1; low >= 0; --low) {
    for (int d = low; d < degree; ++d) c[d] -= (n[low] - origin) * c[d + 1];
  }
}

class Taylor final : public Approximation {
 public:
  explicit Taylor(int order) : order_(order) { check_order(order, "taylor"); }
  int points_behind() const override { return order_ + 2; }
  bool wants_derivatives() const override { return order_ > 0; }
  bool uses_both_sides() const override { return order_ > 1; }
  std::string name() const override { return "taylor " + std::to_string(order_); }

  void build(const Samples& samples, const ConsumerStep&, double t, Polynomial& out) const override {
    const std::size_t k = nearest(samples, t);
    cover_while_nearest(samples, k, out);
    const bool slopes = samples.has_derivatives() && order_ > 0;
    const int wanted = slopes ? order_ : order_ + 1;
    const std::size_t further = samples.both_sides ? static_cast<std::size_t>(wanted / 2) : 0;
    const std::size_t newest = std::min(samples.last(), std::max(k + further, samples.begin + wanted - 1));
    const int points = available(samples, newest, wanted);
    if (slopes) {
      expand_from_slopes(samples, k, newest, points, out);
    } else {
      newton_through(samples, newest, points, out);
    }
  }

 private:
  /// From here on sample k + 1 is nearer than sample k. A time in the middle belongs to the later one: solvers ask
  /// there in every step, and rounding must not choose.
  static double middle(const Samples& s, std::size_t k) { return 0.5 * (s.time(k) + s.time(k + 1)) - s.tolerance; }

  static std::size_t nearest(const Samples& s, double t) {
    const std::size_t k = s.behind(t);
    return k < s.last() && t >= middle(s, k) ? k + 1 : k;
  }

  static void cover_while_nearest(const Samples& s, std::size_t k, Polynomial& out) {
    out.from = k == s.begin ? -Polynomial::infinity : middle(s, k - 1);
    out.to = k == s.last() ? Polynomial::infinity : middle(s, k);
  }

  static void expand_from_slopes(const Samples& s, std::size_t k, std::size_t newest, int points, Polynomial& out) {
    const double origin = s.time(k);
    out.degree = points;
    std::fill_n(out.nodes.begin(), points, origin);
    for (int j = 0; j < out.width; ++j) {
      std::array<double, 5> c{};
      std::array<double, 5> n{};
      for (int d = 0; d < points; ++d) {
        n[d] = s.time(newest - d);
        c[d] = s.derivative(newest - d)[j];
      }
      for (int level = 1; level < points; ++level) {
        for (int d = points - 1; d >= level; --d) c[d] = (c[d] - c[d - 1]) / (n[d] - n[d - level]);
      }
      to_powers(c, n, points - 1, origin);
      out.coefficient(0)[j] = s.value(k)[j];
      for (int d = 0; d < points; ++d) out.coefficient(d + 1)[j] = c[d] / (d + 1);
    }
  }

  int order_;
};

}  // namespace

ApproximationPointer make_taylor(int order) { return std::make_shared<Taylor>(order); }

}  // namespace counterpoint
