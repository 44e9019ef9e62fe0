#include "multibody/assembled_model.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint::multibody {

AssembledModel::AssembledModel(Parts parts) : parts_(std::move(parts)) {
  inputs_ = parts_.inputs;
  find_mass_pattern();
  find_jacobian_pattern();
  find_tangent_pattern();
  give_memory();
}

void AssembledModel::find_mass_pattern() {
  std::vector<std::pair<int, int>> places;
  for (int c = 0; c < parts_.free; ++c) places.emplace_back(c, c);
  for (const MatrixEntry& e : parts_.mass) {
    if (e.row < parts_.free && e.column < parts_.free && e.value != 0.0) places.emplace_back(e.row, e.column);
    if (e.row >= parts_.free && e.column < parts_.free) fixed_mass_.push_back(e);
  }
  mass_pattern_ = SparsePattern::from(parts_.free, parts_.free, std::move(places));
  mass_values_.assign(mass_pattern_.entries(), 0.0);
  for (const MatrixEntry& e : parts_.mass) {
    if (e.row < parts_.free && e.column < parts_.free && e.value != 0.0) {
      mass_values_[mass_pattern_.find(e.row, e.column)] += e.value;
    }
  }
}

void AssembledModel::find_jacobian_pattern() {
  jacobian_pattern_.columns = static_cast<int>(parts_.coordinates.size());
  for (const ConstraintBatchPointer& batch : parts_.constraints) {
    placed_.push_back({batch.get(), batch->equations(), jacobian_pattern_.entries()});
    batch->append_rows(jacobian_pattern_);
    rheonomic_ = rheonomic_ || batch->rheonomic();
    curvature_ = std::max(curvature_, batch->curvature());
  }
  if (!parts_.forces.empty()) curvature_ = std::numeric_limits<double>::infinity();
}

void AssembledModel::find_tangent_pattern() {
  std::vector<std::pair<int, int>> places;
  for (int row = 0; row < mass_pattern_.rows; ++row) {
    for (int k = mass_pattern_.row_start[row]; k < mass_pattern_.row_start[row + 1]; ++k) {
      places.emplace_back(row, mass_pattern_.column[k]);
    }
  }
  for (const ForcePointer& force : parts_.forces) {
    if (!force->has_tangent()) continue;
    for (const std::vector<int>& columns : force->blocks()) {
      for (int row : columns) {
        for (int column : columns) {
          if (row < parts_.free && column < parts_.free) places.emplace_back(row, column);
        }
      }
    }
  }
  tangent_pattern_ = SparsePattern::from(parts_.free, parts_.free, std::move(places));
  for (const ForcePointer& force : parts_.forces) {
    if (!force->has_tangent()) continue;
    TangentBlock block{force.get(), {}};
    for (const std::vector<int>& columns : force->blocks()) {
      for (int row : columns) {
        for (int column : columns) {
          const bool moves = row < parts_.free && column < parts_.free;
          block.places.push_back(moves ? tangent_pattern_.find(row, column) : -1);
        }
      }
    }
    block_.resize(std::max(block_.size(), block.places.size()));
    tangent_blocks_.push_back(std::move(block));
  }
}

void AssembledModel::give_memory() {
  for (const MeasurePointer& measure : parts_.measures) {
    if (measure->wraps()) measure->memory_slot = memory_++;
  }
  for (const ForcePointer& force : parts_.forces) {
    force->memory_start = memory_;
    memory_ += force->memory();
  }
}

void AssembledModel::mass(const Instant&, double* values) const {
  std::copy(mass_values_.begin(), mass_values_.end(), values);
}

void AssembledModel::constraints(const Instant& now, double* phi, double* jacobian) const {
  for (const Placed& placed : placed_) {
    placed.batch->evaluate(now, phi, jacobian + placed.first_entry);
    phi += placed.equations;
  }
}

void AssembledModel::velocity_terms(const Instant& now, double* phi_t) const {
  for (const ConstraintBatchPointer& batch : parts_.constraints) {
    batch->velocity_terms(now, phi_t);
    phi_t += batch->equations();
  }
}

void AssembledModel::acceleration_terms(const Instant& now, double* rest) const {
  for (const ConstraintBatchPointer& batch : parts_.constraints) {
    batch->acceleration_terms(now, rest);
    rest += batch->equations();
  }
}

void AssembledModel::projection_terms(const Instant& now, const double* a, const double* multipliers, double* sides,
                                      double* out) const {
  for (const Placed& placed : placed_) {
    placed.batch->projection_terms(now, a, multipliers, sides, out);
    multipliers += placed.equations;
    sides += 3 * placed.equations;
  }
}

void AssembledModel::forces(const Instant& now, double* Q) const {
  std::copy(parts_.constant_force.begin(), parts_.constant_force.end(), Q);
  for (const ForcePointer& force : parts_.forces) force->add(now, Q);
}

void AssembledModel::force_change(const Instant& now, const double* dq, const double* dv, double step,
                                  double* dQ) const {
  std::fill_n(dQ, all_coordinates(), 0.0);
  for (const ForcePointer& force : parts_.forces) {
    if (force->add_change(now, dq, dv, dQ)) continue;
    add_difference([&force](const Instant& there, double* Q) { force->add(there, Q); }, now, all_coordinates(), dq, dv,
                   step, dQ);
  }
}

void AssembledModel::add_tangent(const Instant& now, double stiffness, double damping, double* values) const {
  for (const TangentBlock& block : tangent_blocks_) block.add(now, stiffness, damping, block_.data(), values);
}

void AssembledModel::TangentBlock::add(const Instant& now, double stiffness, double damping, double* block,
                                       double* values) const {
  force->tangent(now, stiffness, damping, block);
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (places[k] >= 0) values[places[k]] += block[k];
  }
}

void AssembledModel::start(const Instant& now, double* memory) const {
  for (const MeasurePointer& measure : parts_.measures) {
    if (measure->memory_slot >= 0) memory[measure->memory_slot] = measure->start_value(now.q);
  }
  for (const ForcePointer& force : parts_.forces) force->start(now, memory + force->memory_start);
}

void AssembledModel::accept(const Instant& now, double* memory) const noexcept {
  // Forces first: they may still need the turns as they were.
  for (const ForcePointer& force : parts_.forces) force->accept(now, memory + force->memory_start);
  for (const MeasurePointer& measure : parts_.measures) {
    if (measure->memory_slot >= 0) memory[measure->memory_slot] = measure->unwrapped(measure->value(now.q), now);
  }
}

double AssembledModel::potential_energy(const Instant& now) const {
  double energy = parts_.constant_energy;
  for (std::size_t c = 0; c < parts_.constant_force.size(); ++c) energy -= parts_.constant_force[c] * now.q[c];
  for (const ForcePointer& force : parts_.forces) energy += force->energy(now);
  return energy;
}

std::string AssembledModel::equation_name(int equation) const {
  for (const ConstraintBatchPointer& batch : parts_.constraints) {
    if (equation < batch->equations()) return batch->names[equation];
    equation -= batch->equations();
  }
  return "constraint " + std::to_string(equation);
}

void AssembledModel::add_fixed_inertia(const double* a, double* out) const {
  for (const MatrixEntry& e : fixed_mass_) out[e.row] += e.value * a[e.column];
}

}  // namespace counterpoint::multibody
