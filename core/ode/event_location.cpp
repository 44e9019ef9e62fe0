#include "ode/event_location.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace counterpoint {
namespace {

constexpr int most_corrections = 4;  ///< of a crossing by steps of the method, before its bracket is narrowed
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

EventLocation::EventLocation(Method& method, CrossingModel& model, int states, int functions)
    : method_(method), model_(model), x_whole_(states), slope_whole_(states), rates_(functions) {}

double EventLocation::tolerance(double begin, double step) const {
  // Long steps of variable-step solvers: nearer costs them one evaluation.
  const double share = method_.interpolates() ? 1e-12 : 1e-10;
  return std::max(share * step, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(begin));
}

void EventLocation::keep(const Attempt& attempt) {
  std::copy_n(attempt.x_end, x_whole_.size(), x_whole_.data());
  model_.slopes(slope_whole_.data());
}

/// The state at t inside the attempt, without stepping, and all that depends on it.
void EventLocation::guess(const Attempt& attempt, double t) {
  if (method_.interpolates()) {
    method_.interpolate(t, attempt.x_end);
  } else {
    const double h = attempt.end - attempt.begin;
    hermite(static_cast<int>(x_whole_.size()), (t - attempt.begin) / h, h, attempt.x, attempt.slope, x_whole_.data(),
            slope_whole_.data(), attempt.x_end);
  }
  model_.evaluate_guess(t);
}

void EventLocation::shorten(const Attempt& attempt, double end) {
  keep(attempt);
  if (method_.interpolates())
    guess(attempt, end);
  else
    model_.step_again(end);
}

/// Bracket the first change of sign and end the step on its far side, where whoever crossed has crossed.
double EventLocation::locate(const Attempt& attempt, const std::vector<double>& g_begin, std::vector<double>& g_end) {
  keep(attempt);
  const double near = tolerance(attempt.begin, attempt.end - attempt.begin);
  bracket_ = {attempt.begin, attempt.end, g_begin, g_end};
  double at = attempt.end;
  narrow(bracket_, g_begin, near, [&](double t, std::vector<double>& g) {
    guess(attempt, at = t);
    model_.crossing(g.data());
  });
  if (!method_.interpolates()) return confirm(attempt, near, g_begin, g_end);
  if (at != bracket_.b) guess(attempt, bracket_.b);
  g_end = bracket_.g_b;
  return bracket_.b;
}

/// How fast crossing functions change where the bracket is, over a stretch that is long against rounding.
void EventLocation::find_rates(const Attempt& attempt) {
  const double stretch = std::max(1e-4 * (attempt.end - attempt.begin), bracket_.b - bracket_.a);
  const double t = bracket_.b - stretch > attempt.begin ? bracket_.b - stretch : bracket_.b + stretch;
  guess(attempt, t);
  model_.crossing(rates_.data());
  for (std::size_t i = 0; i < rates_.size(); ++i) rates_[i] = (rates_[i] - bracket_.g_b[i]) / (t - bracket_.b);
}

/// The cubic that `bracket_` was found on is not the method's solution: step there, and correct the time by how far
/// crossing functions are from zero.
double EventLocation::confirm(const Attempt& attempt, double tolerance, const std::vector<double>& g_begin,
                              std::vector<double>& g_end) {
  const double first = bracket_.b;
  const std::vector<double> after = bracket_.g_b;
  find_rates(attempt);
  bracket_.a = attempt.begin;
  bracket_.b = attempt.end;
  bracket_.g_a = g_begin;
  double t = first;
  for (int k = 0; k < most_corrections && t > bracket_.a && t < bracket_.b; ++k) {
    model_.step_again(t);
    model_.crossing(g_end.data());
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
    model_.step_again(attempt.end);
    model_.crossing(g_end.data());
    bracket_.g_b = g_end;
  }
  double at = attempt.end;
  narrow(bracket_, g_begin, tolerance, [&](double time, std::vector<double>& g) {
    model_.step_again(at = time);
    model_.crossing(g.data());
  });
  if (at != bracket_.b) model_.step_again(bracket_.b);
  g_end = bracket_.g_b;
  return bracket_.b;
}

void ChatterWatch::start() {
  std::fill(begin_.begin(), begin_.end(), -infinity);
  std::fill(count_.begin(), count_.end(), 0.0);
}

bool ChatterWatch::note(int function, double t, double tolerance) {
  if (t - begin_[function] > window * tolerance) {
    begin_[function] = t;
    count_[function] = 0.0;
  }
  return ++count_[function] < most;
}

}  // namespace counterpoint
