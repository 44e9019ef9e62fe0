#include "coupling/precedence_rule.hpp"

#include <algorithm>
#include <utility>

#include "check.hpp"
#include "coupling/fast/round.hpp"

namespace counterpoint {

PrecedenceRule::PrecedenceRule(Network& network, const RunSpec& spec)
    : network_(network),
      candidates_(spec.participants.size()),
      patience_(64 + 4 * static_cast<long>(spec.participants.size())) {
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    Candidate& c = candidates_[i];
    c.index = static_cast<int>(i);
    c.participant = &network_.participants[i];
    c.outgoing = &network_.outgoing(c.index);
    c.fed = dynamic_cast<FedSubsystem*>(c.participant->subsystem.get());
  }
  for (Candidate& consumer : candidates_) {
    for (Connection& c : consumer.participant->inputs->connections()) {
      consumer.incoming.push_back({&c, &network_.participants[c.source]});
      candidates_[c.source].neighbours.push_back(&consumer);
      consumer.neighbours.push_back(&candidates_[c.source]);
    }
  }
  for (Candidate& c : candidates_) {
    std::vector<Candidate*>& list = c.neighbours;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

void PrecedenceRule::look_again() {
  ready_.clear();
  aside_.clear();
  without_sample_.clear();
  for (Candidate& c : candidates_) {
    c.ready = false;
    if (c.round == nullptr) update_limits(c);  // those that step together hold up only each other
    if (c.round != nullptr ? c.represented : !may_step(c)) continue;
    c.ready = true;
    ready_.push_back(c.index);
    if (ready_.size() == 2 ? later(ready_[0], ready_[1]) : ready_.size() > 2) sift_last_in();
  }
}

void PrecedenceRule::aim_at(double target) {
  target_ = target - network_.tolerance;
  behind_ = 0;
  for (Candidate& c : candidates_) {
    c.reached = reached(*c.participant);
    behind_ += c.reached ? 0 : 1;
  }
}

void PrecedenceRule::wake_resting() {
  if (aside_.empty()) return;
  for (int i : std::exchange(aside_, {})) offer(candidates_[i]);
}

bool PrecedenceRule::unblocks_none(const Candidate& c) {
  return c.round != nullptr ? c.round->is_whole() : c.outgoing->empty();
}

// Apart from their callers, whose usual way is short: two that take turns need no heap.
[[gnu::noinline]] void PrecedenceRule::sift_last_in() {
  std::push_heap(ready_.begin(), ready_.end(), [this](int a, int b) { return later(a, b); });
}

[[gnu::noinline]] void PrecedenceRule::sift_earliest_out() {
  std::pop_heap(ready_.begin(), ready_.end(), [this](int a, int b) { return later(a, b); });
}

[[gnu::noinline]] void PrecedenceRule::set_aside(int i) { aside_.push_back(i); }

[[gnu::noinline]] int PrecedenceRule::await_samples() {
  while (!without_sample_.empty()) {
    const int first = without_sample_.front();
    network_.guarded(first, [&] { candidates_[first].fed->await_sample(); });
    for (int i : std::exchange(without_sample_, {})) {
      candidates_[i].ready = false;
      offer(candidates_[i]);
    }
    const int found = take_first();
    if (found >= 0) return found;
  }
  internal_error("the precedence rule found no participant that may step");
}

bool PrecedenceRule::blocks(int i, const Connection& c) const {
  const Participant& p = network_.participants[i];
  const Participant& source = network_.participants[c.source];
  if (c.reads_earlier) return false;
  if (c.waits) return !source.finished() && (c.sees_window() || p.t_next > source.t + network_.tolerance);
  return p.t >= publishes_after(c, source);
}

bool PrecedenceRule::is_blocked(int i) const {
  const Participant& p = network_.participants[i];
  const std::vector<Connection>& all = p.inputs->connections();
  return !p.finished() && std::any_of(all.begin(), all.end(), [&](const Connection& c) { return blocks(i, c); });
}

bool PrecedenceRule::is_blocked_by_extrapolation_only(int i) const {
  const std::vector<Connection>& all = network_.participants[i].inputs->connections();
  return is_blocked(i) &&
         std::none_of(all.begin(), all.end(), [&](const Connection& c) { return c.waits && blocks(i, c); });
}

/// Those that block i, those that block them, and so on; cut short at the first that is not blocked.
std::vector<int> PrecedenceRule::blocked_through(int i) const {
  std::vector<int> group{i};
  for (std::size_t k = 0; k < group.size(); ++k) {
    if (!is_blocked(group[k])) return {};
    for (const Connection& c : network_.participants[group[k]].inputs->connections()) {
      const bool known = std::find(group.begin(), group.end(), c.source) != group.end();
      if (!known && blocks(group[k], c)) group.push_back(c.source);
    }
  }
  return group;
}

[[gnu::noinline]] int PrecedenceRule::exempt_by_the_second_rule() const {
  for (int i = 0; i < static_cast<int>(network_.participants.size()); ++i) {
    if (!is_blocked_by_extrapolation_only(i)) continue;
    const std::vector<int> group = blocked_through(i);
    const bool first = !group.empty() && std::all_of(group.begin(), group.end(), [&](int other) {
      const std::vector<int> back = blocked_through(other);
      const bool returns = std::find(back.begin(), back.end(), i) != back.end();
      return returns && (other == i || !is_blocked_by_extrapolation_only(other) || later(other, i));
    });
    if (first) return i;
  }
  return -1;
}

}  // namespace counterpoint
