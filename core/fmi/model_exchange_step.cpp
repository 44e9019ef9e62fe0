// A step of an FMU for model exchange: integration between events, and events.

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "fmi/environment.hpp"
#include "fmi/model_exchange.hpp"

namespace counterpoint::fmi {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double first_step_after = 256.0;  ///< an event found by an indicator, in tolerances of location

/// Times that differ by less are one, of two that lie about `step` after the last.
double coincidence(double t, double step) { return std::max(1e-9 * step, 8.0 * epsilon * std::abs(t)); }

}  // namespace

/// The FMU at any time and state between events; false when it has no solution there.
bool ModelExchangeSubsystem::put(double t, const double* x) {
  instance_->set_time(std::max(t, earliest_));
  for (std::size_t i = 0; i < raw_.size(); ++i) raw_[i] = x[i] * scale_[i];
  const bool accepted = raw_.empty() || instance_->set_states(raw_.data(), raw_.size());
  if (accepted && !inputs_continuous_.empty()) write_continuous_inputs(t, *inputs_);
  discarded_ = discarded_ || !accepted;
  return accepted;
}

void ModelExchangeSubsystem::evaluate(double t, int, const double* x, double* dx) {
  if (put(t, x)) return slopes(dx);
  std::fill_n(dx, raw_.size(), std::numeric_limits<double>::quiet_NaN());
}

/// dx/dt where the FMU stands. What it cannot evaluate is not a number: the attempt fails, and a smaller step is tried.
void ModelExchangeSubsystem::slopes(double* dx) {
  ++statistics_.evaluations;
  if (raw_.empty()) return;
  if (instance_->get_derivatives(raw_.data(), raw_.size())) {
    for (std::size_t i = 0; i < raw_.size(); ++i) dx[i] = raw_[i] / scale_[i];
  } else {
    discarded_ = true;
    std::fill_n(dx, raw_.size(), std::numeric_limits<double>::quiet_NaN());
  }
}

void ModelExchangeSubsystem::crossing(double* g) {
  instance_->get_indicators(g, g_.size());
  for (std::size_t i = 0; i < g_.size(); ++i) {
    if (std::isnan(g[i])) throw ComponentFailure("its event indicator " + std::to_string(i) + " is NaN");
    if (g[i] == 0.0) g[i] = -smallest;
  }
}

void ModelExchangeSubsystem::step_again(double t) {
  method_->attempt(time_, t, x_.data(), slope_.data(), x_end_.data(), *this);
  put(t, x_end_.data());
}

double ModelExchangeSubsystem::step(double t, double t_end, Inputs& u) {
  const KeepFloatingPoint keep;
  if (phase_ != Phase::stepping) throw ComponentFailure("the FMU has not begun");
  log_->set_time(t);
  inputs_ = &u;
  time_ = t;
  span_ = t_end - t;
  has_before_ = false;
  take_inputs();
  while (time_ < t_end) {
    evaluate_start();
    const bool follows_event = short_step_ > 0.0;
    double end = attempt(limit(t_end));
    const bool crossed = find_crossing(end);
    const Cause cause = accept(end, crossed);
    if (cause == Cause::none) continue;
    const bool is_news = stops_early() && !follows_event;  // an indicator that comes back right after its event is not
    if (is_news) note_outputs_before();
    handle_event(cause);
    if (is_news) return time_;
  }
  return t_end;
}

/// Inputs known now are not those of the end of the last step: discrete ones may have changed, and a jump of continuous
/// ones may have put an event indicator on its other side.
void ModelExchangeSubsystem::take_inputs() {
  if (discrete_inputs_changed(time_, *inputs_)) {
    put(time_, x_.data());
    handle_event(Cause::input);
  }
  if (g_.empty() || inputs_continuous_.empty()) return;
  put(time_, x_.data());
  crossing(g_end_.data());
  const bool jumped = changes_sign(g_, g_end_);
  g_ = g_end_;
  if (jumped) handle_event(Cause::input);
}

void ModelExchangeSubsystem::evaluate_start() {
  discarded_ = false;
  evaluate(time_, 0, x_.data(), slope_.data());
  for (std::size_t i = 0; i < slope_.size(); ++i) {
    if (std::isfinite(slope_[i])) continue;
    std::ostringstream text;
    text.precision(9);
    text << "the derivative of state \"" << name_of_state(i) << "\" "
         << (discarded_ ? "cannot be evaluated" : "is NaN or infinite") << " at t = " << time_ << " s";
    const std::string words = log_->last_words();
    if (!words.empty()) text << "; the FMU said: " << words;
    throw SolverFailure(text.str());
  }
}

/// No further than the next time event. One that differs from the end of the step by rounding takes place there.
double ModelExchangeSubsystem::limit(double t_end) const {
  double end = t_end;
  if (next_event_ < t_end - coincidence(t_end, t_end - time_)) end = next_event_;
  return short_step_ > 0.0 ? std::min(end, time_ + short_step_) : end;
}

double ModelExchangeSubsystem::attempt(double limit) {
  discarded_ = false;
  short_step_ = 0.0;
  try {
    if (order_ > 0)
      return control_.step(*method_, {time_, limit, x_.data(), slope_.data(), x_end_.data()}, *this, nullptr);
  } catch (const SolverFailure& failure) {
    const std::string words = log_->last_words();
    if (!discarded_) throw;
    throw SolverFailure(std::string(failure.what()) + "; the FMU could not evaluate its equations in the last attempt" +
                        (words.empty() ? "" : " and said: " + words));
  }
  method_->begin();
  method_->attempt(time_, limit, x_.data(), slope_.data(), x_end_.data(), *this);
  return limit;
}

bool ModelExchangeSubsystem::find_crossing(double& end) {
  crossed_.clear();
  check_finite(end);
  put(end, x_end_.data());
  if (g_.empty()) return false;
  crossing(g_end_.data());
  if (!changes_sign(g_, g_end_)) return false;
  end = location_->locate({time_, end, x_.data(), slope_.data(), x_end_.data()}, g_, g_end_);
  for (std::size_t i = 0; i < g_.size(); ++i) {
    if (is_crossing(g_[i], g_end_[i])) crossed_.push_back(static_cast<int>(i));
  }
  return true;
}

void ModelExchangeSubsystem::check_finite(double end) const {
  for (std::size_t i = 0; i < x_end_.size(); ++i) {
    if (std::isfinite(x_end_[i])) continue;
    std::ostringstream text;
    text.precision(9);
    text << "state \"" << name_of_state(i) << "\" became NaN or infinite in the step from t = " << time_ << " to "
         << end << " s; "
         << (discarded_ ? "the FMU could not evaluate its equations there: try a solver of variable step"
                        : "try a smaller step, or ode23s for a stiff model");
    throw SolverFailure(text.str());
  }
}

/// The FMU stands at the end of the step.
ModelExchangeSubsystem::Cause ModelExchangeSubsystem::accept(double end, bool crossed) {
  const bool is_time = next_event_ <= end + coincidence(end, end - time_);
  x_.swap(x_end_);
  g_.swap(g_end_);
  time_ = end;
  ++statistics_.steps;
  StepCompleted done;
  if (setup_.integration.completes_steps) done = instance_->completed_step();
  if (done.terminate) end_simulation(time_);
  return crossed ? Cause::state : is_time ? Cause::time : done.event ? Cause::step : Cause::none;
}

void ModelExchangeSubsystem::handle_event(Cause cause) {
  // A time event that coincides with another one happens with it, and the FMU has to see that it is due.
  if (next_event_ > time_ && next_event_ <= time_ + coincidence(time_, span_)) {
    earliest_ = next_event_;
    instance_->set_time(earliest_);
  }
  instance_->enter_event_mode();
  settle();
  note(cause);
}

/// In event mode: new discrete inputs, new discrete states, and back to continuous time.
void ModelExchangeSubsystem::settle() {
  bool states_changed = false;
  bool nominals_changed = false;
  for (int count = 0;; ++count) {
    const DiscreteUpdate update = update_until_settled(std::max(time_, earliest_), *inputs_);
    states_changed = states_changed || update.states_changed;
    nominals_changed = nominals_changed || update.nominals_changed;
    instance_->enter_continuous_time_mode();
    if (next_event_ > std::max(time_, earliest_)) break;
    if (count == most_repetitions) refuse_event(time_);
    instance_->enter_event_mode();
  }
  if (nominals_changed) read_nominals();
  if (states_changed) read_states();
  if (!g_.empty()) crossing(g_.data());
}

/// Count the event, and stop when events follow each other without end.
void ModelExchangeSubsystem::note(Cause cause) {
  const int time_events = static_cast<int>(g_.size());
  std::ostringstream text;
  text.precision(12);
  if (cause == Cause::time) {
    ++statistics_.time_events;
    if (chatter_.note(time_events, time_, std::max(1e-15 * span_, 4.0 * epsilon * std::abs(time_)))) return;
    text << "the time events of the FMU come ever closer: " << ChatterWatch::most
         << " between t = " << chatter_.since(time_events) << " and " << time_ << " s";
    throw SolverFailure(text.str());
  }
  statistics_.step_events += cause == Cause::step;
  statistics_.input_events += cause == Cause::input;
  if (cause != Cause::state) return;
  ++statistics_.state_events;
  const double tolerance = location_->tolerance(time_, span_);
  short_step_ = first_step_after * tolerance;
  for (int i : crossed_) {
    if (chatter_.note(i, time_, tolerance)) continue;
    text << "event indicator " << i << " of the FMU changes its sign without end: " << ChatterWatch::most
         << " events between t = " << chatter_.since(i) << " and " << time_
         << " s (chattering, or events that come ever closer); the model needs a hysteresis, or a state in which the "
            "motion ends";
    throw SolverFailure(text.str());
  }
}

}  // namespace counterpoint::fmi
