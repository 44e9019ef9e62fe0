#include "ode/hybrid_integrator.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "numbers.hpp"
#include "ode/time_resolution.hpp"

namespace counterpoint {
namespace {

/// The ends of equal steps no longer than `largest` that make up one long step.
class InnerSteps {
 public:
  InnerSteps(double begin, double end, double largest)
      : begin_(begin),
        end_(end),
        span_(end - begin),
        parts_(largest > 0.0 ? std::ceil(span_ / largest * (1.0 - 1e-9)) : 1.0) {
    check_resolution("inner_step", largest, begin, end);
  }

  /// The first of them after t; t only grows from call to call.
  double after(double t) {
    if (parts_ <= 1.0) return end_;
    while (part_ < parts_ && begin_ + span_ * part_ / parts_ <= t) ++part_;
    return part_ >= parts_ ? end_ : begin_ + span_ * part_ / parts_;
  }

 private:
  double begin_, end_, span_;
  double parts_;  ///< a whole number, as the next one: more than fit into an int
  double part_ = 0.0;
};

}  // namespace

HybridIntegrator::HybridIntegrator(HybridSystem& system, const HybridOptions& options)
    : system_(system), options_(options), control_(options.solver_options) {
  resize(0, 0);
}

void HybridIntegrator::resize(int states, int indicators) {
  method_ = make_method(options_.solver, states, options_.solver_options);
  is_variable_ = method_->control_order() > 0;
  location_ = std::make_unique<EventLocation>(*method_, system_, states, indicators);
  chatter_ = ChatterWatch(indicators);
  for (std::vector<double>* one : {&point_.x, &point_.slope, &x_end_}) one->assign(states, 0.0);
  for (std::vector<double>* one : {&point_.g, &g_end_}) one->assign(indicators, 0.0);
}

void HybridIntegrator::start(double t) {
  point_.time = t;
  statistics_ = {};
  chatter_.start();
  method_->set_memory({});
  short_step_ = 0.0;
  border_steps_ = 0;
  if (is_variable()) control_.start({1.0}, method_->control_order());
}

void HybridIntegrator::choose_first_step() {
  if (is_variable()) control_.start(point_.x.data(), point_.slope.data(), static_cast<int>(point_.x.size()));
}

void HybridIntegrator::set_memory(Memory memory) {
  control_.set_preferred_step(memory.preferred_step);
  short_step_ = memory.short_step;
  border_steps_ = memory.border_steps;
  chatter_ = std::move(memory.chatter);
  method_->set_memory(memory.method);
}

double HybridIntegrator::advance(double t_end, bool stops_at_events) {
  stops_at_events_ = stops_at_events;
  span_ = t_end - point_.time;
  InnerSteps inner(point_.time, t_end, options_.inner_step);
  system_.begin_advance(point_);
  while (point_.time < t_end) {
    Cancellation::check();
    double end = attempt(limit(inner.after(point_.time)));
    const Ending ending = find_event(end);
    if (!accept(end, ending)) break;
    if (point_.time < t_end) system_.resume_advance(point_);
  }
  return point_.time;
}

double HybridIntegrator::limit(double t_end) const {
  double end = std::min(t_end, system_.next_time_event());
  // An event and the end of a step that differ by rounding are one time, and so are two of them after each other.
  if (end > t_end - coincidence(t_end, t_end - point_.time)) end = t_end;
  return short_step_ > 0.0 ? std::min(end, point_.time + short_step_) : end;
}

/// One step of the method, its states in x_end_. Returns its end.
double HybridIntegrator::attempt(double limit) {
  const double t = point_.time;
  attempts_ = 0;
  try {
    if (is_variable()) {
      return control_.step(*method_, {t, limit, point_.x.data(), point_.slope.data(), x_end_.data()}, system_,
                           [this](double end, int number) {
                             attempts_ = number;
                             if (number > 0) ++statistics_.rejected;
                             system_.begin_attempt(point_.time, end, number);
                           });
    }
    system_.begin_attempt(t, limit, 0);
    method_->begin();
    method_->attempt(t, limit, point_.x.data(), point_.slope.data(), x_end_.data(), system_);
    return limit;
  } catch (const SolverFailure& failure) {
    system_.explain(failure);
    throw;
  }
}

/// Whether an indicator was zero and now is not: its mode was decided on the border, without knowing where it would go.
bool HybridIntegrator::leaves_border() const {
  for (std::size_t i = 0; i < g_end_.size(); ++i) {
    if (point_.g[i] == 0.0 && g_end_[i] != 0.0) return true;
  }
  return false;
}

/// Look for events in the attempt that ended at `end`; shorten it to the first.
Ending HybridIntegrator::find_event(double& end) {
  is_placed_ = options_.locates && !g_end_.empty();
  if (!is_placed_) return Ending::plain;
  const double t = point_.time;
  system_.place(end, x_end_.data());
  system_.indicators(g_end_.data());
  EventLocation::Attempt whole{t, end, point_.x.data(), point_.slope.data(), x_end_.data(), attempts_};
  Ending ending = Ending::plain;
  if (leaves_border()) {
    // Twice as far each time: an indicator may be zero to all its digits for a while.
    const double length = location_->tolerance(t, end - t) * std::ldexp(1.0, border_steps_++);
    if (length < end - t) {
      end = t + length;
      location_->shorten(whole, end);
      system_.indicators(g_end_.data());
    }
    ending = Ending::border;
  } else {
    border_steps_ = 0;
    if (!changes_sign(point_.g, g_end_)) return Ending::plain;
    end = location_->locate(whole, point_.g, g_end_);
    ending = Ending::event;
  }
  statistics_.rejected += whole.number - attempts_;
  statistics_.located_steps += whole.number - attempts_;
  return ending;
}

/// Show the system the solution inside of the step that is accepted.
void HybridIntegrator::pass_inside(double begin, double end) {
  if (!method_->interpolates() || !system_.sees_inside()) return;
  const SolverOptions& options = options_.solver_options;
  system_.pass({begin, end, *method_, x_end_, options.relative_tolerance, options.absolute_tolerance});
  if (is_placed_) system_.place(end, x_end_.data());
}

/// The step is made. Returns whether to continue.
bool HybridIntegrator::accept(double end, Ending ending) {
  if (ending == Ending::event) {
    crossed_.clear();
    for (std::size_t i = 0; i < g_end_.size(); ++i) {
      if (is_crossing(point_.g[i], g_end_[i])) crossed_.push_back(static_cast<int>(i));
    }
  }
  const double begin = point_.time;
  pass_inside(begin, end);
  point_.time = end;
  std::copy(x_end_.begin(), x_end_.end(), point_.x.begin());
  ++statistics_.steps;
  const StepOutcome outcome =
      system_.complete_step({begin, end, ending, point_.x, g_end_, is_placed_, short_step_ > 0.0, stops_at_events_});
  if (outcome != StepOutcome::smooth)
    system_.handle_event(point_);
  else if (is_placed_)
    point_.g.swap(g_end_);
  short_step_ = 0.0;
  if (ending == Ending::event) restart();
  const bool goes_on = system_.end_step(point_);
  return goes_on && !(outcome == StepOutcome::event && stops_at_events_);
}

/// After a located event: there must not be too many of them, and the next step may have to be short.
void HybridIntegrator::restart() {
  ++statistics_.events;
  const double tolerance = location_->tolerance(point_.time, span_);
  for (int i : crossed_) {
    if (!chatter_.note(i, point_.time, tolerance)) refuse_chattering(i);
  }
  short_step_ = system_.step_after_event({crossed_, g_end_, tolerance}, point_);
}

void HybridIntegrator::refuse_chattering(int indicator) const {
  Text text(12);
  text << "too many events of " << system_.indicator_name(indicator) << ": " << ChatterWatch::most
       << " between t = " << chatter_.since(indicator) << " and " << point_.time
       << " s (chattering, or ever shorter intervals between events); " << system_.chattering_remedy();
  throw SolverFailure(text.str());
}

}  // namespace counterpoint
