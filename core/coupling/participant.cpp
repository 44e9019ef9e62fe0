#include "coupling/participant.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "coupling/fast/derived_comparison.hpp"
#include "coupling/fast/newest_comparison.hpp"
#include "coupling/restarted_pace.hpp"
#include "numbers.hpp"

namespace counterpoint {

namespace {

std::shared_ptr<Pace> built_in_pace(const StepClock& clock, const Subsystem& subsystem) {
  if (clock.fixed()) {
    if (subsystem.restarts_steps()) return std::make_shared<RestartedPace>();
    return std::make_shared<FixedPace>();
  }
  return std::make_shared<OwnPace>(subsystem);
}

}  // namespace

Participant::Participant(SubsystemPointer model, Set set)
    : subsystem(std::move(model)),
      inputs(std::move(set.inputs)),
      history(subsystem->output_width(), set.derivatives && subsystem->offers_derivatives(),
              subsystem->stops_early() || set.jumps),
      t(set.start),
      t_next(set.start),
      horizon(set.start),
      pace_(set.pace ? set.pace : built_in_pace(set.clock, *subsystem)),
      fixed_(dynamic_cast<FixedPace*>(pace_.get())),
      clock_(set.clock),
      events_(set.events),
      tolerance_(set.tolerance),
      wants_record_(set.records),
      records_(set.records),
      jumps_(set.jumps),
      has_pace_(set.pace != nullptr),
      pace_listens_(has_pace_ && pace_->listens()),
      may_reject_(pace_->may_reject()),
      unread_(std::move(set.unread)),
      rows_(1 + history.width()) {
  fast.rewriter = dynamic_cast<StateRewriter*>(subsystem.get());
  const std::vector<double> zeros(history.width());
  history.append(t, zeros.data(), zeros.data());
  history.commit();
}

void Participant::start() {
  subsystem->start(t);
  inputs->start(t);
  look_at_assumptions();
}

void Participant::look_at_assumptions() {
  extrapolates_ = false;
  std::vector<Connection>& connections = inputs->connections();
  for (std::size_t k = 0; k < connections.size(); ++k) {
    Connection& c = connections[k];
    const bool is_assumed = !c.waits && !c.watches && !c.fast.compares_by_samples;
    c.fast.assumes_newest =
        is_assumed && c.fast.compares_newest && !c.source_stops_early && !comparisons[k].keeps_assumed();
    extrapolates_ = extrapolates_ || is_assumed;
  }
  assumes_ = extrapolates_;
}

Comparison& Participant::connect(Connection c, int number) {
  comparisons.emplace_back(number, c.samples.width);
  if (pace_listens_) comparisons.back().add(*pace_);
  inputs->add_connection(std::move(c));
  return comparisons.back();
}

void Participant::refresh_initial_outputs() {
  t_next = t;  // until a step is proposed, a failure belongs to the start
  history.restart();
  rows_.clear();
  const double* y = subsystem->output(t, *inputs);
  note_undefined(y);
  publish(t, y);
  history.commit();
  propose();
}

double Participant::next_end() {
  proposing = true;
  const double end = pace_->next_end(t, clock_, next_event());
  proposing = false;
  return end;
}

double Participant::next_of_events() const {
  double first = Polynomial::infinity;
  for (const std::shared_ptr<Event>& event : *events_) first = std::min(first, event->next(t));
  if (const InputEvents* own = inputs->events(); own != nullptr && own->next_change() > t + tolerance_)
    first = std::min(first, own->next_change());
  return first;
}

void Participant::save_for_rejection() {
  before_step_ = subsystem->save();
  may_reject_ = before_step_ != nullptr;
}

[[gnu::noinline]] void Participant::step_again() {
  const double rejected = t_next;
  subsystem->restore(*before_step_);
  inputs->reject_step();
  pace_->returned_to(t);
  t_next = next_end();
  if (!(t_next < rejected)) {
    throw StepFailure(Failure::Kind::contract, "its pace rejected a step and did not propose a shorter one");
  }
  step();
}

double Participant::accepted_end(double reached) const {
  // If it stops early, it is at the time that it returns, however close to the end: it continues from there.
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(t_next);
  const bool stopped = subsystem->stops_early() && reached > t && reached < t_next - rounding;
  if (stopped) return reached;
  if (std::abs(reached - t_next) <= tolerance_) return t_next;
  Text text(9);
  text << "step returned time " << reached << " s; it must reach the end of the step, " << t_next << " s";
  if (reached > t && reached < t_next) text << ", unless the model says that it stops early";
  throw StepFailure(Failure::Kind::contract, text.str());
}

[[gnu::noinline]] void Participant::not_finite(double time, const double* values) {
  const bool some_finite = std::any_of(values, values + history.width(), [](double y) { return std::isfinite(y); });
  for (int j = 0; j < history.width(); ++j) {
    if (std::isfinite(values[j])) continue;
    if (!undefined_since_.empty() && undefined_since_[j] <= time) continue;
    if (unread_.empty() || unread_[j] == 0 || !some_finite)
      throw StepFailure(Failure::Kind::not_finite, std::isnan(values[j]) ? "NaN" : "infinite", j);
    undefined_since_[j] = time;
  }
}

/// An output that is NaN before the first step is not defined by the model: no step has caused it.
void Participant::note_undefined(const double* values) {
  undefined_since_.assign(unread_.size(), Polynomial::infinity);
  for (std::size_t j = 0; j < unread_.size(); ++j) {
    if (unread_[j] != 0 && !std::isfinite(values[j])) undefined_since_[j] = t;
  }
}

void Participant::publish_derivatives(double time) {
  const double* slopes = subsystem->output_derivative(time, *inputs);
  for (int j = 0; j < history.width(); ++j) {
    if (!std::isfinite(slopes[j])) throw SignalFailure("the derivative of an output is not finite");
    history.next_derivative()[j] = slopes[j];
  }
}

/// The sample is written, but not yet advanced. No event comes before the first one.
void Participant::publish_jump(double time) {
  const double* before = t_next > t && subsystem->stops_early() ? subsystem->output_before_event() : nullptr;
  if (before == nullptr && !before_event_.empty()) before = before_event_.data();
  if (before != nullptr && std::equal(before, before + history.width(), history.next_value())) before = nullptr;
  history.note_jump(before);
  if (before != nullptr) keep_before_jump(time, before);
  before_event_.clear();
}

void Participant::keep_before_jump(double time, const double* before) {
  if (!std::all_of(before, before + history.width(), [](double y) { return std::isfinite(y); }))
    not_finite(time, before);
  if (!records_) return;
  double* row = rows_.extend();
  row[0] = time;
  std::copy_n(before, history.width(), row + 1);
}

const double* Participant::pass_event(double time, const double* y) {
  before_event_.clear();
  if (jumps_) before_event_.assign(y, y + history.width());
  inputs->events()->pass(time);
  if (!jumps_) return y;
  return output_after_event(time);
}

/// Reading outputs with other inputs may change the state, which is restored afterwards.
const double* Participant::output_after_event(double time) {
  const std::unique_ptr<SavedState> state = subsystem->save();
  const double* y = state ? subsystem->output_again(time, *inputs) : subsystem->output(time, *inputs);
  after_event_.assign(y, y + history.width());
  if (state) subsystem->restore(*state);
  return after_event_.data();
}

void Participant::publish_given(double time, const double* values) {
  for (int j = 0; j < history.width(); ++j) {
    if (!std::isfinite(values[j])) not_finite(time, values);
  }
  const bool initial = history.end() == 1 && std::abs(time - history.time(0)) <= tolerance_;
  if (initial) {
    history.restart();
    rows_.clear();
  } else {
    ++steps;
  }
  history.append(time, values, values);
  if (records_) {
    double* row = rows_.extend();
    row[0] = time;
    std::copy_n(values, history.width(), row + 1);
  }
  t = time;
  history.commit();
}

bool Participant::publish_again(const double* values) {
  double* last = history.last_value();
  if (std::equal(values, values + history.width(), last)) return false;
  for (int j = 0; j < history.width(); ++j) {
    if (!std::isfinite(values[j])) not_finite(t, values);
  }
  std::copy_n(values, history.width(), last);
  if (double* row = records_ ? rows_.last() : nullptr) std::copy_n(values, history.width(), row + 1);
  return true;
}

std::vector<Rows> Participant::take_rows() {
  std::vector<Rows> blocks = rows_.take();
  for (fast::DerivedDefectRows* derived : fast.derive_from_rows) derived->source_gives(blocks, 1 + history.width());
  return blocks;
}

void Participant::assume() {
  if (repeats_) return assume_in_repeat();
  Comparison* next = comparisons.data();
  for (Connection& c : inputs->connections()) {
    Comparison& comparison = *next++;
    if (!fast.in_step && fast::NewestComparison::may_assume(comparison, c, t)) {
      fast::NewestComparison::assume(comparison, c, t, t_next, tolerance_);
    } else {
      assume_input(c, comparison);
    }
  }
}

/// Not inlined, to keep the usual path of the caller short.
[[gnu::noinline, gnu::flatten]] void Participant::assume_input(Connection& c, Comparison& comparison) {
  if (c.waits || c.watches || c.fast.compares_by_samples) return;
  const Samples& frozen = c.samples;
  const History& source = *frozen.history;
  const bool published = frozen.end < source.end();
  double source_next = published ? source.time(frozen.end) : c.source_next;
  if (c.source_stops_early || fast.in_step) {
    source_next = t;  // unknown, so every step is compared; in a round it is the end of every step
  } else if (!comparison.wants(t_next, source_next, tolerance_)) {
    return;
  }
  comparison.assume(inputs->polynomial(c, t), t, source_next);
  if (published && !comparison.keeps_assumed()) comparison.arrive(c);
}

/// In a repeat the samples of the source are those of the previous pass, and one of them is at or after the end of the
/// step.
[[gnu::noinline]] void Participant::assume_in_repeat() {
  std::vector<Connection>& connections = inputs->connections();
  for (std::size_t k = 0; k < connections.size(); ++k) {
    Connection& c = connections[k];
    if (!c.reads_earlier || c.fast.compares_by_samples) continue;
    const std::size_t reaching =
        c.sees_window() ? c.samples.ahead_of(t - 2.0 * tolerance_) : c.samples.last();  // the first not before t
    const double sample = c.samples.time(reaching);
    if (!comparisons[k].wants(t_next, sample, tolerance_)) continue;
    comparisons[k].assume(inputs->polynomial(c, t), t, sample);
    if (!comparisons[k].keeps_assumed()) compare(k);
  }
}

void Participant::compare(std::size_t k) {
  const Connection& c = inputs->connections()[k];
  if (c.fast.compares_by_samples) {
    if (heard_ && !c.fast.deferred) fast::DerivedComparison::compare(comparisons[k], c, history.end());
    return;
  }
  comparisons[k].arrive(c);
}

void Participant::read_earlier(const std::vector<History>& earlier, bool centred) {
  inputs->read_earlier(earlier, centred);
  repeats_ = true;
}

void Participant::read_present() {
  inputs->read_present();
  repeats_ = false;
}

bool Participant::save(std::size_t keep, Saved& into) const {
  into.subsystem = subsystem->save();
  if (!into.subsystem) return false;
  inputs->save(into.inputs);
  history.save(keep, into.history);
  into.comparisons.resize(comparisons.size());
  for (std::size_t k = 0; k < comparisons.size(); ++k) comparisons[k].save(into.comparisons[k]);
  save_place(into);
  return true;
}

void Participant::restore(const Saved& saved) {
  subsystem->restore(*saved.subsystem);
  inputs->restore(saved.inputs);
  history.restore(saved.history);
  for (std::size_t k = 0; k < comparisons.size(); ++k) comparisons[k].restore(saved.comparisons[k], saved.t);
  restore_place(saved);
}

void Participant::rewind_comparisons(const Mark& mark) {
  for (std::size_t k = 0; k < comparisons.size(); ++k) {
    if (inputs->connections()[k].extrapolates()) comparisons[k].restore(mark.comparisons[k], mark.t);
  }
}

}  // namespace counterpoint
