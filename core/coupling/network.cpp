#include "coupling/network.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "coupling/initial_loops.hpp"
#include "signal/energy_corrected.hpp"

namespace counterpoint {

namespace {

bool uses_slopes(const ParticipantSpec& p) {
  return p.subsystem->offers_derivatives() && p.subsystem->uses_input_slopes();
}

/// Whose slopes are wanted and follow from slopes of inputs wants those of its sources.
void pass_slopes_on(const RunSpec& spec, std::vector<char>& wanted) {
  for (bool more = true; more;) {
    more = false;
    for (const ConnectionSpec& c : spec.connections) {
      if (!wanted[c.target] || wanted[c.source] || !uses_slopes(spec.participants[c.target])) continue;
      wanted[c.source] = more = true;
    }
  }
}

}  // namespace

Network::Network(const RunSpec& spec, int host, std::unique_ptr<Inputs> host_inputs)
    : tolerance(spec.tolerance), spec_(spec), outgoing_(spec.participants.size()), at_work_(spec.participants.size()) {
  std::vector<char> derivatives(spec.participants.size(), 0);
  for (const ConnectionSpec& c : spec.connections) derivatives[c.source] |= c.approximation->wants_derivatives();
  for (std::size_t i = 0; i < derivatives.size(); ++i) derivatives[i] |= spec.participants[i].sends_slopes;
  pass_slopes_on(spec, derivatives);

  participants.reserve(spec.participants.size());
  for (int i = 0; i < static_cast<int>(spec.participants.size()); ++i) {
    const ParticipantSpec& p = spec.participants[i];
    auto inputs = i == host ? std::move(host_inputs) : std::make_unique<Inputs>(p.constants, spec.fast_paths);
    const double until = p.may_overrun ? Polynomial::infinity : spec.until;
    const StepClock clock(spec.start, until, p.pace ? 0.0 : p.step, spec.tolerance);
    participants.emplace_back(
        p.subsystem, Participant::Set{std::move(inputs), p.pace, clock, &spec_.events, derivatives[i] != 0, p.jumps,
                                      spec.start, spec.tolerance, p.records, p.unread});
  }

  std::vector<int> law_index(spec.laws.size());
  std::vector<int> law_offset(spec.laws.size(), 0);
  std::vector<int> law_width(spec.laws.size(), 0);
  for (const ConnectionSpec& c : spec.connections) {
    if (c.law >= 0) law_width[c.law] += c.width;
  }
  for (std::size_t k = 0; k < spec.laws.size(); ++k) {
    const LawSpec& l = spec.laws[k];
    law_index[k] = participants[l.target].inputs->add_law(l.law, l.target_offset, law_width[k]);
  }
  std::vector<std::unordered_set<int>> waits_for;
  for (const ParticipantSpec& p : spec.participants) waits_for.emplace_back(p.waits_for.begin(), p.waits_for.end());
  for (const ConnectionSpec& c : spec.connections) {
    const LawPlace place = c.law >= 0 ? LawPlace{law_index[c.law], law_offset[c.law]} : LawPlace{};
    connect(c, place, waits_for[c.target].contains(c.source));
    if (c.law >= 0) law_offset[c.law] += c.width;
  }
  plan_events();
  for (Participant& p : participants) p.inputs->choose_fast_paths();
  for (std::size_t i = 0; i < participants.size(); ++i) {
    if (Pace* pace = participants[i].pace()) pace->join(*this, static_cast<int>(i));
  }
}

void Network::plan_events() {
  events_reached_.assign(spec_.events.size(), spec_.start);
  for (int i = 0; i < static_cast<int>(participants.size()); ++i) {
    auto events = std::make_unique<InputEvents>(tolerance);
    std::map<int, int> conditions;  // number in the run -> here
    for (std::size_t k = 0; k < spec_.input_events.size(); ++k) {
      const InputEventSpec& event = spec_.input_events[k];
      if (event.participant != i) continue;
      if (event.condition >= 0 && !conditions.contains(event.condition))
        conditions[event.condition] = events->add(condition_of(spec_.conditions[event.condition], i));
      const int condition = event.condition < 0 ? -1 : conditions[event.condition];
      events->add(event, static_cast<int>(k), condition, own_constants(event));
    }
    if (!events->targets().empty()) participants[i].inputs->set_events(std::move(events));
  }
}

InputEvents::Condition Network::condition_of(const ConditionSpec& spec, int participant) {
  InputEvents::Condition made{{}, spec.law};
  for (const ConditionSpec::Output& output : spec.outputs) {
    const bool own = output.participant == participant;
    made.outputs.push_back({&participants[output.participant].history, output.column, own});
    if (!own) watch(participant, output.participant);
  }
  return made;
}

/// A participant looks at what another one publishes: it steps when that is there, as if it were connected.
void Network::watch(int participant, int source) {
  const std::vector<Connection>& known = participants[participant].inputs->connections();
  if (std::any_of(known.begin(), known.end(),
                  [&](const Connection& c) { return c.source == source && (c.waits || c.watches); }))
    return;
  ConnectionSpec spec;
  spec.source = source;
  spec.target = participant;
  spec.approximation = make_hold(HoldSide::behind);
  connect(spec, {}, false);
  participants[participant].inputs->connections().back().watches = true;
}

/// The values of the input of an event when nothing drives it; else none.
std::vector<double> Network::own_constants(const InputEventSpec& event) const {
  if (event.connection >= 0) return {};
  const auto drives = [&](const ConnectionSpec& c) {
    return c.target == event.participant && event.offset >= c.target_offset &&
           event.offset < c.target_offset + c.target_width;
  };
  if (std::any_of(spec_.connections.begin(), spec_.connections.end(), drives)) return {};
  const std::vector<double>& all = spec_.participants[event.participant].constants;
  return {all.begin() + event.offset, all.begin() + event.offset + event.width};
}

void Network::connect(const ConnectionSpec& spec, LawPlace law, bool waits) {
  Participant& consumer = participants[spec.target];
  Connection c;
  c.number = connection_count();
  c.source = spec.source;
  c.target_offset = spec.target_offset;
  c.approximation = for_receiver(spec.approximation, consumer.history);
  c.gain = spec.gain;
  c.offset = spec.offset;
  c.waits = waits;
  c.source_stops_early = participants[spec.source].may_stop_early();
  c.law = law.index;
  c.law_offset = law.offset;
  c.adds = law.index < 0 && consumer.inputs->adds_to_another(spec.target_offset);
  c.present = c.samples.history = &participants[spec.source].history;
  c.samples.end = 1;
  c.samples.column = spec.source_offset;
  c.samples.width = spec.width;
  c.samples.tolerance = tolerance;
  const int index = static_cast<int>(consumer.inputs->connections().size());
  Comparison& comparison = consumer.connect(std::move(c), connection_count());
  for (const std::shared_ptr<Indicator>& indicator : spec_.indicators) comparison.add(*indicator);
  if (!spec_.compares && !comparison.has_more_indicators()) {
    fast::ConnectionPath& path = consumer.inputs->connections().back().fast;
    path.compares_by_samples = path.deferred = true;
  }
  outgoing_[spec.source].push_back({spec.target, index, &consumer});
  connections_.push_back({spec.target, index, &consumer});
}

double Network::time() const {
  double earliest = Polynomial::infinity;
  for (const Participant& p : participants) earliest = std::min(earliest, p.t);
  return earliest;
}

void Network::start() {
  const int n = static_cast<int>(participants.size());
  for (int i = 0; i < n; ++i) guarded(i, [&] { participants[i].start(); });
  fix_initial_values();
  if (spec_.torn.empty()) {
    refresh_initial_outputs(-1);
  } else {
    solve_initial_loops(*this, spec_.torn);
  }
  release_initial_values();
}

void Network::begin(int except) {
  fix_initial_values();
  bool changed = false;
  for (int i = 0; i < static_cast<int>(participants.size()); ++i) {
    Participant& p = participants[i];
    if (i == except) continue;
    guarded(i, [&] {
      const double proposed = std::exchange(p.t_next, p.t);  // a failure here is one of the start, not of a step
      changed = p.subsystem->begin(p.t, *p.inputs) || changed;
      p.t_next = proposed;
    });
  }
  if (changed) refresh_initial_outputs(except);
  release_initial_values();
}

void Network::finish() noexcept {
  for (int i = 0; i < static_cast<int>(participants.size()); ++i) {
    guarded_.store(i, std::memory_order_relaxed);
    participants[i].subsystem->finish();
  }
  guarded_.store(-1, std::memory_order_relaxed);
}

void Network::tell_events() {
  if (spec_.events.empty()) return;
  const double now = time() + tolerance;
  for (std::size_t k = 0; k < spec_.events.size(); ++k) {
    Event& event = *spec_.events[k];
    for (double next = event.next(events_reached_[k]); next <= now; next = event.next(next)) {
      events_reached_[k] = next;
      event.reached(next);
    }
  }
}

void Network::fix_initial_values() {
  for (const ConnectionSpec& c : spec_.connections) {
    if (c.initial) participants[c.target].inputs->fix(c.target_offset, std::vector<double>(c.target_width, *c.initial));
  }
}

void Network::release_initial_values() {
  for (Participant& p : participants) p.inputs->release_fixed();
  forget_polynomials();
}

void Network::refresh_initial_outputs(int except) {
  const bool slopes = std::any_of(participants.begin(), participants.end(), [](const Participant& p) {
    return p.history.has_derivatives() && p.subsystem->uses_input_slopes();
  });
  // A slope through feedthrough needs the slope of its source, which needs the values of that one's inputs.
  const int passes = spec_.initial_passes * (slopes ? 2 : 1) + (slopes ? 1 : 0);
  for (int pass = 0; pass < passes; ++pass) {
    forget_polynomials();
    for (int i = 0; i < static_cast<int>(participants.size()); ++i) {
      if (i != except) guarded(i, [&] { participants[i].refresh_initial_outputs(); });
    }
  }
  forget_polynomials();
}

void Network::forget_polynomials() {
  for (Participant& p : participants) {
    for (Connection& c : p.inputs->connections()) c.polynomial.invalidate();
  }
}

std::size_t Network::first_needed(int source) const {
  const History& history = participants[source].history;
  std::size_t keep = history.end() > always_kept ? history.end() - always_kept : 0;
  for (const ConnectionEnd& out : outgoing_[source]) {
    const Participant& consumer = *out.participant;
    const Connection& c = out.connection();
    double oldest = consumer.t;
    if (c.approximation->looks_back_one_step() || c.watches) oldest = consumer.inputs->step().start;
    const Comparison& comparison = out.comparison();
    if (comparison.pending()) oldest = std::min(oldest, comparison.pending_time());
    const std::size_t index = history.last_not_after(oldest + tolerance);
    const std::size_t behind = kept_behind(c);
    keep = std::min(keep, index > behind ? index - behind : 0);
  }
  return keep;
}

void Network::make_room(int source, std::size_t samples) {
  compare(source);
  participants[source].history.make_room(first_needed(source), samples);
}

bool Network::save(Saved& into) const {
  into.resize(participants.size());
  for (std::size_t i = 0; i < participants.size(); ++i) {
    if (!participants[i].save(first_needed(static_cast<int>(i)), into[i])) return false;
  }
  return true;
}

void Network::restore(const Saved& saved) {
  forget_failure();
  for (std::size_t i = 0; i < participants.size(); ++i) {
    guarded(static_cast<int>(i), [&] { participants[i].restore(saved[i]); });
  }
}

double Network::time_of(int participant) const {
  return std::atomic_ref(const_cast<double&>(participants[participant].t)).load(std::memory_order_relaxed);
}

std::optional<CallUnderWay> Network::call_under_way() const {
  const auto beside_others = std::find_if(at_work_.begin(), at_work_.end(),
                                          [](const auto& mark) { return mark.load(std::memory_order_relaxed); });
  const int found = beside_others != at_work_.end() ? static_cast<int>(beside_others - at_work_.begin())
                                                    : guarded_.load(std::memory_order_relaxed);
  if (found < 0) return std::nullopt;
  return CallUnderWay{found, time_of(found)};
}

void Network::note_failure(int participant) {
  using Activity = Failure::Activity;
  const Participant& p = participants[participant];
  failure = Failure::of(std::current_exception());
  if (!failure) return keep_last_sample(participant);
  failure.participant = participant;
  failure.start = p.t;
  failure.end = p.finished() ? p.t : p.t_next;
  failure.activity = failure.end > failure.start ? Activity::step : Activity::start;
  if (p.proposing) failure.activity = Activity::preferred_step;
}

/// In a catch block: a participant that ends the run within a step is at the time of the end.
void Network::keep_last_sample(int participant) {
  Participant& p = participants[participant];
  try {
    throw;
  } catch (const RunEnd& end) {
    if (!(end.time > p.t + tolerance)) return;
    if (p.history.room() < 16) make_room(participant, 64);
    try {
      p.publish_given(end.time, p.subsystem->output(end.time, *p.inputs));
    } catch (const std::exception&) {  // the run ends all the same, with the samples before
    }
  }
}

}  // namespace counterpoint
