// Where in a step something crossed.

#include <algorithm>
#include <cmath>
#include <sstream>

#include "diagram/simulator.hpp"

namespace counterpoint::diagram {

/// Whether a function was zero and now is not: its block stood on the border and decided without knowing where the
/// signal would go.
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
      const EventLocation::Attempt whole{time_, end, x_begin_.data(), slope_.data(), x_end_.data()};
      end = time_ + length;
      location_.shorten(whole, end);
      execution_.crossing(context_, g_end_.data());
    }
    return Ending::border;
  }
  border_steps_ = 0;
  if (!changes_sign(g_begin_, g_end_)) return Ending::plain;
  end = location_.locate({time_, end, x_begin_.data(), slope_.data(), x_end_.data()}, g_begin_, g_end_);
  crossed_.clear();
  for (std::size_t i = 0; i < g_end_.size(); ++i) {
    if (is_crossing(g_begin_[i], g_end_[i])) crossed_.push_back(static_cast<int>(i));
  }
  return Ending::event;
}

void Simulator::evaluate_guess(double t) {
  // What blocks did for the whole attempt does not count for the part of it that is left.
  if (execution_.has_rejected()) execution_.rejected(context_);
  evaluate_at_end(t);
}

void Simulator::step_again(double t) {
  give_up(time_ + context_.step);
  ++statistics_.located_steps;
  context_.step = t - time_;
  method_->attempt(time_, t, x_begin_.data(), slope_.data(), x_end_.data(), *this);
  evaluate_at_end(t);
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
  signals_ = execution_.signals();
  for (std::size_t i = 0; i < x_end_.size(); ++i) x_end_[i] = x_begin_[i] + ahead * slope_[i];
  evaluate_at_end(time_ + ahead);
  execution_.crossing(context_, g_ahead_.data());
  const bool reverses = std::any_of(crossed_.begin(), crossed_.end(),
                                    [&](int i) { return stays(i) && is_crossing(g_begin_[i], g_ahead_[i]); });
  // As they were, not evaluated again: some outputs are there at the accepted instant only.
  std::copy(x_begin_.begin(), x_begin_.end(), execution_.x());
  execution_.set_signals(signals_);
  context_.time = reached_;
  context_.is_major = true;
  return reverses;
}

void Simulator::note_event() {
  ++statistics_.events;
  for (int i : crossed_) {
    if (chatter_.note(i, time_, location_tolerance(span_))) continue;
    std::ostringstream text;
    text.precision(12);
    text << "block \"" << execution_.crossing_name(i) << "\" changes its mode without end: " << ChatterWatch::most
         << " events between t = " << chatter_.since(i) << " and " << time_
         << " s (chattering, or events that come ever closer); give it a hysteresis, stop the motion, or switch event "
            "location off";
    throw SolverFailure(text.str());
  }
}

}  // namespace counterpoint::diagram
