#include "coupling/participant.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint {

namespace {
constexpr double costly_seconds = 20e-6;  ///< a step above this is timed each time
}

void Stopwatch::end(long steps) {
  const double elapsed = std::chrono::duration<double>(clock::now() - begun_).count();
  timed_seconds_ += elapsed;
  timed_steps_ += steps;
  costly_ = steps > 0 && elapsed > costly_seconds * static_cast<double>(steps);
}

double Stopwatch::seconds(long total_steps) const {
  if (timed_steps_ == 0) return 0.0;
  return timed_seconds_ * static_cast<double>(total_steps) / static_cast<double>(timed_steps_);
}

Participant::Participant(SubsystemPointer model, std::unique_ptr<Inputs> u, const Clock& run_clock,
                         bool derivatives, double start, double tolerance, bool records)
    : subsystem(std::move(model)),
      inputs(std::move(u)),
      history(subsystem->output_width(), derivatives && subsystem->offers_derivatives()),
      t(start),
      t_next(start),
      horizon(start),
      clock_(run_clock),
      tolerance_(tolerance),
      records_(records),
      derivatives_offered_(history.has_derivatives()),
      y_(subsystem->output_width()),
      dy_(subsystem->output_width()) {
  history.append(t, y_.data(), dy_.data());
  history.commit();
}

void Participant::start() { subsystem->start(t); }

void Participant::refresh_initial_outputs() {
  read_outputs(t);
  history.replace_first(y_.data(), dy_.data());
  rows_.clear();
  record(t);
  propose();
}

void Participant::propose() {
  double wish = 0.0;
  if (!clock_.fixed()) {
    wish = subsystem->next_step();
    if (!(wish > 0.0)) {
      throw StepFailure(Failure::Kind::contract, "proposes a step of " + std::to_string(wish) +
                                                     " s; give it a fixed step or a positive proposal");
    }
  }
  t_next = clock_.next(t, wish);
  horizon = std::max(horizon, t_next);
}

void Participant::step_with_inputs() {
  double reached = subsystem->step(t, t_next, *inputs);
  if (!(reached > t) || reached > t_next + tolerance_) {
    throw StepFailure(Failure::Kind::contract, "step returned time " + std::to_string(reached) +
                                                   " s; it must lie after the start of the step and not after its end");
  }
  if (reached > t_next - tolerance_) reached = t_next;
  read_outputs(reached);
  inputs->remember_end(reached);
  history.append(reached, y_.data(), dy_.data());
  t = reached;
  ++steps;
  record(t);
  propose();
  leave_assumptions();
}

void Participant::read_outputs(double time) {
  subsystem->output(time, *inputs, y_.data());
  const int width = history.width();
  for (int j = 0; j < width; ++j) {
    if (!std::isfinite(y_[j])) {
      throw StepFailure(Failure::Kind::not_finite, std::isnan(y_[j]) ? "NaN" : "infinite", j);
    }
  }
  if (derivatives_offered_) subsystem->output_derivative(time, *inputs, dy_.data());
}

void Participant::record(double time) {
  if (!records_) return;
  const std::size_t width = y_.size();
  double* row = rows_.extend(1 + width);
  row[0] = time;
  for (std::size_t j = 0; j < width; ++j) row[1 + j] = y_[j];
}

void Participant::publish(double time, const double* values) {
  std::copy_n(values, history.width(), y_.data());
  for (double value : y_) {
    if (!std::isfinite(value)) throw StepFailure(Failure::Kind::not_finite, "not finite");
  }
  t = time;
  if (history.end() == 1 && std::abs(time - history.time(0)) <= tolerance_) {
    history.replace_first(y_.data(), dy_.data());
    rows_.clear();
  } else {
    history.append(time, y_.data(), dy_.data());
    ++steps;
  }
  record(time);
  history.commit();
}

void Participant::leave_assumptions() {
  std::vector<Term>& terms = inputs->terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    Term& term = terms[k];
    if (term.waits) continue;
    // Of the assumptions made before the source publishes next, the furthest is kept.
    const bool furthest = t_next > term.source_next + tolerance_;
    const bool replaces = !defects[k].pending() || t <= term.source_next + tolerance_;
    if (furthest && replaces) defects[k].assume(inputs->polynomial(term, t), t);
  }
}

}  // namespace counterpoint
