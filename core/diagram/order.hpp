#pragma once

#include <vector>

#include "diagram/flat_diagram.hpp"

namespace counterpoint::diagram {

/// One call of `Block::output`: the outputs of a block that depend on the same inputs, or a gate being asked.
struct Node {
  int block = -1;
  int port = 0;  ///< the first of these outputs
};

/// What nodes need from each other in the same instant.
struct Graph {
  std::vector<Node> nodes;
  std::vector<std::vector<int>> needs;         ///< nodes that must come before
  std::vector<std::vector<int>> node_of_port;  ///< block, output port -> node; -1 for outputs that are states
};

Graph make_graph(const FlatDiagram& diagram);
/// The same with the order that blocks prefer, as far as it closes no loop (`Block::prefers_after`).
Graph ordered_graph(const FlatDiagram& diagram);

/// Groups of nodes in the order of execution; a group of more than one node, or one that needs itself, is an
/// algebraic loop.
std::vector<std::vector<int>> sort_nodes(const Graph& graph);
bool is_loop(const Graph& graph, const std::vector<int>& group);

/// Throw AlgebraicLoop: names the way around and proposes where a memory block goes.
[[noreturn]] void report_loop(const FlatDiagram& diagram, const Graph& graph, const std::vector<int>& group);

/// For each output of the diagram, whether it depends on the block in the same instant.
std::vector<bool> reaches_outputs(const FlatDiagram& diagram, const Graph& graph, int block);

/// Whether an output of the diagram depends in the same instant on a function of time, and not by samples or events.
bool follows_time(const FlatDiagram& diagram);

}  // namespace counterpoint::diagram
