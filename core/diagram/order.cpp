// The order of execution: nodes sorted by feedthrough per pair of ports, so that superblocks and blocks with several
// outputs never make a loop that is not there. Strongly connected parts by Tarjan (1972), without recursion: chains
// of ten thousand blocks are common.

#include "diagram/order.hpp"

#include <algorithm>

namespace counterpoint::diagram {
namespace {

std::vector<bool> inputs_behind(const Block& block, int output) {
  std::vector<bool> needed(block.inputs());
  for (int i = 0; i < block.inputs(); ++i) needed[i] = block.feedthrough(i, output);
  return needed;
}

/// Outputs that depend on the same inputs become one node.
void add_nodes(Graph& graph, int b, const Block& block) {
  std::vector<int>& places = graph.node_of_port[b];
  places.assign(block.outputs(), -1);
  std::vector<std::pair<std::vector<bool>, int>> known;
  for (int j = 0; j < block.outputs(); ++j) {
    if (block.output_is_state(j)) continue;
    const std::vector<bool> needed = inputs_behind(block, j);
    const auto same = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == needed; });
    if (same != known.end()) {
      places[j] = same->second;
      continue;
    }
    places[j] = static_cast<int>(graph.nodes.size());
    known.emplace_back(needed, places[j]);
    graph.nodes.push_back({b, j});
  }
  if (dynamic_cast<const Gate*>(&block)) graph.nodes.push_back({b, -1});
}

/// Tarjan's search with its stack made explicit.
class Search {
 public:
  explicit Search(const Graph& graph)
      : graph_(graph), index_(graph.nodes.size(), -1), low_(graph.nodes.size()), open_(graph.nodes.size(), false) {}

  std::vector<std::vector<int>> run() {
    for (std::size_t n = 0; n < index_.size(); ++n) {
      if (index_[n] < 0) visit(static_cast<int>(n));
    }
    return std::move(groups_);
  }

 private:
  struct Frame {
    int node;
    std::size_t next;
  };

  void enter(int node) {
    index_[node] = low_[node] = counter_++;
    open_[node] = true;
    pending_.push_back(node);
    frames_.push_back({node, 0});
  }

  void visit(int root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::vector<int>& needs = graph_.needs[frame.node];
      if (frame.next < needs.size()) {
        const int other = needs[frame.next++];
        if (index_[other] < 0)
          enter(other);
        else if (open_[other])
          low_[frame.node] = std::min(low_[frame.node], index_[other]);
        continue;
      }
      leave(frame.node);
    }
  }

  void leave(int node) {
    frames_.pop_back();
    if (!frames_.empty()) low_[frames_.back().node] = std::min(low_[frames_.back().node], low_[node]);
    if (low_[node] != index_[node]) return;
    std::vector<int> group;
    int member = -1;
    while (member != node) {
      member = pending_.back();
      pending_.pop_back();
      open_[member] = false;
      group.push_back(member);
    }
    std::sort(group.begin(), group.end());
    groups_.push_back(std::move(group));
  }

  const Graph& graph_;
  std::vector<int> index_, low_;
  std::vector<bool> open_;
  std::vector<int> pending_;
  std::vector<Frame> frames_;
  std::vector<std::vector<int>> groups_;
  int counter_ = 0;
};

/// Nodes of a group along one way around it, each needing the one before.
std::vector<int> way_around(const Graph& graph, const std::vector<int>& group) {
  std::vector<int> way{group.front()};
  while (true) {
    const std::vector<int>& needs = graph.needs[way.back()];
    const auto next = std::find_if(needs.begin(), needs.end(),
                                   [&](int n) { return std::binary_search(group.begin(), group.end(), n); });
    const auto seen = std::find(way.begin(), way.end(), *next);
    if (seen == way.end()) {
      way.push_back(*next);
      continue;
    }
    way.erase(way.begin(), seen);
    std::reverse(way.begin(), way.end());
    return way;
  }
}

/// Nodes that come before node `n` if that closes no loop.
std::vector<int> preferred(const FlatDiagram& diagram, const Graph& graph, int n) {
  const Node& node = graph.nodes[n];
  const FlatBlock& entry = diagram.blocks[node.block];
  std::vector<int> before;
  for (int i = 0; node.port >= 0 && i < entry.block->inputs(); ++i) {
    const Source& source = entry.inputs[i];
    const bool counts = source.block >= 0 && !entry.block->feedthrough(i, node.port);
    if (!counts || !entry.block->prefers_after(i, node.port)) continue;
    const int other = graph.node_of_port[source.block][source.port];
    if (other >= 0) before.push_back(other);
  }
  return before;
}

bool contains(const std::vector<int>& sorted, int n) { return std::binary_search(sorted.begin(), sorted.end(), n); }

/// The graph with these needs besides its own.
Graph joined(const Graph& graph, const std::vector<std::vector<int>>& preferences) {
  Graph all = graph;
  for (std::size_t n = 0; n < preferences.size(); ++n) {
    all.needs[n].insert(all.needs[n].end(), preferences[n].begin(), preferences[n].end());
  }
  return all;
}

/// Drop the preferences that lie within a loop; returns whether there were any.
bool give_up_loops(const FlatDiagram& diagram, const Graph& graph, std::vector<std::vector<int>>& preferences) {
  bool any = false;
  for (const std::vector<int>& group : sort_nodes(joined(graph, preferences))) {
    for (int n : group) {
      const bool given_up = std::erase_if(preferences[n], [&](int other) { return contains(group, other); }) > 0;
      if (given_up) diagram.blocks[graph.nodes[n].block].block->order_given_up();
      any = any || given_up;
    }
  }
  return any;
}

}  // namespace

Graph ordered_graph(const FlatDiagram& diagram) {
  const Graph graph = make_graph(diagram);
  std::vector<std::vector<int>> preferences;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    preferences.push_back(preferred(diagram, graph, static_cast<int>(n)));
  }
  if (std::all_of(preferences.begin(), preferences.end(), [](const auto& of_node) { return of_node.empty(); }))
    return graph;
  while (give_up_loops(diagram, graph, preferences)) {
  }
  return joined(graph, preferences);
}

Graph make_graph(const FlatDiagram& diagram) {
  Graph graph;
  const int count = static_cast<int>(diagram.blocks.size());
  graph.node_of_port.resize(count);
  std::vector<int> first(count + 1);
  for (int b = 0; b < count; ++b) {
    first[b] = static_cast<int>(graph.nodes.size());
    add_nodes(graph, b, *diagram.blocks[b].block);
  }
  first[count] = static_cast<int>(graph.nodes.size());
  graph.needs.resize(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const FlatBlock& entry = diagram.blocks[node.block];
    for (int i = 0; i < entry.block->inputs(); ++i) {
      const Source& source = entry.inputs[i];
      if (source.block < 0 || (node.port >= 0 && !entry.block->feedthrough(i, node.port))) continue;
      const int other = graph.node_of_port[source.block][source.port];
      if (other >= 0) graph.needs[n].push_back(other);
    }
    // The node that asks a gate is the last of the gate's block.
    if (entry.gate >= 0) graph.needs[n].push_back(first[entry.gate + 1] - 1);
  }
  return graph;
}

std::vector<std::vector<int>> sort_nodes(const Graph& graph) { return Search(graph).run(); }

bool is_loop(const Graph& graph, const std::vector<int>& group) {
  if (group.size() > 1) return true;
  const std::vector<int>& needs = graph.needs[group.front()];
  return std::find(needs.begin(), needs.end(), group.front()) != needs.end();
}

void report_loop(const FlatDiagram& diagram, const Graph& graph, const std::vector<int>& group) {
  const std::vector<int> way = way_around(graph, group);
  std::vector<int> blocks;
  std::string text = "algebraic loop: ";
  for (int n : way) {
    const FlatBlock& entry = diagram.blocks[graph.nodes[n].block];
    blocks.push_back(graph.nodes[n].block);
    text += entry.name + " -> ";
  }
  const std::string& first = diagram.blocks[blocks.front()].name;
  const std::string& last = diagram.blocks[blocks.back()].name;
  text += first +
          "; each needs the one before it at the same time. Solve the loop (algebraic_loops = \"solve\"), "
          "or put a memory block between " +
          last + " and " + first;
  for (int b : blocks) {
    const std::string remedy = diagram.blocks[b].block->loop_remedy();
    if (!remedy.empty()) text += ", or at " + diagram.blocks[b].name + ": " + remedy;
  }
  throw AlgebraicLoop(text, std::move(blocks));
}

std::vector<bool> reaches_outputs(const FlatDiagram& diagram, const Graph& graph, int block) {
  std::vector<std::vector<int>> feeds(graph.nodes.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (int other : graph.needs[n]) feeds[other].push_back(static_cast<int>(n));
  }
  std::vector<bool> reached(graph.nodes.size());
  std::vector<int> open;
  for (int n : graph.node_of_port[block]) {
    if (n >= 0) open.push_back(n);
  }
  while (!open.empty()) {
    const int n = open.back();
    open.pop_back();
    if (reached[n]) continue;
    reached[n] = true;
    open.insert(open.end(), feeds[n].begin(), feeds[n].end());
  }
  std::vector<bool> answer;
  for (const Outlet& outlet : diagram.outputs) {
    const int n = graph.node_of_port[outlet.source.block][outlet.source.port];
    answer.push_back(n >= 0 && reached[n]);
  }
  return answer;
}

bool follows_time(const FlatDiagram& diagram) {
  const Graph graph = make_graph(diagram);
  std::vector<int> open;
  for (const Outlet& outlet : diagram.outputs)
    open.push_back(graph.node_of_port[outlet.source.block][outlet.source.port]);
  std::vector<bool> seen(graph.nodes.size());
  while (!open.empty()) {
    const int n = open.back();
    open.pop_back();
    if (n < 0 || seen[n]) continue;  // a state moves as smoothly as the solver knows
    seen[n] = true;
    const Block& block = *diagram.blocks[graph.nodes[n].block].block;
    if (block.bends_with_time()) return true;
    if (block.sample_time().period > 0.0 || block.holds_between_events()) continue;
    open.insert(open.end(), graph.needs[n].begin(), graph.needs[n].end());
  }
  return false;
}

}  // namespace counterpoint::diagram
