// Where in a step something crossed.

#include <algorithm>
#include <cmath>
#include <sstream>

#include "diagram/simulator.hpp"

namespace counterpoint::diagram {
namespace {

constexpr int most_corrections = 4;    ///< of a crossing by steps of the method, before its bracket is narrowed
constexpr double burst_window = 1e5;   ///< in tolerances of location: events of one function closer than this ...
constexpr double longest_burst = 6.0;  ///< ... and as many as this are chattering

}  // namespace

double Simulator::location_tolerance(double step) const {
  return std::max(1e-10 * step, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(time_));
}

/// Whether a function was zero and now is not: its block stood on the border and decided without knowing where the signal
/// would go.
bool Simulator::leaves_border() const {
  for (std::size_t i = 0; i < g_begin_.size(); ++i) {
    if (g_begin_[i] == 0.0 && g_end_[i] != 0.0) return true;
  }
  return false;
}

/// Look for crossings in the attempt that ended at `end`; shorten it to the first.
Simulator::Ending Simulator::find_crossing(double& end) {
  evaluated_at_end_ = false;
  if (!options_.locates || execution_.crossings() == 0) return Ending::plain;
  evaluate_at_end(end);
  execution_.crossing(context_, g_end_.data());
  evaluated_at_end_ = true;
  if (leaves_border()) {
    // Twice as far each time: a function may be zero to all its digits for a while.
    const double length = location_tolerance(end - time_) * std::ldexp(1.0, border_steps_++);
    if (length < end - time_) {
      x_whole_ = x_end_;
      execution_.slopes(context_, slope_whole_.data());
      const double whole = end;
      end = time_ + length;
      if (method_->interpolates()) guess_state(end, whole);
      else step_again(end);
      execution_.crossing(context_, g_end_.data());
    }
    return Ending::border;
  }
  border_steps_ = 0;
  if (!changes_sign(g_begin_, g_end_)) return Ending::plain;
  end = locate(end);
  crossed_.clear();
  for (std::size_t i = 0; i < g_end_.size(); ++i) {
    if (g_begin_[i] * g_end_[i] < 0.0) crossed_.push_back(static_cast<int>(i));
  }
  return Ending::event;
}

/// The state at t inside the attempt that ended at `end`, without stepping, and all that depends on it.
void Simulator::guess_state(double t, double end) {
  // What blocks did for the whole attempt does not count for the part of it that is left.
  if (execution_.has_rejected()) execution_.rejected(context_);
  if (method_->interpolates()) {
    method_->interpolate(t, x_end_.data());
  } else {
    const double h = end - time_;
    hermite(static_cast<int>(x_end_.size()), (t - time_) / h, h, x_begin_.data(), slope_.data(), x_whole_.data(),
            slope_whole_.data(), x_end_.data());
  }
  evaluate_at_end(t);
}

/// A step of the method to t, and all that depends on its end.
void Simulator::step_again(double t) {
  give_up(time_ + context_.step);
  ++statistics_.located_steps;
  context_.step = t - time_;
  method_->attempt(time_, t, x_begin_.data(), slope_.data(), x_end_.data(), *this);
  evaluate_at_end(t);
}

/// Bracket the first change of sign and end the step on its far side, where whoever crossed has crossed.
double Simulator::locate(double end) {
  x_whole_ = x_end_;
  execution_.slopes(context_, slope_whole_.data());
  const double tolerance = location_tolerance(end - time_);
  bracket_ = {time_, end, g_begin_, g_end_};
  double at = end;
  narrow(bracket_, g_begin_, tolerance, [&](double t, std::vector<double>& g) {
    guess_state(at = t, end);
    execution_.crossing(context_, g.data());
  });
  if (!method_->interpolates()) return confirm(end, tolerance);
  if (at != bracket_.b) guess_state(bracket_.b, end);
  g_end_ = bracket_.g_b;
  return bracket_.b;
}

/// How fast crossing functions change where the bracket is, over a stretch that is long against rounding.
void Simulator::find_rates(double end) {
  const double stretch = std::max(1e-4 * (end - time_), bracket_.b - bracket_.a);
  const double t = bracket_.b - stretch > time_ ? bracket_.b - stretch : bracket_.b + stretch;
  guess_state(t, end);
  execution_.crossing(context_, rates_.data());
  for (std::size_t i = 0; i < rates_.size(); ++i) rates_[i] = (rates_[i] - bracket_.g_b[i]) / (t - bracket_.b);
}

/// The cubic that `bracket_` was found on is not the method's solution: step there, and correct the time by how far
/// crossing functions are from zero.
double Simulator::confirm(double end, double tolerance) {
  const double guess = bracket_.b;
  const std::vector<double> after = bracket_.g_b;
  find_rates(end);
  bracket_.a = time_;
  bracket_.b = end;
  bracket_.g_a = g_begin_;
  double t = guess;
  for (int k = 0; k < most_corrections && t > bracket_.a && t < bracket_.b; ++k) {
    step_again(t);
    execution_.crossing(context_, g_end_.data());
    const bool is_after = changes_sign(g_begin_, g_end_);
    double late = is_after ? 0.0 : -infinity;  // time since the first crossing, negative: still to go
    for (std::size_t i = 0; i < g_end_.size(); ++i) {
      const bool counts = g_begin_[i] * (is_after ? g_end_[i] : after[i]) < 0.0;
      if (counts) late = std::max(late, g_end_[i] / rates_[i]);
    }
    if (is_after && late <= 2.0 * tolerance) return t;
    (is_after ? bracket_.b : bracket_.a) = t;
    (is_after ? bracket_.g_b : bracket_.g_a) = g_end_;
    t += 0.5 * tolerance - late;
  }
  if (bracket_.b == end) {
    step_again(end);
    execution_.crossing(context_, g_end_.data());
    bracket_.g_b = g_end_;
  }
  double at = end;
  narrow(bracket_, g_begin_, tolerance, [&](double time, std::vector<double>& g) {
    step_again(at = time);
    execution_.crossing(context_, g.data());
  });
  if (at != bracket_.b) step_again(bracket_.b);
  g_end_ = bracket_.g_b;
  return bracket_.b;
}

/// Whether a function that crossed is about to cross back (a ball that bounced is a rounding error below the
/// floor): a long step would see two crossings, that is none.
bool Simulator::is_reversed() {
  const auto stays = [&](int i) {
    return g_begin_[i] * g_end_[i] > 0.0 && std::abs(g_begin_[i]) <= 2.0 * std::abs(g_end_[i]);
  };
  if (std::none_of(crossed_.begin(), crossed_.end(), stays)) return false;
  execution_.slopes(context_, slope_.data());
  const double ahead = 16.0 * location_tolerance(span_);
  std::copy_n(execution_.x(), x_begin_.size(), x_begin_.data());
  for (std::size_t i = 0; i < x_end_.size(); ++i) x_end_[i] = x_begin_[i] + ahead * slope_[i];
  evaluate_at_end(time_ + ahead);
  std::vector<double>& g = rates_;
  execution_.crossing(context_, g.data());
  const bool reverses = std::any_of(crossed_.begin(), crossed_.end(), [&](int i) {
    return stays(i) && g_begin_[i] * g[i] < 0.0;
  });
  x_end_ = x_begin_;
  evaluate_at_end(reached_);
  context_.is_major = true;
  return reverses;
}

void Simulator::note_event() {
  ++statistics_.events;
  const double window = burst_window * location_tolerance(span_);
  for (int i : crossed_) {
    if (time_ - burst_begin_[i] > window) {
      burst_begin_[i] = time_;
      burst_length_[i] = 0.0;
    }
    if (++burst_length_[i] < longest_burst) continue;
    std::ostringstream text;
    text.precision(12);
    text << "block \"" << execution_.crossing_name(i) << "\" changes its mode without end: " << longest_burst
         << " events between t = " << burst_begin_[i] << " and " << time_
         << " s (chattering, or events that come ever closer); give it a hysteresis, stop the motion, or switch event "
            "location off";
    throw SolverFailure(text.str());
  }
}

}  // namespace counterpoint::diagram
