// Function evaluation: dynamic terms from a compiled function, another process, another program.
#include "multibody/evaluated_model.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "check.hpp"

namespace counterpoint::multibody {

namespace {

SparsePattern full(int rows, int columns) {
  std::vector<std::pair<int, int>> places;
  places.reserve(static_cast<std::size_t>(rows) * columns);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) places.emplace_back(row, column);
  }
  return SparsePattern::from(rows, columns, places);
}

class EvaluatedModel final : public Model {
 public:
  EvaluatedModel(TermFunction function, const EvaluatedModelSizes& sizes)
      : function_(std::move(function)), length_(sizes.length), constant_mass_(sizes.constant_mass) {
    const auto n = static_cast<std::size_t>(sizes.coordinates), m = static_cast<std::size_t>(sizes.equations);
    inputs_ = sizes.inputs;
    mass_pattern_ = full(sizes.coordinates, sizes.coordinates);
    tangent_pattern_ = mass_pattern_;
    jacobian_pattern_ = full(sizes.equations, sizes.coordinates);
    asked_.resize(1 + 2 * n + static_cast<std::size_t>(inputs_));
    question_.resize(asked_.size());
    terms_.resize(n * n + m + m * n + n);
  }

  bool constant_mass() const override { return constant_mass_; }
  void mass(const Instant& now, double* values) const override {
    std::copy_n(terms(now), mass_pattern_.entries(), values);
  }
  void constraints(const Instant& now, double* phi, double* jacobian) const override {
    const double* made = terms(now) + mass_pattern_.entries();
    std::copy_n(made, equations(), phi);
    std::copy_n(made + equations(), jacobian_pattern_.entries(), jacobian);
  }
  void acceleration_terms(const Instant& now, double* rest) const override {
    difference_of_rates(*this, now, length_, rest);
  }
  void forces(const Instant& now, double* Q) const override {
    std::copy_n(terms(now) + (terms_.size() - coordinates()), coordinates(), Q);
  }

 private:
  const double* terms(const Instant& now) const {
    const int n = coordinates();
    double* at = question_.data();
    *at++ = now.t;
    at = std::copy_n(now.q, n, at);
    at = now.v == nullptr ? std::fill_n(at, n, 0.0) : std::copy_n(now.v, n, at);
    if (inputs_ > 0) std::copy_n(now.u, inputs_, at);
    if (!known_ || question_ != asked_) evaluate();
    return terms_.data();
  }

  void evaluate() const {
    known_ = false;
    asked_ = question_;
    std::fill(terms_.begin(), terms_.end(), 0.0);
    function_(asked_.data(), terms_.data());
    known_ = true;
  }

  TermFunction function_;
  double length_;
  bool constant_mass_;
  // The last instant and its terms: a cache, not state.
  mutable bool known_ = false;
  mutable std::vector<double> asked_, question_, terms_;
};

}  // namespace

ModelPointer make_evaluated_model(TermFunction function, const EvaluatedModelSizes& sizes) {
  if (!function) throw UserError("evaluated model: no function");
  if (sizes.coordinates < 1) throw UserError("evaluated model: expected at least one coordinate");
  return std::make_shared<EvaluatedModel>(std::move(function), sizes);
}

ModelPointer make_evaluated_model(CompiledTerms function, const EvaluatedModelSizes& sizes) {
  if (function == nullptr) throw UserError("evaluated model: no function");
  const int n = sizes.coordinates, m = sizes.equations;
  const auto take_apart = [function, n, m](const double* question, double* answer) {
    const double* q = question + 1;
    double* Phi = answer + n * n;
    double* J = Phi + m;
    function(question[0], q, q + n, q + 2 * n, answer, Phi, J, J + m * n);
  };
  return make_evaluated_model(TermFunction(take_apart), sizes);
}

}  // namespace counterpoint::multibody
