#include "coupling/fed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numbers.hpp"

namespace counterpoint {

namespace {
constexpr double unknown_step = 1.0;  ///< s; until the first values have come

/// Times that two programs have computed in different ways are the same when they differ by rounding only.
bool is_same_time(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({std::abs(a), std::abs(b), 1e-3}); }

}  // namespace

FedSubsystem::FedSubsystem(Kind kind, Ask more, Ask initial)
    : kind_(kind), more_(std::move(more)), initial_(std::move(initial)) {
  start(0.0);
}

FedSubsystem::Sample FedSubsystem::sample(double t, double next, const double* y, const double* slopes) const {
  Sample made{t, next, {y, y + kind_.outputs}, std::vector<double>(kind_.outputs, 0.0)};
  if (kind_.derivatives && slopes != nullptr) std::copy_n(slopes, kind_.outputs, made.slopes.begin());
  return made;
}

void FedSubsystem::start(double t) {
  const std::vector<double> zeros(kind_.outputs, 0.0);
  now_ = sample(t, t + unknown_step, zeros.data(), zeros.data());
  queue_.clear();
  has_begun_ = false;
}

void FedSubsystem::feed_initial(double next, const double* y, const double* slopes) {
  now_ = sample(now_.t, next, y, slopes);
}

void FedSubsystem::feed(double t, double next, const double* y, const double* slopes) {
  queue_.push_back(sample(t, next, y, slopes));
}

const double* FedSubsystem::output(double, Inputs&) {
  if (!has_begun_) initial_();
  return now_.y.data();
}

double FedSubsystem::step(double t, double t_end, Inputs&) {
  while (queue_.empty()) more_();
  const double reached = queue_.front().t;
  const bool fits = is_same_time(reached, t_end) || (kind_.stops_early && reached > t && reached < t_end);
  if (!fits) {
    Text text(12);
    text << "a sample at t = " << reached << " s came from the other program where one at " << t_end
         << " s was expected; start both with the same scenario";
    throw ComponentFailure(text.str());
  }
  now_ = std::move(queue_.front());
  queue_.pop_front();
  return is_same_time(reached, t_end) ? t_end : reached;
}

}  // namespace counterpoint
