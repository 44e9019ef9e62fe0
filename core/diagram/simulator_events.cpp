// The end of a step of a diagram, and events.

#include <algorithm>
#include <cmath>

#include "diagram/simulator.hpp"
#include "numbers.hpp"

namespace counterpoint::diagram {
namespace {

constexpr int most_iterations = 100;  ///< of one event
constexpr double look_ahead = 16.0;   ///< in tolerances of location

}  // namespace

double Simulator::next_time_event() const {
  // Samples are met even when events are not located: a period that is not a multiple of the step requires it.
  const double sample = execution_.next_sample();
  return locates_ ? std::min(sample, execution_.next_event(reached_)) : sample;
}

void Simulator::keep_outputs_before() {
  has_before_ = true;
  before_.resize(static_cast<std::size_t>(execution_.outputs()));
  for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = execution_.output(static_cast<int>(i));
}

StepOutcome Simulator::complete_step(const IntegratedStep& step) {
  const double end = step.end;
  step_length_ = end - step.begin;
  const double close = coincidence(end, step_length_);
  const double jump = execution_.next_event(reached_);
  const bool may_jump = step.ending == Ending::event || jump <= end + close;
  const bool keeps_outputs = may_jump && step.stops;
  const bool is_seen = step.is_placed || keeps_outputs || execution_.needs_arrival();
  if (is_seen && !step.is_placed) place(end, step.x.data());
  if (keeps_outputs) keep_outputs_before();
  if (!is_seen) execution_.set_x(step.x.data());
  reached_ = jump > end && jump <= end + close ? jump : end;
  context_.time = reached_;
  execution_.arrives(context_);
  context_.is_major = true;
  if (may_jump) return StepOutcome::event;
  const bool touches_zero = std::any_of(step.g.begin(), step.g.end(), [](double g) { return g == 0.0; });
  if (!locates_ || step.ending == Ending::border || touches_zero || execution_.needs_major() ||
      execution_.next_sample() <= end + close) {
    return StepOutcome::update;
  }
  if (!is_seen) {
    execution_.evaluate_minor(context_);
    ++evaluations_;
  }
  check_end_of_step();
  return StepOutcome::smooth;
}

void Simulator::check_end_of_step() {
  context_.step = step_length_;
  execution_.check_finite(context_);
}

void Simulator::handle_event(HybridPoint& point) {
  iterate_event(true);
  std::copy_n(execution_.x(), point.x.size(), point.x.data());
  execution_.crossing(context_, point.g.data());
  check_end_of_step();
}

/// Evaluate, let blocks act, evaluate again, until nothing changes any more.
void Simulator::iterate_event(bool with_samples) {
  context_.is_major = true;
  context_.stage = 0;
  if (with_samples) execution_.open_samples(context_.time);
  for (int pass = 0; pass < most_iterations; ++pass) {
    execution_.evaluate_major(context_);
    ++evaluations_;
    const bool again = execution_.update(context_);
    if (with_samples && pass == 0) execution_.close_samples(context_.time);
    if (!again) return;
  }
  Text text(9);
  text << "event iteration did not converge: at t = " << context_.time << " s blocks still change each other after "
       << most_iterations << " iterations; a reset or trigger acts back on itself: put a memory block into that path";
  throw SolverFailure(text.str());
}

/// Short when an indicator that crossed is about to cross back (a ball that bounced is a rounding error below the
/// floor): a long step would see two crossings, that is none.
double Simulator::step_after_event(const LocatedEvent& event, HybridPoint& point) {
  const auto stays = [&](int i) {
    return point.g[i] * event.g_before[i] > 0.0 && std::abs(point.g[i]) <= 2.0 * std::abs(event.g_before[i]);
  };
  if (std::none_of(event.crossed.begin(), event.crossed.end(), stays)) return 0.0;
  const double ahead = look_ahead * event.tolerance;
  execution_.slopes(context_, point.slope.data());
  for (std::size_t i = 0; i < x_ahead_.size(); ++i) x_ahead_[i] = point.x[i] + ahead * point.slope[i];
  signals_ = execution_.signals();
  place(point.time + ahead, x_ahead_.data());
  execution_.crossing(context_, g_ahead_.data());
  const bool reverses = std::any_of(event.crossed.begin(), event.crossed.end(),
                                    [&](int i) { return stays(i) && is_crossing(point.g[i], g_ahead_[i]); });
  // As they were, not evaluated again: some outputs are there at the accepted instant only.
  execution_.set_x(point.x.data());
  execution_.set_signals(signals_);
  context_.time = reached_;
  context_.is_major = true;
  return reverses ? ahead : 0.0;
}

std::string Simulator::indicator_name(int i) const { return "block \"" + execution_.crossing_name(i) + "\""; }

std::string Simulator::chattering_remedy() const {
  return "give it a hysteresis, stop the motion, or switch event location off";
}

}  // namespace counterpoint::diagram
