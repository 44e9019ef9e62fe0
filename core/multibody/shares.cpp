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
  std::vector<std::pair<const int*, const int*>> columns;
  int row = 0;
  for (const ConstraintBatchPointer& batch : model.parts().constraints) {
    const int end = row + batch->equations();
    columns.emplace_back(jacobian.column.data() + jacobian.row_start[row],
                         jacobian.column.data() + jacobian.row_start[end]);
    row = end;
  }
  const std::size_t batches = columns.size();
  for (const ForcePointer& force : forces) {
    const std::vector<int>& written = force->columns();
    columns.emplace_back(written.data(), force->is_local() ? written.data() + written.size() : written.data());
  }
  Sorting sorting(model, domain_of, domains);
  for (const auto& [begin, end] : columns) sorting.claim(begin, end);
  std::ptrdiff_t equation = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Share& share = shares_[static_cast<std::size_t>(sorting.share(columns[k].first, columns[k].second))];
    if (k < batches) {
      const ConstraintBatch* batch = model.parts().constraints[k].get();
      share.batches.push_back({batch, equation, jacobian.row_start[equation]});
      equation += batch->equations();
      continue;
    }
    const Force* force = forces[k - batches].get();
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
