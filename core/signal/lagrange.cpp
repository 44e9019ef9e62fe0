// Hold and Lagrange polynomials of order P on P + 1 samples. Reference: González et al. (2010),
// section 2.1: the newest sample used is the closest one strictly ahead of t, if there is one, and
// the others precede it; in a repeat, which knows more of them, they lie on both sides of t. Error O(H^(P+1)).
// Extrapolation amplifies beyond order 2 or so; order 1 on two values is the most robust choice for extrapolation.

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

class Hold final : public Approximation {
 public:
  explicit Hold(HoldSide side) : side_(side) {}
  int points_behind() const override { return 1; }
  int newest_points() const override { return 1; }
  bool covers_intervals() const override { return side_ == HoldSide::ahead; }
  std::string name() const override { return side_ == HoldSide::behind ? "hold behind" : "hold ahead"; }

  void build(const Samples& samples, const ConsumerStep&, double t, Polynomial& out) const override {
    if (side_ == HoldSide::ahead) {
      const std::size_t k = samples.ahead_of(t);
      newton_through(samples, k, 1, out);
      cover_while_ahead(samples, k, out);
      return;
    }
    const std::size_t k = samples.behind(t);
    newton_through(samples, k, 1, out);
    out.from = k == samples.begin ? -Polynomial::infinity : samples.time(k) - samples.tolerance;
    out.to = k == samples.last() ? Polynomial::infinity : samples.time(k + 1) - samples.tolerance;
  }

 private:
  HoldSide side_;
};

class Lagrange final : public Approximation {
 public:
  explicit Lagrange(int order) : order_(order) { check_order(order, "lagrange"); }
  int points_behind() const override { return order_ + 1; }
  int newest_points() const override { return order_ + 1; }
  bool covers_intervals() const override { return true; }
  bool uses_both_sides() const override { return order_ > 1; }
  std::string name() const override { return "lagrange " + std::to_string(order_); }

  void build(const Samples& samples, const ConsumerStep&, double t, Polynomial& out) const override {
    const std::size_t k = samples.ahead_of(t);
    const std::size_t newest = newest_around(samples, k, order_ + 1);
    newton_through(samples, newest, available(samples, newest, order_ + 1), out);
    cover_while_ahead(samples, k, out);
  }

 private:
  int order_;
};

}  // namespace

ApproximationPointer make_hold(HoldSide side) { return std::make_shared<Hold>(side); }
ApproximationPointer make_lagrange(int order) { return std::make_shared<Lagrange>(order); }

}  // namespace counterpoint
