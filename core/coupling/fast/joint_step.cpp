#include "coupling/fast/joint_step.hpp"

#include <functional>
#include <queue>

namespace counterpoint::fast {

namespace {

/// Those that are waited for first; among those that may go, the one of the lowest rank.
std::vector<int> order_of(const Network& network) {
  const int count = static_cast<int>(network.participants.size());
  std::vector<int> awaited(count, 0), order;
  std::priority_queue<int, std::vector<int>, std::greater<>> may_go;
  for (int i = 0; i < count; ++i) {
    for (const Connection& c : network.participants[i].inputs->connections()) awaited[i] += c.waits ? 1 : 0;
    if (awaited[i] == 0) may_go.push(i);
  }
  for (; !may_go.empty();) {
    const int i = may_go.top();
    may_go.pop();
    order.push_back(i);
    for (const Network::ConnectionEnd& out : network.outgoing(i)) {
      if (out.connection().waits && --awaited[out.consumer] == 0) may_go.push(out.consumer);
    }
  }
  return order;
}

}  // namespace

JointStep::JointStep(Network& network, PrecedenceRule& rule) : network_(network), rule_(rule) {
  const std::vector<Participant>& all = network_.participants;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].may_stop_early() || rule_.candidate(static_cast<int>(i)).fed != nullptr) return;
  }
  order_ = order_of(network_);
}

bool JointStep::run(double target) {
  if (order_.empty()) return false;
  const Participant& first = network_.participants[order_.front()];
  const double t = first.t, end = first.t_next;
  if (!(end >= target) || first.finished()) return false;
  for (const Participant& p : network_.participants) {
    if (p.t != t || p.t_next != end) return false;
  }
  for (const int i : order_) {
    for (const auto& [connection, source] : rule_.candidate(i).incoming) {
      if (!connection->waits) connection->source_next = end;
    }
  }
  for (Participant& p : network_.participants) p.fast.assumes_later = true;
  try {
    for (const int i : order_) step(i);
  } catch (...) {
    assume(end);  // what those before the one that failed have assumed counts
    throw;
  }
  assume(end);
  return true;
}

void JointStep::assume(double end) {
  for (Participant& p : network_.participants) p.fast.assumes_later = false;
  for (const int i : order_) {
    Participant& p = network_.participants[i];
    if (p.t == end) network_.guarded(i, [&] { p.assume_later(); });
  }
}

void JointStep::step(int participant) {
  Participant& p = network_.participants[participant];
  if (p.history.room() < 16) network_.make_room(participant, 64);
  const bool timed = p.stopwatch.due();
  if (timed) p.stopwatch.begin();
  network_.guarded(participant, [&] { StepBatch::run(p, {Polynomial::infinity, Polynomial::infinity, 1}); });
  if (timed) p.stopwatch.end(1);
  p.history.commit();
}

}  // namespace counterpoint::fast
