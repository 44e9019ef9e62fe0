#include "multibody/time_function.hpp"

#include <cmath>
#include <utility>

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

TimeFunctionPointer make_following(int input, double factor) { return std::make_shared<Following>(input, factor); }

}  // namespace counterpoint::multibody
