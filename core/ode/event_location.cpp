#include "ode/event_location.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace counterpoint {
namespace {

constexpr int most_corrections = 4;  ///< of a crossing by steps of the method, before its bracket is narrowed
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

EventLocation::EventLocation(Method& method, HybridSystem& system, int states, int indicators)
    : method_(method), system_(system), x_whole_(states), slope_whole_(states), rates_(indicators) {}

double EventLocation::tolerance(double begin, double step) const {
  // Long steps of variable-step solvers: nearer costs them one evaluation.
  const double share = method_.interpolates() ? 1e-12 : 1e-10;
  return std::max(share * step, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(begin));
}

void EventLocation::keep(const Attempt& attempt) {
  std::copy_n(attempt.x_end, x_whole_.size(), x_whole_.data());
  system_.slopes(slope_whole_.data());
}

/// Place the system at t inside the attempt, without a step.
void EventLocation::interpolate(const Attempt& attempt, double t) {
  if (method_.interpolates()) {
    method_.interpolate(t, attempt.x_end);
  } else {
    const double h = attempt.end - attempt.begin;
    hermite(static_cast<int>(x_whole_.size()), (t - attempt.begin) / h, h, attempt.x, attempt.slope, x_whole_.data(),
            slope_whole_.data(), attempt.x_end);
  }
  system_.place_within(t, attempt.x_end);
}

/// Make a step of the method from the start of the attempt to t, and place the system there.
void EventLocation::step_again(Attempt& attempt, double t) {
  system_.begin_attempt(attempt.begin, t, ++attempt.number);
  method_.attempt(attempt.begin, t, attempt.x, attempt.slope, attempt.x_end, system_);
  system_.place(t, attempt.x_end);
}

void EventLocation::shorten(Attempt& attempt, double end) {
  keep(attempt);
  if (method_.interpolates())
    interpolate(attempt, end);
  else
    step_again(attempt, end);
}

/// Bracket the first change of sign and end the step on its far side, where the crossing has taken place.
double EventLocation::locate(Attempt& attempt, const std::vector<double>& g_begin, std::vector<double>& g_end) {
  keep(attempt);
  const double near = tolerance(attempt.begin, attempt.end - attempt.begin);
  bracket_ = {attempt.begin, attempt.end, g_begin, g_end};
  double at = attempt.end;
  narrow(bracket_, g_begin, near, [&](double t, std::vector<double>& g) {
    interpolate(attempt, at = t);
    system_.indicators(g.data());
  });
  if (!method_.interpolates()) return confirm(attempt, near, g_begin, g_end);
  if (at != bracket_.b) interpolate(attempt, bracket_.b);
  g_end = bracket_.g_b;
  return bracket_.b;
}

/// How fast indicators change where the bracket is, over a stretch that is long against rounding.
void EventLocation::find_rates(const Attempt& attempt) {
  const double stretch = std::max(1e-4 * (attempt.end - attempt.begin), bracket_.b - bracket_.a);
  const double t = bracket_.b - stretch > attempt.begin ? bracket_.b - stretch : bracket_.b + stretch;
  interpolate(attempt, t);
  system_.indicators(rates_.data());
  for (std::size_t i = 0; i < rates_.size(); ++i) rates_[i] = (rates_[i] - bracket_.g_b[i]) / (t - bracket_.b);
}

/// The cubic that `bracket_` was found on is not the method's solution: step there, and correct the time by how far
/// indicators are from zero.
double EventLocation::confirm(Attempt& attempt, double tolerance, const std::vector<double>& g_begin,
                              std::vector<double>& g_end) {
  const double first = bracket_.b;
  const std::vector<double> after = bracket_.g_b;
  find_rates(attempt);
  bracket_.a = attempt.begin;
  bracket_.b = attempt.end;
  bracket_.g_a = g_begin;
  double t = first;
  for (int k = 0; k < most_corrections && t > bracket_.a && t < bracket_.b; ++k) {
    step_again(attempt, t);
    system_.indicators(g_end.data());
    const bool is_after = changes_sign(g_begin, g_end);
    double late = is_after ? 0.0 : -infinity;  // time since the first crossing, negative: still to go
    for (std::size_t i = 0; i < g_end.size(); ++i) {
      const bool counts = is_crossing(g_begin[i], is_after ? g_end[i] : after[i]);
      if (counts) late = std::max(late, g_end[i] / rates_[i]);
    }
    if (is_after && late <= 2.0 * tolerance) return t;
    (is_after ? bracket_.b : bracket_.a) = t;
    (is_after ? bracket_.g_b : bracket_.g_a) = g_end;
    t += 0.5 * tolerance - late;
  }
  if (bracket_.b == attempt.end) {
    step_again(attempt, attempt.end);
    system_.indicators(g_end.data());
    bracket_.g_b = g_end;
  }
  double at = attempt.end;
  narrow(bracket_, g_begin, tolerance, [&](double time, std::vector<double>& g) {
    step_again(attempt, at = time);
    system_.indicators(g.data());
  });
  if (at != bracket_.b) step_again(attempt, bracket_.b);
  g_end = bracket_.g_b;
  return bracket_.b;
}

void ChatterWatch::start() {
  std::fill(begin_.begin(), begin_.end(), -infinity);
  std::fill(count_.begin(), count_.end(), 0.0);
}

bool ChatterWatch::note(int indicator, double t, double tolerance) {
  if (t - begin_[indicator] > window * tolerance) {
    begin_[indicator] = t;
    count_[indicator] = 0.0;
  }
  return ++count_[indicator] < most;
}

}  // namespace counterpoint
