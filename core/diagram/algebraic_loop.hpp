#pragma once

#include <memory>
#include <vector>

#include "diagram/order.hpp"

namespace counterpoint::diagram {

/// What to do with algebraic loops.
struct LoopOptions {
  bool solves = false;
  double tolerance = 1e-10;  ///< of the signals, relative to their size
  int iterations = 50;
};

/// One block of a loop, where it is called and what it writes.
struct LoopMember {
  Block* block;
  int port;
  std::vector<double*> values;  ///< the scalars that this call writes
  bool is_torn = false;         ///< its outputs are the unknowns of the loop
};

/// A loop as one block: called once, it makes all its members agree.
std::unique_ptr<Block> make_algebraic_loop(std::vector<LoopMember> members, const LoopOptions& options);

}  // namespace counterpoint::diagram
