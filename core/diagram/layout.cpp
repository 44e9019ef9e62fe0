// How a flat diagram becomes an execution: memory, guards, the lists of calls. Made once.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "diagram/execution.hpp"

namespace counterpoint::diagram {

Execution::Execution(FlatDiagram diagram, const LoopOptions& loops, bool locates)
    : diagram_(std::move(diagram)), locates_(locates) {
  check_connections();
  shapes_ = find_shapes(diagram_);
  lay_out_memory();
  make_guards();
  graph_ = ordered_graph(diagram_);
  make_tape(make_steps(loops));
  collect_blocks();
}

void Execution::check_connections() const {
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    const FlatBlock& entry = diagram_.blocks[b];
    for (int i = 0; i < entry.block->inputs(); ++i) {
      if (entry.inputs[i].block >= 0) continue;
      throw DiagramError(entry.name + ": nothing is connected to input \"" + entry.block->input_names()[i] + "\"",
                         {static_cast<int>(b)});
    }
  }
}

void Execution::lay_out_memory() {
  int values = 0, states = 0, memory = 0;
  std::vector<int> first_value, first_memory;
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    const Block& block = *diagram_.blocks[b].block;
    first_value.push_back(values);
    state_offset_.push_back(states);
    first_memory.push_back(memory);
    for (int j = 0; j < block.outputs(); ++j) values += block.output_is_state(j) ? 0 : shapes_[b].outputs[j];
    Block::Memory shape_only;  // states and memory may depend on widths, so these come first
    shape_only.in_width = shapes_[b].inputs;
    shape_only.out_width = shapes_[b].outputs;
    diagram_.blocks[b].block->bind(shape_only);
    states += block.states();
    memory += block.memory();
  }
  values_.resize(values);
  x_.resize(states);
  dx_.resize(states);
  z_.resize(memory);
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    const Block& block = *diagram_.blocks[b].block;
    int next = first_value[b];
    port_values_.emplace_back();
    for (int j = 0; j < block.outputs(); ++j) {
      const bool is_state = block.output_is_state(j);
      port_values_[b].push_back(is_state ? x_.data() + state_offset_[b] : values_.data() + next);
      next += is_state ? 0 : shapes_[b].outputs[j];
    }
  }
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    Block::Memory bound;
    for (const Source& source : diagram_.blocks[b].inputs) bound.in.push_back(port_values_[source.block][source.port]);
    bound.out = port_values_[b];
    bound.in_width = shapes_[b].inputs;
    bound.out_width = shapes_[b].outputs;
    bound.x = x_.data() + state_offset_[b];
    bound.dx = dx_.data() + state_offset_[b];
    bound.z = z_.data() + first_memory[b];
    diagram_.blocks[b].block->bind(std::move(bound));
  }
  for (const Outlet& outlet : diagram_.outputs) {
    for (int k = 0; k < shapes_[outlet.source.block].outputs[outlet.source.port]; ++k) {
      outlets_.push_back(port_values_[outlet.source.block][outlet.source.port] + k);
    }
  }
}

void Execution::make_guards() {
  const int count = static_cast<int>(diagram_.blocks.size());
  std::vector<int> guard_of_gate(count, -1);
  // A gate's block comes before the blocks inside it: parents have their guards first.
  for (int b = 0; b < count; ++b) {
    const FlatBlock& entry = diagram_.blocks[b];
    const int around = entry.gate < 0 ? -1 : guard_of_gate[entry.gate];
    guard_of_block_.push_back(guard_for(entry.block->sample_time(), around));
    if (Gate* gate = dynamic_cast<Gate*>(entry.block.get())) {
      guards_.push_back({static_cast<int>(gates_.size()), -1, around});
      guard_of_gate[b] = static_cast<int>(guards_.size()) - 1;
      gates_.push_back(gate);
      gate_block_.push_back(b);
    }
  }
  open_.resize(guards_.size());
  due_.resize(sample_times_.rates());
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    if (!runs_between(static_cast<int>(g))) instant_guards_.push_back(static_cast<int>(g));
  }
  for (int b = 0; b < count; ++b) {
    if (diagram_.blocks[b].block->sample_time().is_required && runs_between(guard_of_block_[b])) {
      throw DiagramError(diagram_.blocks[b].name +
                             ": \"sample_time\" is missing; it may be left out only in a triggered "
                             "superblock, where the block runs at each trigger",
                         {b});
    }
    if (diagram_.blocks[b].block->states() > 0 && !runs_between(guard_of_block_[b])) {
      throw DiagramError(diagram_.blocks[b].name +
                             ": has continuous states, which are not possible in a triggered superblock; "
                             "use a discrete integrator or an enabled superblock",
                         {b});
    }
  }
}

int Execution::guard_for(const SampleTime& rate, int gate_guard) {
  if (rate.period == 0.0) return gate_guard;
  const int number = sample_times_.add(rate);
  if (rate.runs_between) return gate_guard;
  for (std::size_t g = 0; g < guards_.size(); ++g) {
    if (guards_[g].rate == number && guards_[g].parent == gate_guard) return static_cast<int>(g);
  }
  guards_.push_back({-1, number, gate_guard});
  return static_cast<int>(guards_.size()) - 1;
}

bool Execution::runs_between(int guard) const {
  for (; guard >= 0; guard = guards_[guard].parent) {
    if (guards_[guard].rate >= 0 || !gates_[guards_[guard].gate]->stays_open()) return false;
  }
  return true;
}

std::vector<char> Execution::make_steps(const LoopOptions& loops) {
  std::vector<char> held(graph_.nodes.size()), stale(graph_.nodes.size());
  // Rates inside gates are opened by a step of their own, right before the first that needs them.
  std::vector<char> opened(guards_.size());
  for (const std::vector<int>& group : sort_nodes(graph_)) {
    const int guard = guard_of_block_[graph_.nodes[group.front()].block];
    if (guard >= 0 && guards_[guard].rate >= 0 && guards_[guard].parent >= 0 && !opened[guard]) {
      opened[guard] = 1;
      major_.push_back({nullptr, 0, guards_[guard].parent, guard});
    }
    if (!is_loop(graph_, group))
      add_step(group.front(), held, stale);
    else if (loops.solves)
      add_loop(group, loops, held, stale);
    else
      report_loop(diagram_, graph_, group);
  }
  return held;
}

bool Execution::is_held(int node, const std::vector<char>& held) const {
  const Node& one = graph_.nodes[node];
  if (!runs_between(guard_of_block_[one.block])) return true;
  const FlatBlock& entry = diagram_.blocks[one.block];
  if (guard_of_block_[one.block] >= 0) return false;
  if (locates_ && entry.block->holds_between_events()) return true;
  if (!entry.block->is_pure()) return false;
  for (int i = 0; i < entry.block->inputs(); ++i) {
    const int source = graph_.node_of_port[entry.inputs[i].block][entry.inputs[i].port];
    if (source < 0 || !held[source]) return false;
  }
  return true;
}

/// Whether a node may give something else at the start of a step than at the end of the last.
bool Execution::is_stale(int node, const std::vector<char>& stale) const {
  const Node& one = graph_.nodes[node];
  const Block& block = *diagram_.blocks[one.block].block;
  if (block.notices().remembers || block.is_inlet()) return true;
  return std::any_of(graph_.needs[node].begin(), graph_.needs[node].end(), [&](int n) { return stale[n] != 0; });
}

void Execution::add_step(int node, std::vector<char>& held, std::vector<char>& stale) {
  const Node& one = graph_.nodes[node];
  Step step{diagram_.blocks[one.block].block.get(), one.port, guard_of_block_[one.block]};
  if (one.port < 0) {
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      if (guards_[g].gate >= 0 && gate_block_[guards_[g].gate] == one.block) step.asks = static_cast<int>(g);
    }
  }
  held[node] = is_held(node, held) && step.asks < 0;
  stale[node] = is_stale(node, stale);
  major_.push_back(step);
  if (!held[node] && step.asks < 0) minor_.push_back(step);
  has_stale_gates_ = has_stale_gates_ || (stale[node] && step.asks >= 0);
  if (stale[node] && runs_between(step.guard)) stale_.push_back(step);
}

/// A torn member is one that an earlier one in the order needs.
void Execution::add_loop(const std::vector<int>& group, const LoopOptions& loops, std::vector<char>& held,
                         std::vector<char>& stale) {
  std::vector<LoopMember> members;
  std::vector<int> torn;
  const int guard = guard_of_block_[graph_.nodes[group.front()].block];
  for (std::size_t k = 0; k < group.size(); ++k) {
    const Node& one = graph_.nodes[group[k]];
    if (guard_of_block_[one.block] != guard || one.port < 0) report_loop(diagram_, graph_, group);
    LoopMember member{diagram_.blocks[one.block].block.get(), one.port, {}};
    for (std::size_t j = 0; j < graph_.node_of_port[one.block].size(); ++j) {
      if (graph_.node_of_port[one.block][j] != group[k]) continue;
      for (int i = 0; i < shapes_[one.block].outputs[j]; ++i) member.values.push_back(port_values_[one.block][j] + i);
    }
    for (int need : graph_.needs[group[k]]) {
      const auto place = std::lower_bound(group.begin(), group.end(), need);
      if (place != group.end() && *place == need && place >= group.begin() + static_cast<long>(k)) {
        torn.push_back(static_cast<int>(place - group.begin()));
      }
    }
    stale[group[k]] = std::any_of(group.begin(), group.end(), [&](int n) { return is_stale(n, stale); });
    members.push_back(std::move(member));
  }
  for (int place : torn) members[place].is_torn = true;
  loops_.push_back(make_algebraic_loop(std::move(members), loops));
  const Step step{loops_.back().get(), 0, guard};
  major_.push_back(step);
  const bool runs = runs_between(guard);
  for (int node : group) held[node] = !runs;
  if (runs) minor_.push_back(step);
  if (runs && stale[group.front()]) stale_.push_back(step);
}

/// Neighbours in the order of execution that are plain arithmetic become one list of instructions, executed without
/// a call per block.
void Execution::make_tape(const std::vector<char>& held) {
  std::set<const double*> resting = held_signals(held);
  std::vector<Step> steps;
  for (Step step : minor_) {
    step.code_begin = static_cast<int>(tape_.size());
    const bool is_code = step.asks < 0 && step.block->instructions(tape_);
    if (is_code) drop_resting(step, resting);
    step.code_end = static_cast<int>(tape_.size());
    if (is_code && step.code_end == step.code_begin) continue;
    if (is_code && !steps.empty() && steps.back().guard == step.guard && steps.back().code_end == step.code_begin &&
        steps.back().code_end > steps.back().code_begin) {
      steps.back().code_end = step.code_end;
    } else {
      steps.push_back(step);
    }
  }
  minor_ = std::move(steps);
}

/// Signals that stay as they are between accepted times.
std::set<const double*> Execution::held_signals(const std::vector<char>& held) const {
  std::set<const double*> signals;
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    for (std::size_t j = 0; j < port_values_[b].size(); ++j) {
      const int node = graph_.node_of_port[b][j];
      if (node < 0 || !held[node]) continue;
      for (int k = 0; k < shapes_[b].outputs[j]; ++k) signals.insert(port_values_[b][j] + k);
    }
  }
  return signals;
}

/// Removes from a step's code, the end of the tape, what has nothing to do between accepted times: jumps are held when
/// events are located, and what reads resting values and constants only has been computed at the last accepted time.
void Execution::drop_resting(const Step& step, std::set<const double*>& resting) {
  const auto begin = tape_.begin() + step.code_begin;
  std::map<const double*, int> writers;
  std::for_each(begin, tape_.end(), [&](const Instruction& one) { ++writers[one.to]; });
  const auto moves = [&](const double* operand) {
    return operand && is_variable(operand) && resting.count(operand) == 0;
  };
  const auto rests = [&](const Instruction& one) {
    if (locates_ && jumps(one.operation)) return true;
    return step.guard < 0 && writers[one.to] == 1 && !moves(one.a) && !moves(one.b) && !moves(one.c);
  };
  auto kept = begin;
  for (auto one = begin; one != tape_.end(); ++one) {
    if (rests(*one))
      resting.insert(one->to);
    else
      *kept++ = *one;
  }
  tape_.erase(kept, tape_.end());
}

/// A signal, a state or a block's memory, and not a constant of a block.
bool Execution::is_variable(const double* place) const {
  const auto holds = [&](const std::vector<double>& values) {
    return !std::less<>{}(place, values.data()) && std::less<>{}(place, values.data() + values.size());
  };
  return holds(values_) || holds(x_) || holds(dx_) || holds(z_);
}

void Execution::collect_blocks() {
  for (std::size_t b = 0; b < diagram_.blocks.size(); ++b) {
    Block* block = diagram_.blocks[b].block.get();
    const int guard = guard_of_block_[b];
    if (block->states() > 0 && block->derivative_is_input()) {
      const Source& source = diagram_.blocks[b].inputs.front();
      const double* value = port_values_[source.block][source.port];
      if (guard >= 0) gathered_.push_back({state_offset_[b], guard, value, block->states()});
      for (int i = 0; guard < 0 && i < block->states(); ++i) copied_.push_back({state_offset_[b] + i, value + i});
    } else if (block->states() > 0) {
      deriving_.push_back({block, guard});
      derived_.push_back({state_offset_[b], guard, block->states()});
    }
    if (block->updates()) updating_.push_back({block, guard});
    const Notices notices = block->notices();
    if (notices.arrival) arriving_.push_back({block, guard});
    if (notices.passage) passing_.push_back({block, guard});
    if (notices.remembers || notices.rejected) remembering_.push_back({block, guard});
    if (block->crossings() > 0) {
      crossing_.push_back({block, guard});
      crossing_block_.insert(crossing_block_.end(), block->crossings(), static_cast<int>(b));
      crossings_ += block->crossings();
    }
    if (const double first = block->next_event(-infinity); first < infinity) {
      timed_.push_back(block);
      if (block->inputs() == 0 && first > -infinity) sources_.push_back(block);  // state machines know no first one
    }
    if (block->run_end()) ending_.push_back(static_cast<int>(b));
    needs_major_ = needs_major_ || notices.every_end;
  }
  changed_.resize(updating_.size());
}

}  // namespace counterpoint::diagram
