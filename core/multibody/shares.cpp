#include "multibody/shares.hpp"

#include <algorithm>

namespace counterpoint::multibody {

/// Finds the share of each element. Fixed coordinates have no domain: one that elements of two domains write to sends
/// these elements to the last share.
class Shares::Sorting {
 public:
  Sorting(const AssembledModel& model, const std::vector<int>& domain_of, int domains)
      : model_(model), domain_of_(domain_of), domains_(domains), claimed_(model.all_coordinates(), -1) {}

  /// The domain of all free coordinates among these; -1 when there is none.
  int domain(const int* begin, const int* end) const {
    int found = -1;
    for (const int* column = begin; column != end; ++column) {
      if (*column >= model_.coordinates()) continue;
      const int domain = domain_of_[*column];
      if (found >= 0 && domain != found) return domains_;
      found = domain;
    }
    return found < 0 ? domains_ : found;
  }

  void claim(const int* begin, const int* end) {
    const int share = domain(begin, end);
    if (share == domains_) return;
    for (const int* column = begin; column != end; ++column) {
      int& claimed = claimed_[*column];
      claimed = claimed < 0 || claimed == share ? share : domains_;
    }
  }

  int share(const int* begin, const int* end) const {
    const int share = domain(begin, end);
    const bool is_free = std::all_of(begin, end, [&](int column) { return claimed_[column] == share; });
    return is_free ? share : domains_;
  }

 private:
  const AssembledModel& model_;
  const std::vector<int>& domain_of_;
  int domains_;
  std::vector<int> claimed_;  ///< domain of the elements that write to each coordinate; -1: none so far
};

Shares::Shares(const AssembledModel& model, const std::vector<int>& domain_of, int domains)
    : shares_(static_cast<std::size_t>(domains) + 1) {
  const SparsePattern& jacobian = model.jacobian_pattern();
  const std::vector<ForcePointer>& forces = model.parts().forces;
  Sorting sorting(model, domain_of, domains);
  const auto domain_of_rows = [&](int from, int to) {
    return sorting.domain(jacobian.column.data() + jacobian.row_start[from],
                          jacobian.column.data() + jacobian.row_start[to]);
  };
  std::vector<Batch> batches;
  std::vector<std::pair<const int*, const int*>> columns;
  const auto add_batch = [&](const ConstraintBatch* batch, int from) {
    const int to = from + batch->equations();
    batches.push_back({batch, from, jacobian.row_start[from]});
    columns.emplace_back(jacobian.column.data() + jacobian.row_start[from],
                         jacobian.column.data() + jacobian.row_start[to]);
  };
  int row = 0;
  for (const ConstraintBatchPointer& batch : model.parts().constraints) {
    const int end = row + batch->equations();
    // One that connects several domains as a whole is divided, if it can be.
    const bool divided = domain_of_rows(row, end) == domains && batch->equations() > 1 && batch->part(0, 1) != nullptr;
    if (!divided) add_batch(batch.get(), row);
    for (int from = row, to; divided && from < end; from = to) {
      for (to = from + 1; to < end && domain_of_rows(to, to + 1) == domain_of_rows(from, from + 1);) ++to;
      parts_.push_back(batch->part(from - row, to - row));
      add_batch(parts_.back().get(), from);
    }
    row = end;
  }
  for (const ForcePointer& force : forces) {
    const std::vector<int>& written = force->columns();
    columns.emplace_back(written.data(), force->is_local() ? written.data() + written.size() : written.data());
  }
  for (const auto& [begin, end] : columns) sorting.claim(begin, end);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Share& share = shares_[static_cast<std::size_t>(sorting.share(columns[k].first, columns[k].second))];
    if (k < batches.size()) {
      share.batches.push_back(batches[k]);
      continue;
    }
    const Force* force = forces[k - batches.size()].get();
    share.forces.push_back(force);
    for (const AssembledModel::TangentBlock& block : model.tangent_blocks()) {
      if (block.force == force) share.tangents.push_back(&block);
    }
  }
  for (Share& share : shares_) {
    std::size_t largest = 0;
    for (const auto* tangent : share.tangents) largest = std::max(largest, tangent->places.size());
    share.block.resize(largest);
  }
}

void Shares::constraints(int share, const Instant& now, double* phi, double* jacobian) const {
  for (const Batch& batch : shares_[share].batches)
    batch.constraints->evaluate(now, phi + batch.first_equation, jacobian + batch.first_entry);
}

void Shares::projection_terms(int share, const Instant& now, const double* a, const double* multipliers, double* sides,
                              double* out) const {
  for (const Batch& batch : shares_[share].batches) {
    const std::ptrdiff_t first = batch.first_equation;
    batch.constraints->projection_terms(now, a, multipliers + first, sides + 3 * first, out);
  }
}

void Shares::add_forces(int share, const Instant& now, double* Q) const {
  for (const Force* force : shares_[share].forces) force->add(now, Q);
}

void Shares::add_tangent(int share, const Instant& now, double stiffness, double damping, double* values) {
  std::vector<double>& block = shares_[share].block;
  for (const AssembledModel::TangentBlock* tangent : shares_[share].tangents)
    tangent->add(now, stiffness, damping, block.data(), values);
}

}  // namespace counterpoint::multibody
