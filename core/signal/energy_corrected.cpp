// Lagrange extrapolation with a nearly energy-preserving correction: the integral of the error over the last interval
// is added, as a constant, over this one. The sum of these integrals then stays that of one interval, however long the
// run, and with it the energy that the coupling creates or loses. Reference: Benedikt et al. (2013), NEPCE.
// With the conjugate output of the receiver the correction is made only where the error has created energy, which it
// takes out again: dissipation of residual energy, after Rodríguez et al. (2019). Order as Lagrange's; the mean over an
// interval has one order more.

#include "signal/energy_corrected.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "signal/newton.hpp"

namespace counterpoint {
namespace {

/// Gauss-Legendre with three points, exact up to degree 5.
constexpr std::array<double, 3> places{-0.7745966692414834, 0.0, 0.7745966692414834};
constexpr std::array<double, 3> weights{5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};

class EnergyCorrected final : public Approximation {
 public:
  EnergyCorrected(int order, Conjugate conjugate, const History* own = nullptr)
      : order_(order), conjugate_(conjugate), own_(own) {
    check_order(order, "energy-corrected");
  }
  int points_behind() const override { return order_ + 4; }
  bool depends_on_step() const override { return true; }
  bool piece_by_piece() const override { return true; }
  bool looks_back_one_step() const override { return true; }
  std::string name() const override {
    return (conjugate_.column < 0 ? "energy-corrected " : "energy-dissipating ") + std::to_string(order_);
  }

  void build(const Samples& samples, const ConsumerStep& step, double t, Polynomial& out) const override {
    const std::size_t ahead = samples.ahead_of(t);
    newton_through(samples, ahead, available(samples, ahead, order_ + 1), out);
    cover_while_ahead(samples, ahead, out);
    if (samples.time(samples.last()) > step.start + samples.tolerance) return;  // interpolated: nothing to make good
    correct(samples, step, out);
  }

  ApproximationPointer with(const History& own) const {
    if (conjugate_.column < 0) return nullptr;
    return std::make_shared<EnergyCorrected>(order_, conjugate_, &own);
  }

 private:
  /// The last interval reaches from the newest sample that was known in it to the newest one known now: a step of the
  /// receiver where that is the slower side, else a step of the source. So intervals join without gaps.
  void correct(const Samples& s, const ConsumerStep& step, Polynomial& out) const {
    if (s.count() < 2) return;
    const std::size_t newest = s.last();
    const std::size_t known = std::min(s.behind(step.previous_start), newest - 1);
    const double begin = s.time(known), end = s.time(newest);
    const double length = std::max(step.end - step.start, end - s.time(newest - 1));
    if (length <= s.tolerance || step.start >= end + length - s.tolerance) return;
    const std::vector<double> missed = integral_of_error(s, known, out.width);
    const double over = std::max(length, 0.5 * (end - begin));  // after a much longer interval only part of it
    for (int j = 0; j < out.width; ++j) {
      const double error = missed[static_cast<std::size_t>(j)];
      if (created_energy(error, j, begin, end, s.tolerance)) out.coefficient(0)[j] += error / over;
    }
  }

  /// Integral over [time(known), newest] of what arrived minus what was extrapolated from sample `known` on.
  std::vector<double> integral_of_error(const Samples& s, std::size_t known, int width) const {
    Polynomial assumed(width), arrived(width);
    newton_through(s, known, available(s, known, order_ + 1), assumed);
    std::vector<double> sum(static_cast<std::size_t>(width), 0.0), u(sum), y(sum);
    for (std::size_t k = known + 1; k <= s.last(); ++k) {
      newton_through(s, k, available(s, k, order_ + 2), arrived);
      const double half = 0.5 * (s.time(k) - s.time(k - 1)), middle = s.time(k) - half;
      for (std::size_t g = 0; g < places.size(); ++g) {
        assumed.evaluate(middle + half * places[g], u.data());
        arrived.evaluate(middle + half * places[g], y.data());
        for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += half * weights[g] * (y[j] - u[j]);
      }
    }
    return sum;
  }

  /// Whether an error whose integral is -`missed` has put energy into the receiver; also where this is not asked.
  bool created_energy(double missed, int component, double begin, double end, double tolerance) const {
    if (conjugate_.column < 0) return true;
    if (own_ == nullptr || own_->end() <= own_->begin()) return false;
    const auto at = [&](double t) {
      const std::size_t k = std::max(own_->last_not_after(t + tolerance), own_->begin());
      return own_->value(k)[conjugate_.column + component];
    };
    const double flow = conjugate_.differentiated ? at(end) - at(begin) : at(end) + at(begin);
    return -missed * conjugate_.sign * flow > 0.0;
  }

  int order_;
  Conjugate conjugate_;
  const History* own_;  ///< what the receiver publishes
};

}  // namespace

ApproximationPointer make_energy_corrected(int order, int column, double sign, bool differentiated) {
  return std::make_shared<EnergyCorrected>(order, Conjugate{column, sign, differentiated});
}

ApproximationPointer for_receiver(const ApproximationPointer& approximation, const History& own) {
  const auto* corrected = dynamic_cast<const EnergyCorrected*>(approximation.get());
  const ApproximationPointer bound = corrected == nullptr ? nullptr : corrected->with(own);
  return bound == nullptr ? approximation : bound;
}

}  // namespace counterpoint
