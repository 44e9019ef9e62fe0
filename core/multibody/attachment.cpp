#include "multibody/attachment.hpp"

#include <algorithm>

namespace counterpoint::multibody {

Attachment::Attachment(std::vector<Combination> combinations) : combinations_(std::move(combinations)) {
  for (const Combination& c : combinations_) {
    for (const Weight& w : c.weights) {
      for (int d = 0; d < c.dimension; ++d) columns_.push_back(w.offset + d);
    }
  }
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  for (const Combination& c : combinations_) {
    std::vector<int>& places = places_.emplace_back();
    for (const Weight& w : c.weights) {
      places.push_back(
          static_cast<int>(std::lower_bound(columns_.begin(), columns_.end(), w.offset) - columns_.begin()));
    }
  }
}

Vector Attachment::at(int which, const double* q) const {
  Vector value = Vector::Zero();
  combinations_[which].at(q, value.data());
  return value;
}

Vector Attachment::rate(int which, const double* v) const {
  Vector value = Vector::Zero();
  combinations_[which].rate(v, value.data());
  return value;
}

void Attachment::add_force(int which, const Vector& force, double* Q) const {
  combinations_[which].add_force(force.data(), 1.0, Q);
}

void Attachment::add_to_row(int which, const Vector& force, double* row) const {
  const Combination& c = combinations_[which];
  for (std::size_t k = 0; k < c.weights.size(); ++k)
    c.add_weighted(c.weights[k], force.data(), 1.0, row + places_[which][k]);
}

void add_square(const std::vector<double>& row, double factor, double* block) {
  for (double a : row) {
    for (double b : row) *block++ += factor * a * b;
  }
}

}  // namespace counterpoint::multibody
