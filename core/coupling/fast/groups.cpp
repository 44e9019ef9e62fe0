#include "coupling/fast/groups.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "coupling/fed.hpp"

namespace counterpoint::fast {

namespace {

/// For each participant the smallest number among all that it is connected with, directly or through others.
std::vector<int> representatives(const RunSpec& spec) {
  std::vector<int> first(spec.participants.size());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int>(i);
  const auto find = [&](int i) {
    while (first[i] != i) i = first[i] = first[first[i]];
    return i;
  };
  const auto join = [&](int one, int other) {
    const int a = find(one);
    const int b = find(other);
    first[std::max(a, b)] = std::min(a, b);
  };
  for (const ConnectionSpec& c : spec.connections) join(c.source, c.target);
  for (const InputEventSpec& event : spec.input_events) {
    if (event.condition < 0) continue;
    for (const auto& output : spec.conditions[event.condition].outputs) join(output.participant, event.participant);
  }
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = find(static_cast<int>(i));
  return first;
}

/// Whether another program makes its steps, which come when they come.
bool is_fed(const ParticipantSpec& p) { return dynamic_cast<const FedSubsystem*>(p.subsystem.get()) != nullptr; }

/// Whether two participants take the same steps, come what may.
bool are_in_step(const ParticipantSpec& a, const ParticipantSpec& b) {
  return !a.pace && !b.pace && a.step > 0.0 && a.step == b.step && a.may_overrun == b.may_overrun &&
         !a.subsystem->stops_early() && !b.subsystem->stops_early() && !is_fed(a) && !is_fed(b);
}

/// Those that are waited for first, else by rank. The waits-for relation has no cycle.
std::vector<int> sorted(const RunSpec& spec, const std::vector<int>& group, const std::vector<int>& first) {
  std::vector<int> missing(spec.participants.size(), 0);
  std::vector<std::vector<int>> waiting(spec.participants.size());
  std::priority_queue<int, std::vector<int>, std::greater<>> free;
  for (int i : group) {
    for (int other : spec.participants[i].waits_for) {
      if (first[other] != group.front()) continue;
      waiting[other].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0) free.push(i);
  }
  std::vector<int> order;
  while (!free.empty()) {
    order.push_back(free.top());
    free.pop();
    for (int i : waiting[order.back()]) {
      if (--missing[i] == 0) free.push(i);
    }
  }
  return order;
}

}  // namespace

std::vector<std::vector<int>> groups_in_step(const RunSpec& spec) {
  const std::vector<int> first = representatives(spec);
  std::vector<std::vector<int>> members(spec.participants.size());
  for (std::size_t i = 0; i < first.size(); ++i) members[first[i]].push_back(static_cast<int>(i));
  std::vector<std::vector<int>> groups;
  for (const std::vector<int>& group : members) {
    const bool equal = group.size() > 1 && std::all_of(group.begin(), group.end(), [&](int i) {
                         return are_in_step(spec.participants[group.front()], spec.participants[i]);
                       });
    if (equal) groups.push_back(sorted(spec, group, first));
  }
  return groups;
}

}  // namespace counterpoint::fast
