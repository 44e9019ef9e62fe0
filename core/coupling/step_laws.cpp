#include "coupling/step_laws.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "coupling/network.hpp"

namespace counterpoint {

namespace {

constexpr int most_points = 6;  ///< Network::first_needed keeps as many samples

/// The last samples of an output that a law may look at.
struct Recent {
  std::array<double, most_points> t{};
  std::array<double, most_points> y{};
  int count = 0;
};

/// Newest first. Of its own participant all samples are known, of others those up to `known`.
Recent recent_samples(const Network& network, const LeadingSignal& signal, int participant, double known) {
  const History& history = network.participants[signal.participant].history;
  const bool own = signal.participant == participant;
  std::size_t k = own ? history.appended() - 1 : history.last_not_after(known + network.tolerance);
  Recent found;
  const int wanted = signal.derivative + 1;
  while (found.count < wanted) {
    found.t[found.count] = history.time(k);
    found.y[found.count] = history.value(k)[signal.column];
    ++found.count;
    if (k == history.begin()) break;
    --k;
  }
  return found;
}

/// The highest derivative that the samples have, at most the one asked for; the value itself where there is one sample.
struct Derivative {
  double size = 0.0;  ///< absolute
  int order = 0;
};
Derivative derivative_of(Recent s, int order) {
  const int n = std::min(order, s.count - 1);
  double factorial = 1.0;
  for (int level = 1; level <= n; ++level) {
    factorial *= level;
    for (int k = 0; k + level < s.count; ++k) s.y[k] = (s.y[k] - s.y[k + 1]) / (s.t[k] - s.t[k + level]);
  }
  return {std::abs(s.y[0]) * factorial, n};
}

}  // namespace

TableLaw::TableLaw(std::vector<double> times, std::vector<double> steps, bool is_held)
    : times_(std::move(times)), steps_(std::move(steps)), is_held_(is_held) {}

StepChoice TableLaw::propose(double t, double /*last*/, double /*known*/) {
  const double slack = 1e-12 * std::max(1.0, std::abs(t));
  const std::size_t next = std::upper_bound(times_.begin(), times_.end(), t + slack) - times_.begin();
  if (next == 0) return {steps_.front()};
  if (next == times_.size()) return {steps_.back()};
  const double begin = times_[next - 1], end = times_[next];
  if (is_held_) return {std::min(steps_[next - 1], end - t)};
  const double share = (t - begin) / (end - begin);
  return {steps_[next - 1] + share * (steps_[next] - steps_[next - 1])};
}

GradientLaw::GradientLaw(std::vector<LeadingSignal> signals, const Parameters& parameters)
    : signals_(std::move(signals)), parameters_(parameters), sums_(signals_.size()) {}

void GradientLaw::join(const Network& network, int participant) {
  network_ = &network;
  participant_ = participant;
}

StepChoice GradientLaw::propose(double t, double last, double known) {
  time_ += last;
  double largest = 0.0;
  int leading = -1;
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const Recent samples = recent_samples(*network_, signals_[k], participant_, participant_ < 0 ? t : known);
    const Derivative found = derivative_of(samples, signals_[k].derivative);
    const double slope = found.order > 0 ? found.size : 0.0;
    sums_[k] += slope * last;
    const double mean = time_ > 0.0 ? sums_[k] / time_ : 0.0;
    const double ratio = mean > 0.0 ? slope / (parameters_.p1 * mean) : 0.0;  // standstill: nothing to follow
    if (ratio > largest) {
      largest = ratio;
      leading = static_cast<int>(k);
    }
  }
  const auto [smallest, longest, p0, p1] = parameters_;
  const double length = smallest + std::pow(1.0 - std::min(1.0, largest), p0) * (longest - smallest);
  return {length, StepRule::law, largest, leading};
}

ExtrapolationLaw::ExtrapolationLaw(std::vector<LeadingSignal> signals, double tolerance, std::vector<double> absolute,
                                   double ahead)
    : signals_(std::move(signals)),
      tolerance_(tolerance),
      absolute_(std::move(absolute)),
      ahead_(ahead),
      sizes_(signals_.size()) {}

void ExtrapolationLaw::join(const Network& network, int participant) {
  network_ = &network;
  participant_ = participant;
}

/// For which length^order, weighed with the length, is this.
double ExtrapolationLaw::length_for(double product, int order) const {
  const double mean = mean_.length();
  if (mean == 0.0) return std::pow(product, 1.0 / order);
  const double weighed = std::pow(product * mean, 1.0 / (order + 1));
  return weighed >= mean ? weighed : std::pow(product, 1.0 / order);
}

StepChoice ExtrapolationLaw::propose(double t, double last, double known) {
  StepChoice choice{std::numeric_limits<double>::infinity(), StepRule::law, 0.0, -1};
  mean_.tell(last);
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const Recent samples = recent_samples(*network_, signals_[k], participant_, participant_ < 0 ? t : known);
    sizes_[k].tell(samples.t[0], samples.y[0]);
    const Derivative found = derivative_of(samples, signals_[k].derivative);
    const double allowed = this->allowed(k);
    if (found.order == 0 || found.size == 0.0) continue;
    const double length = length_for(allowed / found.size, found.order);
    choice.estimate =
        std::max(choice.estimate, found.size * std::pow(last, found.order) * mean_.weight(last) / allowed);
    if (length < choice.length) {
      choice.length = length;
      choice.signal = static_cast<int>(k);
    }
  }
  return choice;
}

StepError ExtrapolationLaw::error_of_step(double t_end, double length) {
  StepError worst;
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const Derivative found =
        derivative_of(recent_samples(*network_, signals_[k], participant_, t_end), signals_[k].derivative);
    const double error = found.size * std::pow(length, found.order) * mean_.weight(length) / allowed(k);
    if (found.order > 0 && error > worst.error) worst = {error, static_cast<int>(k), found.order + 1};
  }
  return worst;
}

}  // namespace counterpoint
