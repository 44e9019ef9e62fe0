#include "coupling/embedded.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "numbers.hpp"

namespace counterpoint {

/// Inputs that advance the externals when they are asked for a time not yet covered.
class EmbeddedInterface::HostInputs final : public Inputs {
 public:
  HostInputs(std::vector<double> constants, fast::Choice fast_paths, EmbeddedInterface& driver)
      : Inputs(std::move(constants), fast_paths, true), driver_(driver) {}

  bool running = false;

 protected:
  void rebuild(Connection& c, double t) override {
    if (running) {
      driver_.reach_for(t);
      c.samples.end = c.samples.history->end();
    }
    Inputs::rebuild(c, t);
    if (running) c.polynomial.to = std::min(c.polynomial.to, driver_.answers_until(c));
  }

 private:
  EmbeddedInterface& driver_;
};

EmbeddedInterface::EmbeddedInterface(const RunSpec& spec, int host)
    : host_(host),
      network_(spec, host, std::make_unique<HostInputs>(spec.participants[host].constants, spec.fast_paths, *this)) {
  for (const ParticipantSpec& p : spec.participants) {
    const std::vector<int>& list = p.waits_for;
    waits_for_host_.push_back(std::find(list.begin(), list.end(), host) != list.end());
  }
}

struct EmbeddedInterface::Saved final : SavedState {
  Network::Saved network;
  bool has_begun = false;
};

void EmbeddedInterface::start() {
  network_.start();
  // The outputs of a host that integrates by itself are known at its first major step only.
  if (dynamic_cast<const HostPorts*>(network_.participants[host_].subsystem.get()) == nullptr) network_.begin(-1);
  can_save_ = network_.save(checkpoint_);
  checkpoint_.clear();  // subsystems keep more as long as there is a state that may come back
  HostInputs& inputs = static_cast<HostInputs&>(*network_.participants[host_].inputs);
  inputs.running = true;
  // The host's assumptions are taken down when an external advances, not at the host's own steps.
  for (Connection& c : inputs.connections()) c.source_next = Polynomial::infinity;
}

const double* EmbeddedInterface::evaluate(double t, const double* y, bool is_major, Reach reach) {
  if (is_major) store(t, y);
  return inputs(t, is_major ? Reach::freely : reach);
}

void EmbeddedInterface::store(double t, const double* y) {
  if (broken_) throw std::runtime_error("the interface has failed before; make a new one");
  network_.forget_failure();
  if (!std::isfinite(t)) throw std::invalid_argument("evaluate: the time is not finite");
  try {
    publish(t, y);
  } catch (...) {
    if (!network_.failure) note_failure_of_host(t);  // else one of the others failed at its start
    throw;
  }
  begin_at(t);
  has_checkpoint_ = false;
}

const double* EmbeddedInterface::inputs(double t, Reach reach) {
  if (broken_) throw std::runtime_error("the interface has failed before; make a new one");
  network_.forget_failure();
  if (!std::isfinite(t)) throw std::invalid_argument("evaluate: the time is not finite");
  reach_ = reach == Reach::restorably && !can_save_ ? Reach::to_accepted : reach;
  broken_ = true;
  const double* u = network_.participants[host_].inputs->at(t);
  broken_ = false;
  return u;
}

void EmbeddedInterface::note_failure_of_host(double t) {
  network_.failure = Failure::of(std::current_exception());
  network_.failure.activity = Failure::Activity::major_step;
  network_.failure.participant = host_;
  network_.failure.start = network_.failure.end = t;
}

void EmbeddedInterface::give_up() {
  if (has_checkpoint_) network_.restore(checkpoint_);
  has_checkpoint_ = false;
}

std::unique_ptr<SavedState> EmbeddedInterface::save() const {
  auto saved = std::make_unique<Saved>();
  saved->has_begun = has_begun_;
  if (!network_.save(saved->network)) return nullptr;
  return saved;
}

void EmbeddedInterface::restore(const SavedState& state) {
  const auto* saved = dynamic_cast<const Saved*>(&state);
  if (saved == nullptr || saved->network.size() != network_.participants.size()) {
    throw std::invalid_argument("restore: the state was saved by another system");
  }
  network_.restore(saved->network);
  has_begun_ = saved->has_begun;
  has_checkpoint_ = broken_ = false;
}

void EmbeddedInterface::publish(double t, const double* y) {
  Participant& host = network_.participants[host_];
  const bool first = !has_begun_;
  if (t < host.t - network_.tolerance) {
    throw StepFailure(Failure::Kind::contract, "it lies before the last one at " + number_text(host.t, 9) + " s");
  }
  if (first && t > host.t + network_.tolerance) {
    throw StepFailure(Failure::Kind::contract, "the first one must be at the start, " + number_text(host.t, 9) + " s");
  }
  if (!first && t <= host.t + network_.tolerance) return publish_again(y);
  if (host.history.room() < 2) network_.make_room(host_, 64);
  host.publish_given(t, y);
  network_.commit(host_);
  has_begun_ = true;
  if (first) {
    network_.refresh_initial_outputs(host_);
    network_.begin(host_);
  }
}

/// Asked again at the same time: at an instant in which something jumps the latest word counts.
void EmbeddedInterface::publish_again(const double* y) {
  if (!network_.participants[host_].publish_again(y)) return;
  for (Participant& p : network_.participants) p.inputs->forget_polynomials_of(host_);
  if (!has_started_stepping()) network_.refresh_initial_outputs(host_);
}

bool EmbeddedInterface::has_started_stepping() const {
  return std::any_of(network_.participants.begin(), network_.participants.end(),
                     [](const Participant& p) { return p.steps > 0; });
}

bool EmbeddedInterface::advance(double target, double wall_seconds) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::duration<double>(wall_seconds);
  Participant& host = network_.participants[host_];
  for (int count = 1; !host.finished() && host.t < target - network_.tolerance; ++count) {
    Cancellation::check();
    if (host.history.room() < 2) network_.make_room(host_, 64);
    begin_at(host.t);
    network_.guarded(host_, [&] { host.step_with_inputs(); });
    network_.commit(host_);
    if (count % 256 == 0 && clock::now() >= deadline) return false;
  }
  return true;
}

/// Until when an external has no need to be advanced.
double EmbeddedInterface::covered_by(int external) const {
  const Participant& p = network_.participants[external];
  return waits_for_host_[external] ? p.t_next : p.t;
}

double EmbeddedInterface::answers_until(const Connection& c) const { return covered_by(c.source) + network_.tolerance; }

void EmbeddedInterface::reach_for(double t) {
  if (reach_ != Reach::to_accepted) return advance_externals(t - network_.tolerance);
  // Those at the last major step may leave it: what they need of the host up to there is final.
  const double accepted = network_.participants[host_].t + network_.tolerance;
  advance_externals(t > accepted ? accepted : t - network_.tolerance);
}

/// Advance those that cover less than `until`, the one furthest behind first.
void EmbeddedInterface::advance_externals(double until) {
  while (true) {
    int behind = -1;
    for (int e = 0; e < static_cast<int>(network_.participants.size()); ++e) {
      const Participant& p = network_.participants[e];
      if (e == host_ || covered_by(e) >= until) continue;
      if (behind < 0 || p.t < network_.participants[behind].t) behind = e;
    }
    if (behind < 0) return;
    if (reach_ == Reach::restorably && !has_checkpoint_) has_checkpoint_ = network_.save(checkpoint_);
    step_external(behind);
  }
}

void EmbeddedInterface::step_external(int e) {
  Cancellation::check();
  Participant& p = network_.participants[e];
  Participant& host = network_.participants[host_];
  for (const Connection& c : p.inputs->connections()) {
    if (!c.waits || c.source == host_) continue;
    const Participant& source = network_.participants[c.source];
    while (!source.finished() && source.t < p.t_next - network_.tolerance) step_external(c.source);
  }
  if (p.history.room() < 2) network_.make_room(e, 64);
  for (std::size_t k = 0; k < host.comparisons.size(); ++k) {
    // The host has gone past the end of this step with what it extrapolated.
    Connection& c = host.inputs->connections()[k];
    const bool built = c.polynomial.from < Polynomial::infinity;
    if (c.source == e && !c.waits && built) host.comparisons[k].assume(c.polynomial, p.t_next, p.t_next);
  }
  network_.guarded(e, [&] {
    for (Connection& c : p.inputs->connections()) c.source_next = network_.participants[c.source].t;
    p.inputs->freeze_with_all_of(host_, p.t, p.t_next);
    p.step_with_inputs();
  });
  network_.commit(e);
}

}  // namespace counterpoint
