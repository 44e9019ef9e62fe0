#include "coupling/fast/joint_pass.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint::fast {

JointPass::JointPass(Network& network, PrecedenceRule& rule)
    : network_(network), rule_(rule), close_(network.tolerance / 16.0) {
  const std::vector<Participant>& all = network_.participants;
  serves_ = std::all_of(all.begin(), all.end(), [](const Participant& p) {
    return StepBatch::has_fixed_steps(p) && !p.may_stop_early() &&
           dynamic_cast<FedSubsystem*>(p.subsystem.get()) == nullptr;
  });
}

/// Passes differ by what connections read: present samples, those of the pass before, or those on both sides.
JointPass::Order& JointPass::order() {
  for (const Participant& p : network_.participants) {
    for (const Connection& c : p.inputs->connections()) {
      if (c.reads_earlier || c.sees_window()) return orders_[(c.reads_earlier ? 1 : 0) + (c.sees_window() ? 2 : 0)];
    }
  }
  return orders_[0];
}

/// Whether all are at the same time, with cheap steps, and a full step before the next point of their grids.
bool JointPass::stand_together(double target) const {
  const double t = network_.participants.front().t;
  for (const Participant& p : network_.participants) {
    const StepClock& clock = StepBatch::clock(p);
    if (p.t != t || clock.end() != target || p.stopwatch.costly() || !(std::abs(p.t_next - t - clock.step()) <= close_))
      return false;
  }
  return true;
}

bool JointPass::run(double target) {
  noted_ = nullptr;
  if (!serves_) return false;
  Order& order = this->order();
  if (order.turns.empty()) return false;
  const double length = target - network_.participants.front().t;
  if (!(std::abs(length - order.length) <= close_) || !stand_together(target)) return false;
  for (const Turn& turn : order.turns) {
    make(turn);
    if (network_.participants[turn.participant].stopwatch.costly()) return false;
  }
  return true;
}

void JointPass::make(const Turn& turn) {
  Participant& p = network_.participants[turn.participant];
  for (const auto& [connection, source] : rule_.candidate(turn.participant).incoming) {
    if (!connection->waits) connection->source_next = source->t_next;
  }
  const std::size_t wanted = std::max<std::size_t>(16, static_cast<std::size_t>(turn.steps));
  if (p.history.room() < wanted) network_.make_room(turn.participant, 4 * wanted);
  const BatchLimits allowed{Polynomial::infinity, Polynomial::infinity, turn.steps};
  network_.guarded(turn.participant, [&] {
    if (p.stopwatch.due()) {
      StepBatch::run_timed(p, allowed);
    } else {
      StepBatch::run(p, allowed);
    }
  });
  p.history.commit();
}

void JointPass::begin_to_note(double target) {
  noted_ = nullptr;
  if (!serves_ || !stand_together(target)) return;
  Order& order = this->order();
  const double length = target - network_.participants.front().t;
  if (!order.serves && std::abs(length - order.length) <= close_) return;
  noted_ = &order;
  turns_.clear();
  steps_ = 0;
  length_ = length;
}

void JointPass::note(int participant, long steps) {
  turns_.push_back({participant, steps});
  steps_ += steps;
  const bool too_many = turns_.size() > most_turns || steps_ > most_steps;
  if (too_many) *noted_ = Order{length_, false, {}};
  if (too_many || network_.participants[participant].stopwatch.costly()) noted_ = nullptr;
}

void JointPass::end_noting() {
  const bool serves = is_far_from_roundings();
  *noted_ = Order{length_, serves, serves ? turns_ : std::vector<Turn>{}};
  noted_ = nullptr;
}

bool JointPass::is_far_from_roundings() const {
  double most = 0.0;
  for (std::size_t i = 0; i < network_.participants.size(); ++i) {
    double steps = 0.0;
    for (const Turn& turn : turns_) {
      if (turn.participant == static_cast<int>(i)) steps += static_cast<double>(turn.steps);
    }
    if (!(std::abs(steps * StepBatch::clock(network_.participants[i]).step() - length_) <= close_)) return false;
    most = std::max(most, steps);
  }
  return length_ > 16.0 * network_.tolerance * most * most;
}

}  // namespace counterpoint::fast
