// A step of an FMU for model exchange: integration between events, and events.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fmi/environment.hpp"
#include "fmi/model_exchange.hpp"
#include "numbers.hpp"

namespace counterpoint::fmi {
namespace {

constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double first_step_after = 256.0;  ///< an event found by an indicator, in tolerances of location

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

/// dx/dt at the present state of the FMU. What it cannot evaluate is not a number: the attempt fails, and a smaller
/// step is tried.
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

void ModelExchangeSubsystem::place(double t, const double* x) {
  check_finite(t, x);
  put(t, x);
}

void ModelExchangeSubsystem::indicators(double* g) {
  if (g_now_.empty()) return;
  instance_->get_indicators(g, g_now_.size());
  for (std::size_t i = 0; i < g_now_.size(); ++i) {
    if (std::isnan(g[i])) throw ComponentFailure("its event indicator " + std::to_string(i) + " is NaN");
    if (g[i] == 0.0) g[i] = -smallest;
  }
}

double ModelExchangeSubsystem::step(double t, double t_end, Inputs& u) {
  const KeepFloatingPoint keep;
  if (phase_ != Phase::stepping) throw ComponentFailure("the FMU has not begun");
  log_->set_time(t);
  inputs_ = &u;
  time_ = integrator_.point().time = t;
  span_ = t_end - t;
  has_before_ = false;
  ForeignCall call(instance_->code());
  return time_ = call.run([&] { return integrator_.advance(t_end, stops_early()); });
}

void ModelExchangeSubsystem::begin_advance(HybridPoint& point) {
  take_inputs(point);
  resume_advance(point);
}

/// Inputs known now are not those of the end of the last step: discrete ones may have changed, and a jump of continuous
/// ones may have put an event indicator on its other side.
void ModelExchangeSubsystem::take_inputs(HybridPoint& point) {
  cause_ = Cause::input;
  if (discrete_inputs_changed(point.time, *inputs_)) {
    put(point.time, point.x.data());
    handle_event(point);
  }
  if (g_now_.empty() || inputs_continuous_.empty()) return;
  put(point.time, point.x.data());
  indicators(g_now_.data());
  const bool jumped = changes_sign(point.g, g_now_);
  point.g = g_now_;
  if (jumped) handle_event(point);
}

/// Derivatives where the next step begins.
void ModelExchangeSubsystem::resume_advance(HybridPoint& point) {
  discarded_ = false;
  evaluate(point.time, 0, point.x.data(), point.slope.data());
  for (std::size_t i = 0; i < point.slope.size(); ++i) {
    if (std::isfinite(point.slope[i])) continue;
    Text text(9);
    text << "the derivative of state \"" << name_of_state(i) << "\" "
         << (discarded_ ? "cannot be evaluated" : "is NaN or infinite") << " at t = " << point.time << " s";
    const std::string words = log_->last_words();
    if (!words.empty()) text << "; the FMU said: " << words;
    throw SolverFailure(text.str());
  }
}

void ModelExchangeSubsystem::explain(const SolverFailure& failure) const {
  if (!discarded_) return;
  const std::string words = log_->last_words();
  throw SolverFailure(std::string(failure.what()) + "; the FMU could not evaluate its equations in the last attempt" +
                      (words.empty() ? "" : " and said: " + words));
}

void ModelExchangeSubsystem::check_finite(double end, const double* x) const {
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    Text text(9);
    text << "state \"" << name_of_state(i) << "\" became NaN or infinite in the step from t = " << time_ << " to "
         << end << " s; "
         << (discarded_ ? "the FMU could not evaluate its equations there: try a solver of variable step"
                        : "try a smaller step, or ode23s for a stiff model");
    throw SolverFailure(text.str());
  }
}

StepOutcome ModelExchangeSubsystem::complete_step(const IntegratedStep& step) {
  if (!step.is_placed) place(step.end, step.x.data());
  time_ = step.end;
  ++statistics_.steps;
  const bool is_time = next_event_ <= step.end + coincidence(step.end, step.end - step.begin);
  StepCompleted done;
  if (setup_.integration.completes_steps) done = instance_->completed_step();
  if (done.terminate) end_simulation(time_);
  cause_ = step.ending == Ending::event ? Cause::state : is_time ? Cause::time : done.event ? Cause::step : Cause::none;
  if (cause_ == Cause::none) return StepOutcome::smooth;
  if (step.is_restart) return StepOutcome::update;
  if (step.stops) note_outputs_before();
  return StepOutcome::event;
}

void ModelExchangeSubsystem::handle_event(HybridPoint& point) {
  // A time event that coincides with another one, or with the end of a step, happens with it. The FMU has to see that
  // it is due, and some know it only at its very time: one that rounding makes later is no event to them.
  if (next_event_ != point.time && std::abs(next_event_ - point.time) <= coincidence(point.time, span_)) {
    if (next_event_ > point.time) earliest_ = next_event_;
    instance_->set_time(next_event_);
  }
  instance_->enter_event_mode();
  iterate_event(point);
  note_event();
}

/// In event mode: new discrete inputs, new discrete states, and back to continuous time.
void ModelExchangeSubsystem::iterate_event(HybridPoint& point) {
  bool states_changed = false;
  bool nominals_changed = false;
  for (int count = 0;; ++count) {
    const double t = std::max(point.time, earliest_);
    const DiscreteUpdate update = update_until_settled(t, *inputs_);
    states_changed = states_changed || update.states_changed;
    nominals_changed = nominals_changed || update.nominals_changed;
    instance_->enter_continuous_time_mode();
    if (next_event_ > t) break;
    if (count == most_repetitions) refuse_event(point.time);
    instance_->enter_event_mode();
  }
  if (nominals_changed) read_nominals(point);
  if (states_changed) read_states(point);
  if (!point.g.empty()) indicators(point.g.data());
}

/// Count the event, and stop when there are too many time events in a short time; the integrator watches the others.
void ModelExchangeSubsystem::note_event() {
  statistics_.state_events += cause_ == Cause::state;
  statistics_.step_events += cause_ == Cause::step;
  statistics_.input_events += cause_ == Cause::input;
  if (cause_ != Cause::time) return;
  ++statistics_.time_events;
  const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(time_);
  if (time_chatter_.note(0, time_, std::max(1e-15 * span_, rounding))) return;
  Text text(12);
  text << "too many time events of the FMU: " << ChatterWatch::most << " between t = " << time_chatter_.since(0)
       << " and " << time_ << " s (ever shorter intervals between events)";
  throw SolverFailure(text.str());
}

double ModelExchangeSubsystem::step_after_event(const LocatedEvent& event, HybridPoint&) {
  return first_step_after * event.tolerance;
}

std::string ModelExchangeSubsystem::indicator_name(int i) const {
  return "event indicator " + std::to_string(i) + " of the FMU";
}

std::string ModelExchangeSubsystem::chattering_remedy() const {
  return "the model needs a hysteresis, or a state in which the motion ends";
}

}  // namespace counterpoint::fmi
