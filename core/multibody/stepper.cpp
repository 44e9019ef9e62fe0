#include "multibody/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "multibody/index1.hpp"
#include "multibody/index3.hpp"
#include "multibody/text.hpp"

namespace counterpoint::multibody {

void State::swap(State& other) noexcept {
  std::swap(t, other.t);
  std::swap(previous_step, other.previous_step);
  std::swap(stiffening, other.stiffening);
  for (auto member : {&State::q, &State::v, &State::a, &State::auxiliary, &State::previous, &State::jerk,
                      &State::previous_jerk, &State::multipliers, &State::memory, &State::inputs}) {
    (this->*member).swap(other.*member);
  }
}

bool Stepper::inputs_differ(const State& state, const Instant& now) {
  const std::size_t count = state.inputs.size() / 3;
  const double* kept = state.inputs.data();
  return !std::equal(now.u, now.u + count, kept) || !std::equal(now.ddu, now.ddu + count, kept + 2 * count);
}

void Stepper::keep_inputs(State& state, const Instant& now, int inputs) {
  if (inputs == 0) return;
  state.inputs.resize(3 * static_cast<std::size_t>(inputs));
  std::copy_n(now.u, inputs, state.inputs.begin());
  std::copy_n(now.du, inputs, state.inputs.begin() + inputs);
  std::copy_n(now.ddu, inputs, state.inputs.begin() + 2 * inputs);
}

MassOnTangent::MassOnTangent(const Model& model) : entries_(model.tangent_pattern().entries()) {
  const SparsePattern& mass = model.mass_pattern();
  for (int row = 0; row < mass.rows; ++row) {
    for (int k = mass.row_start[row]; k < mass.row_start[row + 1]; ++k) {
      places_.push_back(model.tangent_pattern().find(row, mass.column[k]));
    }
  }
}

void MassOnTangent::write(const double* mass, double* W) const {
  std::fill_n(W, entries_, 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) W[places_[k]] = mass[k];
}

std::string place_of(const Model& model, int row) {
  if (row < 0) return {};
  const int n = model.coordinates();
  if (row < n) return text(" at %s", model.coordinate_name(row).c_str());
  return text(" at constraint \"%s\"", model.equation_name(row - n).c_str());
}

std::string failure_message(const Model& model, int iteration, const std::string& why, const std::vector<double>& phi,
                            const std::vector<double>& Q) {
  for (int i = 0; i < model.coordinates(); ++i) {
    if (!std::isfinite(Q[i])) {
      return text("iteration %d: the force on %s is %g; check actuators, user forces and inputs there", iteration,
                  model.coordinate_name(i).c_str(), Q[i]);
    }
  }
  std::string message = text("iteration %d: %s", iteration, why.c_str());
  const auto worst =
      std::max_element(phi.begin(), phi.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (worst != phi.end()) {
    const int row = static_cast<int>(worst - phi.begin());
    message += text("; worst constraint \"%s\" is violated by %.3g", model.equation_name(row).c_str(), *worst);
  }
  return message + "; try a smaller step, or check whether the mechanism is locked or in a singular position there";
}

StepperPointer make_stepper(ModelPointer model, const StepperOptions& options) {
  if (options.formulation == Formulation::index3) return make_index3_stepper(std::move(model), options);
  if (options.profile) throw UserError("profile: only steps of the index-3 formulation have one; leave it out");
  switch (options.integrator) {
    case Integrator::newmark:
      if (options.iteration == Iteration::fixed_point)
        return std::make_unique<FixedPointStepper>(std::move(model), options);
      return std::make_unique<Index1NewtonStepper>(std::move(model), options);
    case Integrator::rk2:
    case Integrator::rk4:
      return std::make_unique<RungeKuttaStepper>(std::move(model), options);
    case Integrator::hermite:
      break;
  }
  throw UserError("integrator: \"hermite\" works only with the index-3 formulation");
}

}  // namespace counterpoint::multibody
