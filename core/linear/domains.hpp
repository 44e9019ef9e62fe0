#pragma once

#include <vector>

namespace counterpoint::linear {

/// Parts of a tree of elimination that know nothing of each other: what lies above them, the top, comes last.
struct Domains {
  int count = 1;        ///< 1: the tree stays whole, and all of it is the top
  std::vector<int> of;  ///< of each node: its domain, or `count` for the top
};

/// Splits a tree into eight, four or two domains of about the same work with a small top, as many as there can be.
/// Children come before their parents; the parent of a root is -1. The result depends on the tree alone.
Domains find_domains(const std::vector<int>& parent, const std::vector<double>& work);

}  // namespace counterpoint::linear
