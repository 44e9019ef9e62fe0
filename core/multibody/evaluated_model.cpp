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
      : function_(std::move(function)), sizes_(sizes) {
    const int n = sizes.coordinates, m = sizes.equations;
    inputs_ = sizes.inputs;
    mass_pattern_ = full(n, n);
    tangent_pattern_ = mass_pattern_;
    jacobian_pattern_ = full(m, n);
    asked_.resize(static_cast<std::size_t>(1 + 2 * n + inputs_));
    question_.resize(asked_.size());
    terms_.resize(static_cast<std::size_t>(sizes.answered()));
    Q_ = (n + m) * n + m;
    rest_ = Q_ + n;
    phi_t_ = rest_ + (sizes.rates ? m : 0);
  }

  bool constant_mass() const override { return sizes_.constant_mass; }
  void mass(const Instant& now, double* values) const override {
    const double* made = constant_M_.empty() ? terms(now) : constant_M_.data();
    std::copy_n(made, mass_pattern_.entries(), values);
    if (sizes_.constant_mass && constant_M_.empty()) constant_M_.assign(values, values + mass_pattern_.entries());
  }
  void constraints(const Instant& now, double* phi, double* jacobian) const override {
    const double* made = terms(now) + mass_pattern_.entries();
    std::copy_n(made, equations(), phi);
    std::copy_n(made + equations(), jacobian_pattern_.entries(), jacobian);
  }
  bool rheonomic() const override { return sizes_.rheonomic; }
  void velocity_terms(const Instant& now, double* phi_t) const override {
    std::copy_n(terms(now) + phi_t_, equations(), phi_t);
  }
  void acceleration_terms(const Instant& now, double* rest) const override {
    if (!sizes_.rates) return difference_of_rates(*this, now, sizes_.length, rest);
    std::copy_n(terms(now) + rest_, equations(), rest);
  }
  // Asked at the end of a step, of which the constraints were asked before: the last question at this time is that of
  // the last iteration. Where it differs from this one, it does by the last correction.
  void projection_terms(const Instant& now, const double* a, const double* multipliers, double* sides,
                        double* out) const override {
    if (!sizes_.rates) return Model::projection_terms(now, a, multipliers, sides, out);
    const double* made = known_ && asked_[0] == now.t ? terms_.data() : terms(now);
    for (int r = 0; r < equations(); ++r, sides += 3) {
      sides[0] = sizes_.rheonomic ? made[phi_t_ + r] : 0.0;
      sides[1] = made[rest_ + r];
      sides[2] = 0.0;
    }
  }
  void forces(const Instant& now, double* Q) const override { std::copy_n(terms(now) + Q_, coordinates(), Q); }

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
  EvaluatedModelSizes sizes_;
  std::ptrdiff_t Q_, rest_, phi_t_;  ///< where they begin in an answer
  // The last instant and its terms: a cache, not state.
  mutable bool known_ = false;
  mutable std::vector<double> asked_, question_, terms_, constant_M_;
};

template <typename... More>
using CompiledWith = void (*)(double, const double*, const double*, const double*, double*, double*, double*, double*,
                              More...);

}  // namespace

ModelPointer make_evaluated_model(TermFunction function, const EvaluatedModelSizes& sizes) {
  if (!function) throw UserError("evaluated model: no function");
  if (sizes.coordinates < 1) throw UserError("evaluated model: expected at least one coordinate");
  return std::make_shared<EvaluatedModel>(std::move(function), sizes);
}

ModelPointer make_evaluated_model(CompiledTerms function, const EvaluatedModelSizes& sizes) {
  if (function == nullptr) throw UserError("evaluated model: no function");
  const int n = sizes.coordinates, m = sizes.equations, more = int(sizes.rates) + int(sizes.rheonomic);
  const auto take_apart = [function, n, m, more](const double* question, double* answer) {
    const double t = question[0], *q = question + 1, *v = q + n, *u = v + n;
    double *M = answer, *Phi = M + n * n, *J = Phi + m, *Q = J + m * n, *c = Q + n;
    if (more == 0) reinterpret_cast<CompiledWith<>>(function)(t, q, v, u, M, Phi, J, Q);
    if (more == 1) reinterpret_cast<CompiledWith<double*>>(function)(t, q, v, u, M, Phi, J, Q, c);
    if (more == 2) reinterpret_cast<CompiledWith<double*, double*>>(function)(t, q, v, u, M, Phi, J, Q, c, c + m);
  };
  return make_evaluated_model(TermFunction(take_apart), sizes);
}

}  // namespace counterpoint::multibody
