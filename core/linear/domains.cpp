// Subtrees are taken from the top downwards, the largest first, until none is larger than a domain should be, and then
// put together (the largest first, into the domain that has the least).

#include "linear/domains.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace counterpoint::linear {
namespace {

constexpr double largest_top = 0.25;    ///< of all work: nothing else runs meanwhile
constexpr double worst_balance = 1.25;  ///< the largest domain over the mean

using Subtree = std::pair<double, int>;  // work, root: the heap is the same for the same tree

class Splitting {
 public:
  Splitting(const std::vector<int>& parent, const std::vector<double>& work) : parent_(parent), work_(work) {
    const int nodes = static_cast<int>(parent.size());
    below_ = work;
    children_.resize(parent.size());
    for (int node = 0; node < nodes; ++node) {
      total_ += work[node];
      if (parent[node] < 0) continue;
      below_[parent[node]] += below_[node];
      children_[parent[node]].push_back(node);
    }
  }

  Domains into(int count) const {
    std::priority_queue<Subtree> subtrees;
    for (std::size_t node = 0; node < parent_.size(); ++node) {
      if (parent_[node] < 0) subtrees.emplace(below_[node], static_cast<int>(node));
    }
    double top = 0.0;
    while (!subtrees.empty() && subtrees.top().first > total_ / count) {
      const int root = subtrees.top().second;
      subtrees.pop();
      top += work_[root];
      if (top > largest_top * total_) return {};
      for (const int child : children_[root]) subtrees.emplace(below_[child], child);
    }
    return put_together(subtrees, count);
  }

 private:
  Domains put_together(std::priority_queue<Subtree>& subtrees, int count) const {
    std::vector<double> sums(static_cast<std::size_t>(count), 0.0);
    Domains domains{count, std::vector<int>(parent_.size(), count)};
    for (; !subtrees.empty(); subtrees.pop()) {
      const auto least = std::ranges::min_element(sums);
      *least += subtrees.top().first;
      domains.of[subtrees.top().second] = static_cast<int>(least - sums.begin());
    }
    const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / count;
    if (*std::ranges::max_element(sums) > worst_balance * mean) return {};
    for (std::size_t node = parent_.size(); node-- > 0;) {
      const bool is_inside = parent_[node] >= 0 && domains.of[parent_[node]] != count;
      if (is_inside) domains.of[node] = domains.of[parent_[node]];
    }
    return domains;
  }

  const std::vector<int>& parent_;
  const std::vector<double>& work_;
  std::vector<double> below_;  ///< work of the subtree below each node, itself included
  std::vector<std::vector<int>> children_;
  double total_ = 0.0;
};

}  // namespace

Domains find_domains(const std::vector<int>& parent, const std::vector<double>& work) {
  const Splitting splitting(parent, work);
  for (const int count : {8, 4, 2}) {
    if (Domains domains = splitting.into(count); domains.count > 1) return domains;
  }
  return {};
}

}  // namespace counterpoint::linear
