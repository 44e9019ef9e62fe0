// Minimum degree on the quotient graph (George & Liu, The evolution of the minimum degree ordering algorithm, SIAM
// Review 31, 1989), with the upper bound of the degree by Amestoy, Davis and Duff (An approximate minimum degree
// ordering algorithm, SIAM J. Matrix Anal. Appl. 17, 1996, eq. 4.1).
//
// An eliminated unknown p lives on as an "element": the set of the unknowns that its elimination connected to each
// other, which is also the pattern of column p of L. An unknown keeps its neighbours of the original graph that no
// element covers, and its elements.
//
// Of unknowns of equal degree the ends of chains and those that have an element come first: elimination continues where
// it has begun, which leaves less fill (21 entries instead of 24.5 for each loop of the four-bar chain). Otherwise
// first come, first served: a chain is eliminated from both ends in turn, which makes two recurrences that do not wait
// for each other, where last come, first served would make a single long one.

#include "linear/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace counterpoint::linear {
namespace {

/// Queues of unknowns, one for each rank; the lowest rank is served first.
class Queues {
 public:
  Queues(int unknowns, int ranks)
      : first_(ranks, none), last_(ranks, none), next_(unknowns), previous_(unknowns), rank_(unknowns, none) {}

  bool holds(int unknown) const { return rank_[unknown] != none; }

  void push(int unknown, int rank) {
    rank_[unknown] = rank;
    next_[unknown] = none;
    previous_[unknown] = last_[rank];
    (previous_[unknown] == none ? first_[rank] : next_[previous_[unknown]]) = unknown;
    last_[rank] = unknown;
    lowest_ = std::min(lowest_, rank);
  }

  void remove(int unknown) {
    const int rank = rank_[unknown];
    (previous_[unknown] == none ? first_[rank] : next_[previous_[unknown]]) = next_[unknown];
    (next_[unknown] == none ? last_[rank] : previous_[next_[unknown]]) = previous_[unknown];
    rank_[unknown] = none;
  }

  int pop() {
    while (first_[lowest_] == none) ++lowest_;
    const int unknown = first_[lowest_];
    remove(unknown);
    return unknown;
  }

 private:
  static constexpr int none = -1;
  std::vector<int> first_, last_;            // of each rank
  std::vector<int> next_, previous_, rank_;  // of each unknown
  int lowest_ = 0;
};

class MinimumDegree {
 public:
  explicit MinimumDegree(const Pattern& pattern)
      : size_(pattern.size),
        graph_(linear::neighbours(pattern)),
        queues_(size_, 2 * size_),
        late_(pattern.late),
        variables_(size_),
        elements_(size_),
        members_(size_),
        degree_(size_),
        dense_(size_),
        gone_(size_),
        absorbed_(size_),
        begun_(size_),
        waits_for_(size_),
        mark_(size_),
        seen_(size_),
        outside_(size_) {
    late_.resize(size_);
    // A row this full would be looked through again and again without telling anything: it comes last anyway.
    const int full = static_cast<int>(std::max(16.0, 10.0 * std::sqrt(size_)));
    for (int i = 0; i < size_; ++i) {
      variables_[i].assign(graph_.items.begin() + graph_.start[i], graph_.items.begin() + graph_.start[i + 1]);
      degree_[i] = static_cast<int>(variables_[i].size());
      dense_[i] = degree_[i] > full;
      if (dense_[i]) degree_[i] = size_ - 1;
      const auto is_early = [&](int j) { return !late_[j]; };
      if (late_[i]) waits_for_[i] = static_cast<int>(std::ranges::count_if(variables_[i], is_early));
    }
    for (int i = 0; i < size_; ++i) {
      begun_[i] = is_end(i);
      if (waits_for_[i] == 0) queues_.push(i, rank(i));
    }
  }

  std::vector<int> order() {
    std::vector<int> order(size_);
    for (int k = 0; k < size_; ++k) {
      order[k] = queues_.pop();
      eliminate(order[k], size_ - k - 1);
    }
    return order;
  }

 private:
  /// Some neighbours have more neighbours than unknown i, none has less.
  bool is_end(int i) const {
    const auto less = [&](int j) { return degree_[j] < degree_[i]; };
    const auto more = [&](int j) { return degree_[j] > degree_[i]; };
    return std::ranges::none_of(variables_[i], less) && std::ranges::any_of(variables_[i], more);
  }

  int rank(int i) const { return 2 * degree_[i] + (begun_[i] ? 0 : 1); }

  void eliminate(int pivot, int remaining) {
    gone_[pivot] = true;
    make_element(pivot);
    count_outside(pivot);
    for (int i : members_[pivot]) connect(i, pivot, remaining);
    if (!late_[pivot]) release_late_neighbours(pivot);
  }

  /// The element of the pivot: all unknowns it is connected to, directly or through elements, which it replaces.
  void make_element(int pivot) {
    ++stamp_;
    std::vector<int>& members = members_[pivot];
    const auto add = [&](int i) {
      if (gone_[i] || mark_[i] == stamp_) return;
      mark_[i] = stamp_;
      members.push_back(i);
    };
    std::ranges::for_each(variables_[pivot], add);
    for (int e : elements_[pivot]) {
      std::ranges::for_each(members_[e], add);
      absorb(e);
    }
    variables_[pivot] = {};
    elements_[pivot] = {};
  }

  void absorb(int element) {
    absorbed_[element] = true;
    members_[element] = {};
  }

  /// For every element that touches the pivot's: how many unknowns it has outside of it.
  void count_outside(int pivot) {
    for (int i : members_[pivot]) {
      if (dense_[i]) continue;
      for (int e : elements_[i]) {
        if (seen_[e] != stamp_) outside_[e] = static_cast<int>(members_[e].size());
        seen_[e] = stamp_;
        --outside_[e];
      }
    }
  }

  /// Makes unknown i a member of the pivot's element, drops what the element covers, and estimates its degree anew.
  void connect(int i, int pivot, int remaining) {
    begun_[i] = true;
    if (dense_[i]) {
      elements_[i].push_back(pivot);
      return;
    }
    std::erase_if(variables_[i], [&](int j) { return gone_[j] || mark_[j] == stamp_; });
    const int inside = static_cast<int>(members_[pivot].size()) - 1;
    long long degree = static_cast<long long>(variables_[i].size()) + inside;
    std::erase_if(elements_[i], [&](int e) {
      if (!absorbed_[e] && outside_[e] == 0) absorb(e);
      if (!absorbed_[e]) degree += outside_[e];
      return absorbed_[e];
    });
    elements_[i].push_back(pivot);
    degree_[i] = static_cast<int>(std::min({degree, static_cast<long long>(degree_[i]) + inside, remaining - 1LL}));
    if (!queues_.holds(i)) return;
    queues_.remove(i);
    queues_.push(i, rank(i));
  }

  void release_late_neighbours(int pivot) {
    for (int k = graph_.start[pivot]; k < graph_.start[pivot + 1]; ++k) {
      const int i = graph_.items[k];
      if (late_[i] && --waits_for_[i] == 0) queues_.push(i, rank(i));
    }
  }

  int size_;
  Lists graph_;
  Queues queues_;
  std::vector<bool> late_;
  std::vector<std::vector<int>> variables_;  // neighbours of each unknown that no element covers
  std::vector<std::vector<int>> elements_;   // of each unknown
  std::vector<std::vector<int>> members_;    // unknowns of each element
  std::vector<int> degree_;                  // upper bound
  std::vector<char> dense_, gone_, absorbed_, begun_;
  std::vector<int> waits_for_;    // neighbours that a late unknown still waits for
  std::vector<int> mark_, seen_;  // the stamp of the pivot that touched an unknown, an element last
  std::vector<int> outside_;
  int stamp_ = 0;
};

}  // namespace

std::vector<int> minimum_degree(const Pattern& pattern) { return MinimumDegree(pattern).order(); }

double Symbolic::multiplications() const {
  double sum = 0.0;
  for (int j = 0; j < size(); ++j) {
    const double entries = columns.start[j + 1] - columns.start[j];
    sum += entries * (entries + 3.0) / 2.0;
  }
  return sum;
}

Symbolic analyse(const Pattern& pattern, std::vector<int> order) {
  const Lists graph = neighbours(pattern);
  const int size = pattern.size;
  Symbolic symbolic;
  symbolic.position.resize(size);
  for (int k = 0; k < size; ++k) symbolic.position[order[k]] = k;

  // Column j of L: the later neighbours of unknown j, and what the columns whose first entry is row j hand on.
  std::vector<int>& start = symbolic.columns.start;
  std::vector<int>& rows = symbolic.columns.items;
  start.assign(1, 0);
  std::vector<int> first_child(size, -1), next_child(size, -1), mark(size, -1);
  for (int j = 0; j < size; ++j) {
    mark[j] = j;
    const auto add = [&](int row) {
      if (row < j || mark[row] == j) return;
      mark[row] = j;
      rows.push_back(row);
    };
    for (int k = graph.start[order[j]]; k < graph.start[order[j] + 1]; ++k) add(symbolic.position[graph.items[k]]);
    for (int child = first_child[j]; child >= 0; child = next_child[child]) {
      for (int k = start[child]; k < start[child + 1]; ++k) add(rows[k]);
    }
    std::sort(rows.begin() + start[j], rows.end());
    if (rows.size() > static_cast<std::size_t>(INT32_MAX - size)) throw std::length_error("the factor is too large");
    start.push_back(static_cast<int>(rows.size()));
    if (start[j + 1] == start[j]) continue;
    const int parent = rows[start[j]];
    next_child[j] = first_child[parent];
    first_child[parent] = j;
  }
  symbolic.order = std::move(order);
  return symbolic;
}

}  // namespace counterpoint::linear
