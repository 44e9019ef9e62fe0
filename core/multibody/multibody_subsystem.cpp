#include "multibody/multibody_subsystem.hpp"

#include <algorithm>

#include "coupling/few_numbers.hpp"
#include "recipe/factory.hpp"

namespace counterpoint::multibody {

namespace {

void copy(const State& from, State& to) {
  to.t = from.t;
  to.previous_step = from.previous_step;
  to.stiffening = from.stiffening;
  copy_few(from.q, to.q);
  copy_few(from.v, to.v);
  copy_few(from.a, to.a);
  copy_few(from.auxiliary, to.auxiliary);
  copy_few(from.previous, to.previous);
  copy_few(from.jerk, to.jerk);
  copy_few(from.previous_jerk, to.previous_jerk);
  copy_few(from.multipliers, to.multipliers);
  copy_few(from.memory, to.memory);
  copy_few(from.inputs, to.inputs);
}

}  // namespace

CoupledInputs::CoupledInputs(int inputs, bool needs_derivatives)
    : needs_derivatives_(needs_derivatives),
      values_(inputs, 0.0),
      rates_(inputs, 0.0),
      accelerations_(inputs, 0.0),
      first_(inputs),
      middle_(inputs),
      last_(inputs) {}

void CoupledInputs::rest_at(const std::vector<double>& values) {
  inputs_ = nullptr;
  values_ = values;
  std::fill(rates_.begin(), rates_.end(), 0.0);
  std::fill(accelerations_.begin(), accelerations_.end(), 0.0);
}

void CoupledInputs::take_parabola(double t_end) {
  Inputs& u = *inputs_;
  const double t = t_;
  std::copy_n(u.at(t), first_.size(), first_.begin());
  std::copy_n(u.at(t + 0.5 * h_), first_.size(), middle_.begin());
  std::copy_n(u.at(t_end), first_.size(), last_.begin());
}

void CoupledInputs::fill(double t, Instant& now) {
  if (inputs_ != nullptr) {
    std::copy_n(inputs_->at(t), values_.size(), values_.begin());
    if (needs_derivatives_) {
      const double s = (t - t_) / h_;
      for (std::size_t k = 0; k < values_.size(); ++k) {
        const double bend = first_[k] - 2.0 * middle_[k] + last_[k];
        rates_[k] = (-3.0 * first_[k] + 4.0 * middle_[k] - last_[k] + 4.0 * s * bend) / h_;
        accelerations_[k] = 4.0 * bend / (h_ * h_);
      }
    }
  }
  now.u = values_.data();
  now.du = rates_.data();
  now.ddu = accelerations_.data();
}

namespace {

StepperOptions options_for(StepperOptions options, const std::vector<OutputPointer>& outputs) {
  options.shows_multipliers =
      std::any_of(outputs.begin(), outputs.end(), [](const OutputPointer& o) { return o->shows_multipliers(); });
  return options;
}

}  // namespace

struct MultibodySubsystem::Saved final : SavedState {
  explicit Saved(State given) : state(std::move(given)) {}
  bool write(recipe::Writer& writer) const override {
    const State& s = state;
    writer(s.t, s.previous_step, s.stiffening, s.q, s.v, s.a, s.auxiliary, s.previous, s.jerk, s.previous_jerk,
           s.multipliers, s.memory, s.inputs);
    return true;
  }
  State state;
};

MultibodySubsystem::MultibodySubsystem(ModelPointer model, const StepperOptions& options,
                                       std::vector<OutputPointer> outputs, Setup setup)
    : model_(std::move(model)),
      stepper_(make_stepper(model_, options_for(options, outputs))),
      outputs_(std::move(outputs)),
      setup_(std::move(setup)),
      inputs_(model_->inputs(), setup_.guided_by_inputs),
      offers_derivatives_(std::all_of(outputs_.begin(), outputs_.end(),
                                      [](const OutputPointer& o) { return o->offers_derivative(); })) {
  std::size_t width = 0;
  for (const OutputPointer& output : outputs_) {
    places_.push_back(width);
    width += static_cast<std::size_t>(output->width());
  }
  y_.resize(width);
  dy_.resize(width);
}

void MultibodySubsystem::start(double t) {
  state_ = State{};
  state_.t = t;
  state_.q = setup_.q;
  state_.v = setup_.v;
  state_.a.assign(state_.q.size(), 0.0);
  state_.multipliers.assign(model_->equations(), 0.0);
  state_.memory.assign(model_->memory(), 0.0);
  inputs_.rest_at(setup_.input_defaults);
  Instant now = state_.instant();
  inputs_.fill(t, now);
  model_->start(now, state_.memory.data());
  stepper_->start(state_, inputs_);
}

double MultibodySubsystem::step(double t, double t_end, Inputs& u) {
  inputs_.begin(t, t_end, u);
  state_.t = t;  // the clock of the run counts steps, a sum of steps would drift
  stepper_->step(state_, t_end, inputs_);
  return t_end;
}

const double* MultibodySubsystem::output(double t, Inputs&) {
  const Moment moment{*model_, state_, t};
  double* const y = y_.data();
  for (std::size_t k = 0; k < outputs_.size(); ++k) outputs_[k]->evaluate(moment, y + places_[k]);
  return y;
}

const double* MultibodySubsystem::output_derivative(double t, Inputs&) {
  const Moment moment{*model_, state_, t};
  double* const dy = dy_.data();
  for (std::size_t k = 0; k < outputs_.size(); ++k) outputs_[k]->derivative(moment, dy + places_[k]);
  return dy;
}

std::unique_ptr<SavedState> MultibodySubsystem::save() const { return std::make_unique<Saved>(state_); }

bool MultibodySubsystem::save_again(SavedState& state) const {
  copy(state_, static_cast<Saved&>(state).state);
  return true;
}

void MultibodySubsystem::restore(const SavedState& state) { copy(static_cast<const Saved&>(state).state, state_); }

std::unique_ptr<SavedState> MultibodySubsystem::read_state(recipe::Reader& reader) const {
  auto made = std::make_unique<Saved>(state_);
  State& s = made->state;
  reader(s.t, s.previous_step, s.stiffening);
  reader.same_sizes(s.q, s.v, s.a, s.auxiliary, s.previous, s.jerk, s.previous_jerk, s.multipliers, s.memory, s.inputs);
  return made;
}

}  // namespace counterpoint::multibody
