#include "multibody/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "check.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

namespace {

class PolynomialOfTime final : public TimeFunction {
 public:
  explicit PolynomialOfTime(std::vector<double> coefficients) : coefficients_(std::move(coefficients)) {}
  Prescribed at(const Instant& now) const override {
    Prescribed p;
    for (auto c = coefficients_.rbegin(); c != coefficients_.rend(); ++c) {  // Horner's rule for p, p', p''
      p.acceleration = p.acceleration * now.t + 2.0 * p.rate;
      p.rate = p.rate * now.t + p.value;
      p.value = p.value * now.t + *c;
    }
    return p;
  }

 private:
  std::vector<double> coefficients_;
};

class Harmonic final : public TimeFunction {
 public:
  Harmonic(double offset, double amplitude, double angular_frequency, double phase)
      : offset_(offset), amplitude_(amplitude), angular_frequency_(angular_frequency), phase_(phase) {}
  Prescribed at(const Instant& now) const override {
    const double argument = angular_frequency_ * now.t + phase_;
    const double sine = amplitude_ * std::sin(argument), cosine = amplitude_ * std::cos(argument);
    return {offset_ + sine, angular_frequency_ * cosine, -angular_frequency_ * angular_frequency_ * sine};
  }

 private:
  double offset_, amplitude_, angular_frequency_, phase_;
};

/// The polynomial of fifth degree whose first two derivatives vanish at both ends.
class SmoothStep final : public TimeFunction {
 public:
  SmoothStep(double t0, double t1, double before, double after)
      : t0_(t0), width_(t1 - t0), before_(before), rise_(after - before) {}
  Prescribed at(const Instant& now) const override {
    const double s = std::clamp((now.t - t0_) / width_, 0.0, 1.0), r = 1.0 - s;
    return {before_ + rise_ * s * s * s * (10.0 + s * (6.0 * s - 15.0)), rise_ * 30.0 * s * s * r * r / width_,
            rise_ * 60.0 * s * r * (r - s) / (width_ * width_)};
  }

 private:
  double t0_, width_, before_, rise_;
};

class Following final : public TimeFunction {
 public:
  Following(int input, double factor) : input_(input), factor_(factor) {}
  Prescribed at(const Instant& now) const override {
    return {factor_ * now.u[input_], factor_ * now.du[input_], factor_ * now.ddu[input_]};
  }
  int input() const override { return input_; }

 private:
  int input_;
  double factor_;
};

}  // namespace

TimeFunctionPointer make_polynomial(std::vector<double> coefficients) {
  return std::make_shared<PolynomialOfTime>(std::move(coefficients));
}

TimeFunctionPointer make_harmonic(double offset, double amplitude, double angular_frequency, double phase) {
  return std::make_shared<Harmonic>(offset, amplitude, angular_frequency, phase);
}

TimeFunctionPointer make_smooth_step(double t0, double t1, double before, double after) {
  if (!(t1 > t0)) throw UserError(text("smooth step: from t = %g s to %g s; it must take some time", t0, t1));
  return std::make_shared<SmoothStep>(t0, t1, before, after);
}

TimeFunctionPointer make_following(int input, double factor) { return std::make_shared<Following>(input, factor); }

}  // namespace counterpoint::multibody
