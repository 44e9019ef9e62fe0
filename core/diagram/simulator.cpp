#include "diagram/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "recipe/factory.hpp"

namespace counterpoint::diagram {
namespace {

constexpr int most_passes = 100;  ///< of one instant

/// Times that differ by less are one, of two that lie about `step` after the last.
double coincidence(double t, double step) {
  return std::max(1e-9 * step, 8.0 * std::numeric_limits<double>::epsilon() * std::abs(t));
}

}  // namespace

struct Simulator::Saved {
  std::shared_ptr<const Execution::Saved> execution;
  double time, reached, wish, short_step;
  int border_steps;
  std::vector<double> slope, g;
  ChatterWatch chatter;
};

Simulator::Simulator(FlatDiagram diagram, const SimulatorOptions& options)
    : options_(options),
      execution_(std::move(diagram), options.loops, options.locates),
      method_(make_method(options.solver, execution_.states(), options.solver_options)),
      control_(options.solver_options),
      x_begin_(execution_.states()),
      x_end_(execution_.states()),
      slope_(execution_.states()),
      g_begin_(execution_.crossings()),
      g_end_(g_begin_),
      location_(*method_, *this, execution_.states(), execution_.crossings()),
      g_ahead_(g_begin_),
      chatter_(execution_.crossings()) {
  context_.locates = options.locates;
  context_.is_tentative = is_variable() || (options.locates && execution_.crossings() > 0);
}

void Simulator::start(double t, Inputs* u) {
  time_ = reached_ = t;
  context_.time = t;
  context_.step = 0.0;
  context_.stage = 0;
  context_.attempt = 0;
  context_.is_major = true;
  context_.inputs = u;
  statistics_ = {};
  chatter_.start();
  short_step_ = 0.0;
  border_steps_ = 0;
  has_before_ = false;
  execution_.start(context_);
  settle(true);
  execution_.crossing(context_, g_begin_.data());
  execution_.slopes(context_, slope_.data());
  execution_.check_finite(context_);
  if (is_variable()) control_.start(execution_.x(), slope_.data(), execution_.states());
  execution_.accepted(context_);
  execution_.close_triggers();
}

void Simulator::probe(double t, const std::vector<double>& x, Inputs* u, std::vector<double>& dx) {
  context_.time = t;
  context_.step = 0.0;
  context_.stage = 0;
  context_.is_major = true;
  context_.inputs = u;
  std::copy(x.begin(), x.end(), execution_.x());
  execution_.evaluate_major(context_);
  execution_.slopes(context_, dx.data());
}

void Simulator::look(Inputs* u) {
  context_.time = reached_;
  context_.step = 0.0;
  context_.stage = 0;
  context_.is_major = false;
  context_.inputs = u;
  execution_.evaluate_minor(context_);
}

double Simulator::advance(double t_end, Inputs* u, bool stops_at_events) {
  context_.inputs = u;
  stops_at_events_ = stops_at_events;
  has_before_ = false;
  const double t_begin = time_;
  execution_.check_end(t_begin);
  begin();
  int part = 0;
  const double span = span_ = t_end - t_begin;
  const int parts =
      options_.inner_step > 0.0 ? static_cast<int>(std::ceil(span / options_.inner_step * (1.0 - 1e-9))) : 1;
  while (time_ < t_end) {
    while (part < parts && t_begin + span * part / parts <= time_) ++part;
    const double grid = part >= parts ? t_end : t_begin + span * part / parts;
    double end = attempted(limit(grid));
    const Ending ending = find_crossing(end);
    const bool may_jump = accept(end, ending);
    if ((may_jump && stops_at_events) || execution_.ends_run()) break;
    if (time_ < t_end && execution_.has_rejected()) begin();  // what remembers has remembered
  }
  return time_;
}

/// Inputs may not be what they were when the last step ended, and blocks have remembered since.
void Simulator::begin() {
  if (!execution_.has_stale()) return;
  context_.time = reached_;
  context_.step = 0.0;
  context_.stage = 0;
  context_.is_major = true;
  if (execution_.has_stale_gates()) {
    settle(false);
  } else {
    execution_.evaluate_stale(context_);
    if (execution_.update(context_)) settle(false);
  }
  execution_.close_triggers();
  execution_.crossing(context_, g_begin_.data());
  execution_.slopes(context_, slope_.data());
}

/// The instant: evaluate, let blocks act, evaluate again, until nothing changes any more.
void Simulator::settle(bool with_samples) {
  context_.is_major = true;
  context_.stage = 0;
  if (with_samples) execution_.open_samples(context_.time);
  for (int pass = 0; pass < most_passes; ++pass) {
    execution_.evaluate_major(context_);
    ++statistics_.evaluations;
    const bool again = execution_.update(context_);
    if (with_samples && pass == 0) execution_.close_samples(context_.time);
    if (!again) return;
  }
  std::ostringstream text;
  text.precision(9);
  text << "at t = " << context_.time << " s blocks keep changing each other without end (" << most_passes
       << " times at one instant); a reset or trigger acts back on itself: put a memory block into that path";
  throw SolverFailure(text.str());
}

double Simulator::limit(double t_end) const {
  double end = std::min(t_end, execution_.next_sample());
  // Samples are met even when events are not located: a rate that is no multiple of the step needs it.
  if (options_.locates) end = std::min(end, execution_.next_event(reached_));
  // A sample and the end of a step that differ by rounding are one time, and so are two of them after each other.
  if (end > t_end - coincidence(t_end, t_end - time_)) end = t_end;
  return short_step_ > 0.0 ? std::min(end, time_ + short_step_) : end;
}

double Simulator::attempted(double limit) {
  std::copy_n(execution_.x(), x_begin_.size(), x_begin_.data());
  context_.attempt = 0;
  try {
    if (is_variable()) {
      return control_.step(*method_, {time_, limit, x_begin_.data(), slope_.data(), x_end_.data()}, *this,
                           [this](double end, int attempt) {
                             if (attempt > 0) give_up(time_ + context_.step);
                             context_.step = end - time_;
                           });
    }
    context_.step = limit - time_;
    method_->begin();
    method_->attempt(time_, limit, x_begin_.data(), slope_.data(), x_end_.data(), *this);
    return limit;
  } catch (const BlockFailure&) {
    throw;
  } catch (const SolverFailure&) {
    // The solver cannot know which block made it fail.
    execution_.blame_not_finite(context_);
    throw;
  }
}

/// An attempt that does not count.
void Simulator::give_up(double t) {
  ++statistics_.rejected;
  ++context_.attempt;
  context_.time = t;
  if (execution_.has_rejected()) execution_.rejected(context_);
}

void Simulator::evaluate(double t, int stage, const double* x, double* dx) {
  std::copy_n(x, x_begin_.size(), execution_.x());
  context_.time = t;
  context_.stage = stage;
  context_.is_major = false;
  execution_.evaluate_minor(context_);
  execution_.slopes(context_, dx);
  ++statistics_.evaluations;
}

/// At the state in x_end, modes as they were during the step.
void Simulator::evaluate_at_end(double t) {
  std::copy(x_end_.begin(), x_end_.end(), execution_.x());
  context_.time = t;
  context_.is_major = false;
  execution_.evaluate_minor(context_);
  ++statistics_.evaluations;
}

/// What was before the event has to be looked at in the modes of the step.
void Simulator::note_outputs_before(double end) {
  if (!evaluated_at_end_) evaluate_at_end(end);
  evaluated_at_end_ = has_before_ = true;
  before_.resize(static_cast<std::size_t>(execution_.outputs()));
  for (std::size_t i = 0; i < before_.size(); ++i) before_[i] = execution_.output(static_cast<int>(i));
}

bool Simulator::accept(double end, Ending ending) {
  const double begun = time_;
  const double close = coincidence(end, end - begun);
  const double jump = execution_.next_event(reached_);
  const bool may_jump = ending == Ending::event || jump <= end + close;
  if (may_jump && stops_at_events_) note_outputs_before(end);
  if (execution_.needs_arrival() && !evaluated_at_end_) {
    evaluate_at_end(end);
    evaluated_at_end_ = true;
  }
  if (!evaluated_at_end_) std::copy(x_end_.begin(), x_end_.end(), execution_.x());
  time_ = end;
  reached_ = jump > end && jump <= end + close ? jump : end;
  context_.time = reached_;
  execution_.arrives(context_);
  context_.is_major = true;
  ++statistics_.steps;
  const bool is_sample = execution_.next_sample() <= end + close;
  const bool is_jump = jump <= reached_;
  const bool touches_zero = std::any_of(g_end_.begin(), g_end_.end(), [](double g) { return g == 0.0; });
  if (!options_.locates || ending != Ending::plain || is_sample || is_jump || touches_zero ||
      execution_.needs_major()) {
    settle(true);
    execution_.crossing(context_, g_begin_.data());
  } else {
    if (!evaluated_at_end_) {
      execution_.evaluate_minor(context_);
      ++statistics_.evaluations;
    }
    g_begin_.swap(g_end_);
  }
  context_.step = end - begun;
  execution_.check_finite(context_);
  short_step_ = 0.0;
  if (ending == Ending::event) {
    note_event();
    if (is_reversed()) short_step_ = 16.0 * location_tolerance(span_);
  }
  execution_.accepted(context_);
  execution_.slopes(context_, slope_.data());
  execution_.close_triggers();
  return may_jump;
}

std::shared_ptr<const Simulator::Saved> Simulator::save() const {
  auto execution = execution_.save();
  if (!execution) return nullptr;
  return std::make_shared<Saved>(Saved{std::move(execution), time_, reached_, control_.wish(), short_step_,
                                       border_steps_, slope_, g_begin_, chatter_});
}

void Simulator::restore(const Saved& saved) {
  execution_.restore(*saved.execution);
  time_ = saved.time;
  reached_ = saved.reached;
  control_.set_wish(saved.wish);
  short_step_ = saved.short_step;
  border_steps_ = saved.border_steps;
  slope_ = saved.slope;
  g_begin_ = saved.g;
  chatter_ = saved.chatter;
  has_before_ = false;
}

bool Simulator::write(const Saved& s, recipe::Writer& writer) {
  writer(s.time, s.reached, s.wish, s.short_step, s.border_steps, s.slope, s.g, s.chatter.begins(), s.chatter.counts());
  return Execution::write(*s.execution, writer);
}

std::shared_ptr<const Simulator::Saved> Simulator::read_state(recipe::Reader& reader) const {
  auto s = std::make_shared<Saved>(Saved{nullptr, 0.0, 0.0, 0.0, 0.0, 0, slope_, g_begin_, chatter_});
  std::vector<double> begins = chatter_.begins(), counts = chatter_.counts();
  reader(s->time, s->reached, s->wish, s->short_step, s->border_steps);
  reader.same_sizes(s->slope, s->g, begins, counts);
  s->chatter.set(std::move(begins), std::move(counts));
  s->execution = execution_.read_state(reader);
  return s;
}

}  // namespace counterpoint::diagram
