#include "coupling/participant.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace counterpoint {

namespace {
constexpr double costly_seconds = 20e-6;  ///< a step above this is timed each time
}

void Stopwatch::end(long steps) {
  const double elapsed = std::chrono::duration<double>(clock::now() - begun_).count();
  costly_ = steps > 0 && elapsed > costly_seconds * static_cast<double>(steps);
  ++timed_calls_;
  untimed_ = costly_ || timed_calls_ < 8 ? 0 : 63;
  if (timed_calls_ == 1 && !costly_) return;  // cold caches and first preparations would stand for all
  timed_seconds_ += elapsed;
  timed_steps_ += steps;
}

double Stopwatch::seconds(long total_steps) const {
  if (timed_steps_ == 0) return 0.0;
  return timed_seconds_ * static_cast<double>(total_steps) / static_cast<double>(timed_steps_);
}

void Subsystem::burst(Participant& participant, const BurstLimits& limits) { participant.burst(*this, limits); }

Participant::Participant(SubsystemPointer model, std::unique_ptr<Inputs> u, const Clock& run_clock, bool derivatives,
                         double start, double tolerance, bool records)
    : subsystem(std::move(model)),
      inputs(std::move(u)),
      history(subsystem->output_width(), derivatives && subsystem->offers_derivatives(), subsystem->stops_early()),
      t(start),
      t_next(start),
      horizon(start),
      clock_(run_clock),
      tolerance_(tolerance),
      records_(records),
      rows_(1 + history.width()) {
  const std::vector<double> zeros(history.width());
  history.append(t, zeros.data(), zeros.data());
  history.commit();
}

void Participant::start() {
  subsystem->start(t);
  inputs->start(t);
  for (const Term& term : inputs->terms()) extrapolates_ = extrapolates_ || !term.waits;
  plain_ = clock_.fixed() && !extrapolates_ && !history.has_derivatives() && !inputs->depends_on_step();
}

void Participant::refresh_initial_outputs() {
  t_next = t;  // until a step is proposed, a failure is one of the start
  history.restart();
  rows_.clear();
  publish_outputs(*subsystem, t);
  history.commit();
  propose();
}

double Participant::wish() {
  proposing = true;
  const double wish = subsystem->next_step();
  if (!(t + wish > t)) {
    std::ostringstream text;
    text << "proposes a step of " << wish << " s; give it a fixed step or a positive proposal that moves the time";
    throw StepFailure(Failure::Kind::contract, text.str());
  }
  proposing = false;
  return wish;
}

double Participant::accepted_end(double reached) const {
  // One that stops early stands where it says, however near that is to the end: it goes on from there.
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * std::abs(t_next);
  const bool stopped = subsystem->stops_early() && reached > t && reached < t_next - rounding;
  if (stopped) return reached;
  if (std::abs(reached - t_next) <= tolerance_) return t_next;
  std::ostringstream text;
  text.precision(9);
  text << "step returned time " << reached << " s; it must reach the end of the step, " << t_next << " s";
  if (reached > t && reached < t_next) text << ", unless the model says that it stops early";
  throw StepFailure(Failure::Kind::contract, text.str());
}

void Participant::not_finite(const double* values) const {
  int j = 0;
  while (std::isfinite(values[j])) ++j;
  throw StepFailure(Failure::Kind::not_finite, std::isnan(values[j]) ? "NaN" : "infinite", j);
}

Participant::Stretch Participant::open_stretch(int most, double before) {
  Stretch made{history.next_time(), history.next_value(), nullptr, 0};
  const auto allowed = [before](double begin, double) { return begin < before; };
  made.count = clock_.next_on_grid(t, most, allowed, history.next_time());
  if (records_ && made.count > 0) made.rows = rows_.extend(made.count);
  return made;
}

Participant::Stretch Participant::open_stretch_with(Participant& other, int count) {
  Stretch made{history.next_time(), history.next_value(), nullptr, count};
  std::copy_n(other.history.next_time(), count, history.next_time());
  clock_ = other.clock_;
  if (records_ && count > 0) made.rows = rows_.extend(count);
  return made;
}

void Participant::close_stretch(int made, int opened) {
  const double* ends = history.next_time();
  if (records_) rows_.give_back(opened - made);
  if (made == 0) return;
  const double begin = made > 1 ? ends[made - 2] : t;
  const std::size_t last = history.end() + static_cast<std::size_t>(made) - 2;
  history.advance_many(made);
  history.commit();
  t = ends[made - 1];
  t_next = made < opened ? ends[made] : clock_.next_fixed(t);
  horizon = std::max(horizon, t_next);
  steps += made;
  inputs->freeze_in_step(begin, t, last);
  subsystem->stand_at(t);
}

void Participant::publish_derivatives(double time) {
  const double* slopes = subsystem->output_derivative(time, *inputs);
  for (int j = 0; j < history.width(); ++j) {
    if (!std::isfinite(slopes[j])) throw SignalFailure("the derivative of an output is not finite");
    history.next_derivative()[j] = slopes[j];
  }
}

/// The sample is written, but not yet passed. No event came before the first one.
void Participant::publish_jump(double time) {
  const double* before = t_next > t ? subsystem->output_before_event() : nullptr;
  if (before != nullptr && std::equal(before, before + history.width(), history.next_value())) before = nullptr;
  history.note_jump(before);
  if (before == nullptr) return;
  if (!std::all_of(before, before + history.width(), [](double y) { return std::isfinite(y); })) not_finite(before);
  if (!records_) return;
  double* row = rows_.extend();
  row[0] = time;
  std::copy_n(before, history.width(), row + 1);
}

void Participant::announce() {
  inputs->freeze_in_step(t, t_next, history.end() - 1);
  subsystem->announce(t, t_next, *inputs);
}

void Participant::publish(double time, const double* values) {
  for (int j = 0; j < history.width(); ++j) {
    if (!std::isfinite(values[j])) not_finite(values);
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
    if (!std::isfinite(values[j])) not_finite(values);
  }
  std::copy_n(values, history.width(), last);
  if (double* row = records_ ? rows_.last() : nullptr) std::copy_n(values, history.width(), row + 1);
  return true;
}

bool Participant::save(std::size_t keep, Saved& into) const {
  into.subsystem = subsystem->save();
  if (!into.subsystem) return false;
  inputs->save(into.inputs);
  history.save(keep, into.history);
  into.defects.resize(defects.size());
  for (std::size_t k = 0; k < defects.size(); ++k) defects[k].save(into.defects[k]);
  into.clock = clock_;
  into.t = t;
  into.t_next = t_next;
  into.horizon = horizon;
  into.steps = steps;
  into.rows = rows_.total();
  return true;
}

void Participant::restore(const Saved& saved) {
  subsystem->restore(*saved.subsystem);
  rewind(saved);
}

void Participant::rewind(const Saved& saved) {
  inputs->restore(saved.inputs);
  history.restore(saved.history);
  for (std::size_t k = 0; k < defects.size(); ++k) defects[k].restore(saved.defects[k]);
  clock_ = *saved.clock;
  t = saved.t;
  t_next = saved.t_next;
  horizon = saved.horizon;
  steps = saved.steps;
  proposing = false;
  rows_.shrink(saved.rows);
}

void Participant::open_until(double end) {
  clock_.end_at(end);
  propose();
  horizon = t_next;
}

void Participant::read_earlier(const std::vector<History>& earlier) {
  inputs->read_earlier(earlier);
  repeats_ = true;
}

void Participant::read_present() {
  inputs->read_present();
  repeats_ = false;
}

void Participant::compare(std::size_t k) {
  const Term& term = inputs->terms()[k];
  if (in_step && term.simple && !term.waits) return compare_line(k);
  Samples samples = term.samples;
  samples.history = term.present;
  samples.begin = samples.history->begin();
  samples.end = samples.history->end();
  defects[k].arrive(samples, term.gain, term.offset);
}

/// What was assumed of a line is found again from the samples: nobody has to write it down in every step.
void Participant::compare_line(std::size_t k) {
  const Wire wire = Inputs::wire(inputs->terms()[k]);
  const History& source = *wire.history;
  if (!wire.sloped) return defects[k].arrive_held(source.end() - 1, wire);
  const std::size_t last = std::min(source.end(), history.end()) - 1;
  defects[k].arrive_in_step(last, [&](std::size_t sample) {
    const double time = source.time(sample);
    return Defect::Comparison{time, wire.drawn(sample - 1).at(time), wire.scaled(source.value(sample)[wire.column])};
  });
}

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] void Participant::leave_assumptions() {
  if (repeats_) return leave_assumptions_in_repeat();
  if (in_step) return leave_assumptions_in_step();
  std::vector<Term>& terms = inputs->terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    Term& term = terms[k];
    if (term.waits) continue;
    const Samples& frozen = term.samples;
    const History& source = *frozen.history;
    const bool published = frozen.end < source.end();
    double source_next = published ? source.time(frozen.end) : term.source_next;
    if (term.source_stops_early) {
      source_next = t;  // when it publishes next is not known: every step is compared
    } else if (!defects[k].wants(t_next, source_next, tolerance_)) {
      continue;
    }
    defects[k].assume(inputs->polynomial(term, t), t, source_next);
    if (published && (!defers || defects[k].full())) compare(k);
  }
}

/// The source's next sample comes, or has come, at the end of this step.
void Participant::leave_assumptions_in_step() {
  auto defect = defects.begin();
  for (Term& term : inputs->terms()) {
    if (!term.waits && !term.simple) defect->assume(inputs->polynomial(term, t), t, t);
    ++defect;
  }
}

/// In a repeat the source's samples are those of the pass before, and one of them reaches the end of the step.
[[gnu::noinline]] void Participant::leave_assumptions_in_repeat() {
  std::vector<Term>& terms = inputs->terms();
  for (std::size_t k = 0; k < terms.size(); ++k) {
    Term& term = terms[k];
    if (!term.known) continue;
    const double sample = term.samples.time(term.samples.last());
    if (!defects[k].wants(t_next, sample, tolerance_)) continue;
    defects[k].assume(inputs->polynomial(term, t), t, sample);
    compare(k);
  }
}

}  // namespace counterpoint
