#include "diagram/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace counterpoint::diagram {
namespace {

constexpr int most_passes = 100;       ///< of one instant
constexpr std::size_t ring = 100;      ///< events looked back at for chattering

/// Leaving zero counts: a block that stood on the border decided its mode without knowing where the signal would go.
bool crosses(double from, double to) { return from * to < 0.0 || (from == 0.0 && to != 0.0); }

}  // namespace

struct Simulator::Saved {
  std::shared_ptr<const Execution::Saved> execution;
  double time, wish;
  std::vector<double> slope, g;
};

Simulator::Simulator(FlatDiagram diagram, const SimulatorOptions& options)
    : options_(options),
      execution_(std::move(diagram), options.loops),
      method_(make_method(options.solver, execution_.states(), options.solver_options)),
      x_begin_(execution_.states()),
      x_end_(execution_.states()),
      slope_(execution_.states()),
      g_begin_(execution_.crossings()),
      g_end_(g_begin_),
      g_left_(g_begin_),
      g_right_(g_begin_),
      recent_events_(ring, -infinity) {
  context_.locates = options.locates;
  context_.is_tentative = is_variable() || (options.locates && execution_.crossings() > 0);
}

void Simulator::start(double t, Inputs* u) {
  time_ = t;
  context_.time = t;
  context_.step = 0.0;
  context_.stage = 0;
  context_.attempt = 0;
  context_.is_major = true;
  context_.inputs = u;
  statistics_ = {};
  std::fill(recent_events_.begin(), recent_events_.end(), -infinity);
  execution_.start(context_);
  settle(true);
  execution_.crossing(context_, g_begin_.data());
  execution_.slopes(context_, slope_.data());
  execution_.check_finite(context_);
  wish_ = is_variable() ? first_wish() : 0.0;
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

double Simulator::first_wish() const {
  const SolverOptions& options = options_.solver_options;
  double size = 0.0, speed = 0.0;
  const double* x = const_cast<Execution&>(execution_).x();
  for (std::size_t i = 0; i < slope_.size(); ++i) {
    const double scale = options.absolute_tolerance + options.relative_tolerance * std::abs(x[i]);
    size = std::max(size, std::abs(x[i]) / scale);
    speed = std::max(speed, std::abs(slope_[i]) / scale);
  }
  double wish = options.first_step;
  if (wish <= 0.0) wish = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
  return options.max_step > 0.0 ? std::min(wish, options.max_step) : wish;
}

double Simulator::advance(double t_end, Inputs* u, bool stops_at_events) {
  context_.inputs = u;
  const double t_begin = time_;
  execution_.check_end(t_begin);
  begin();
  int part = 0;
  const double span = t_end - t_begin;
  const int parts = options_.inner_step > 0.0 ? static_cast<int>(std::ceil(span / options_.inner_step * (1.0 - 1e-9))) : 1;
  while (time_ < t_end) {
    while (part < parts && t_begin + span * part / parts <= time_) ++part;
    const double grid = part >= parts ? t_end : t_begin + span * part / parts;
    double end = attempted(limit(grid));
    const bool is_event = find_crossing(end);
    accept(end, is_event);
    if (is_event) note_event(t_begin, t_end);
    if (is_event && stops_at_events) break;
    if (time_ < t_end && execution_.has_rejected()) begin();  // what remembers has remembered
  }
  return time_;
}

/// Inputs may not be what they were when the last step ended, and blocks have remembered since.
void Simulator::begin() {
  if (!execution_.has_stale()) return;
  context_.time = time_;
  context_.step = 0.0;
  context_.stage = 0;
  context_.is_major = true;
  if (execution_.has_stale_gates()) {
    settle(false);
  } else {
    execution_.evaluate_stale(context_);
    if (execution_.update(context_)) settle(false);
  }
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
  double end = t_end;
  if (!options_.locates) {
    // Samples are met even when events are not located: a rate that is no multiple of the step needs it.
    end = std::min(end, execution_.next_sample());
  } else {
    end = std::min({end, execution_.next_sample(), execution_.next_event(time_)});
  }
  // A sample and the end of a step that differ by rounding are one time, and so are two of them after each other.
  const double tolerance = 1e-9 * (t_end - time_);
  return end > t_end - tolerance ? t_end : end;
}

double Simulator::attempted(double limit) {
  std::copy_n(execution_.x(), x_begin_.size(), x_begin_.data());
  context_.attempt = 0;
  const bool variable = is_variable();
  double end = variable && time_ + wish_ * (1.0 + 1e-9) < limit ? time_ + wish_ : limit;
  double growth = 5.0;
  while (true) {
    context_.step = end - time_;
    const double error = method_->attempt(time_, end, x_begin_.data(), slope_.data(), x_end_.data(), *this);
    if (!variable) return end;
    const double h = end - time_;
    const double factor =
        std::isfinite(error)
            ? std::clamp(0.9 * std::pow(std::max(error, 1e-10), -1.0 / method_->control_order()), 0.2, growth)
            : 0.1;
    if (error <= 1.0) {
      // A step cut short from outside says nothing against the step that was wished.
      wish_ = context_.attempt > 0 || h >= wish_ ? h * factor : std::max(wish_, h * factor);
      if (options_.solver_options.max_step > 0.0) wish_ = std::min(wish_, options_.solver_options.max_step);
      return end;
    }
    give_up(end);
    growth = 1.0;
    end = time_ + h * std::min(factor, 0.9);
  }
}

/// An attempt that does not count.
void Simulator::give_up(double t) {
  ++statistics_.rejected;
  ++context_.attempt;
  context_.time = t;
  if (execution_.has_rejected()) execution_.rejected(context_);
  if (context_.step < 16.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time_), 1e-300)) {
    std::ostringstream text;
    text.precision(9);
    text << "the step became " << context_.step << " s at t = " << time_
         << " s; the model may be stiff (try ode23s), discontinuous where no event is found, or growing without bound";
    throw SolverFailure(text.str());
  }
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

bool Simulator::changes_sign(const std::vector<double>& from, const std::vector<double>& to) const {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (crosses(from[i], to[i])) return true;
  }
  return false;
}

/// The state at t inside the attempt that ended at `end`: by the solver's own interpolation, or by a shorter step.
void Simulator::state_at(double t, double end) {
  if (method_->interpolates() && t < end) {
    method_->interpolate(t, x_end_.data());
    // What blocks did for the whole attempt does not count for the part of it that is left.
    if (execution_.has_rejected()) execution_.rejected(context_);
  } else if (!method_->interpolates()) {
    context_.step = end - time_;
    give_up(end);
    context_.step = t - time_;
    method_->attempt(time_, t, x_begin_.data(), slope_.data(), x_end_.data(), *this);
  }
  evaluate_at_end(t);
}

/// Where the line through the values at a and b crosses zero, the first of all functions that do; pushed a little to the
/// right, so that the interval closes from both sides.
double Simulator::guess_crossing(double a, double b) const {
  double first = b;
  for (std::size_t i = 0; i < g_left_.size(); ++i) {
    if (!crosses(g_left_[i], g_right_[i])) continue;
    first = std::min(first, a + (b - a) * g_left_[i] / (g_left_[i] - g_right_[i]));
  }
  return first;
}

/// Bracket the first change of sign and end the step on its far side, where whoever crossed has crossed.
bool Simulator::find_crossing(double& end) {
  evaluated_at_end_ = false;
  if (!options_.locates || execution_.crossings() == 0) return false;
  evaluate_at_end(end);
  execution_.crossing(context_, g_end_.data());
  evaluated_at_end_ = true;
  if (!changes_sign(g_begin_, g_end_)) return false;
  const double whole = end;
  const double tolerance = std::max(1e-10 * (end - time_), 4.0 * std::numeric_limits<double>::epsilon() * std::abs(end));
  double a = time_, b = end, at = end;
  g_left_ = g_begin_;
  g_right_ = g_end_;
  for (int k = 0; b - a > tolerance && k < 200; ++k) {
    const double width = b - a;
    // Every third try halves the interval: lines can be poor guesses for long.
    double c = k % 3 == 2 ? 0.5 * (a + b) : guess_crossing(a, b) + (k % 3 == 1 ? 0.4 : 0.0) * tolerance;
    c = std::clamp(c, a + std::min(0.4 * tolerance, 0.1 * width), b - std::min(0.4 * tolerance, 0.1 * width));
    state_at(at = c, whole);
    execution_.crossing(context_, g_end_.data());
    if (changes_sign(g_begin_, g_end_)) {
      b = c;
      g_right_ = g_end_;
    } else {
      a = c;
      g_left_ = g_end_;
    }
  }
  if (at != b) state_at(b, whole);
  for (std::size_t i = 0; i < g_right_.size(); ++i) {
    if (crosses(g_begin_[i], g_right_[i])) last_crossing_ = static_cast<int>(i);
  }
  end = b;
  return true;
}

void Simulator::accept(double end, bool is_event) {
  if (!evaluated_at_end_) std::copy(x_end_.begin(), x_end_.end(), execution_.x());
  const double begun = time_;
  time_ = end;
  context_.time = end;
  context_.is_major = true;
  ++statistics_.steps;
  const bool is_sample = execution_.next_sample() <= end + 1e-9 * (end - begun);
  const bool is_jump = options_.locates && execution_.next_event(begun) <= end;
  const bool touches_zero = std::any_of(g_end_.begin(), g_end_.end(), [](double g) { return g == 0.0; });
  if (!options_.locates || is_event || is_sample || is_jump || touches_zero || execution_.needs_major()) {
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
  execution_.accepted(context_);
  execution_.slopes(context_, slope_.data());
}

void Simulator::note_event(double t_begin, double t_end) {
  ++statistics_.events;
  const double oldest = recent_events_[next_event_place_];
  recent_events_[next_event_place_] = time_;
  next_event_place_ = (next_event_place_ + 1) % ring;
  if (time_ - oldest > 1e-9 * std::max(std::abs(time_), t_end - t_begin)) return;
  std::ostringstream text;
  text.precision(12);
  text << "block \"" << execution_.crossing_name(last_crossing_) << "\" changes its mode without end: " << ring
       << " events between t = " << oldest << " and " << time_
       << " s (chattering, or events that come ever closer); give it a hysteresis, stop the motion, or switch event "
          "location off";
  throw SolverFailure(text.str());
}

std::shared_ptr<const Simulator::Saved> Simulator::save() const {
  auto execution = execution_.save();
  if (!execution) return nullptr;
  return std::make_shared<Saved>(Saved{std::move(execution), time_, wish_, slope_, g_begin_});
}

void Simulator::restore(const Saved& saved) {
  execution_.restore(*saved.execution);
  time_ = saved.time;
  wish_ = saved.wish;
  slope_ = saved.slope;
  g_begin_ = saved.g;
}

}  // namespace counterpoint::diagram
