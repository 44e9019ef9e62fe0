#pragma once

#include <string>
#include <vector>

#include "diagram/parameters.hpp"

namespace counterpoint::diagram {

/// Where a signal comes from.
struct Source {
  int block = -1;  ///< -1: nothing is connected
  int port = 0;
};

/// One block of a diagram without superblocks.
struct FlatBlock {
  std::string name;  ///< with the names of the superblocks it was in: "engine/manifold/pressure"
  BlockPointer block;
  std::vector<Source> inputs;  ///< one per input port
  int gate = -1;               ///< the gate block whose superblock this block is in; -1: none
};

struct Outlet {
  std::string name;
  Source source;
};

/// A diagram without superblocks: what Python hands over and what is executed.
struct FlatDiagram {
  std::vector<FlatBlock> blocks;
  std::vector<Outlet> outputs;
};

/// Something is wrong with a diagram; the blocks concerned, for the one who knows more about them to explain.
class DiagramError : public std::invalid_argument {
 public:
  DiagramError(const std::string& text, std::vector<int> concerned)
      : std::invalid_argument(text), blocks(std::move(concerned)) {}
  std::vector<int> blocks;
};

/// Output ports that feed back on themselves without a state between them.
class AlgebraicLoop : public DiagramError {
 public:
  using DiagramError::DiagramError;
};

/// Find the widths of all ports: shapes[b] for block b. Throws DiagramError with both ends of what does not fit.
std::vector<Shape> find_shapes(const FlatDiagram& diagram);

}  // namespace counterpoint::diagram
