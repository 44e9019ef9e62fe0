#pragma once

#include <vector>

#include "coupling/abilities.hpp"
#include "coupling/subsystem.hpp"
#include "multibody/output.hpp"
#include "multibody/stepper.hpp"

namespace counterpoint::multibody {

/// Inputs of a mechanism from the coupling. A guided value needs the input's derivatives as well: they come from the
/// parabola through its values at the start, the middle and the end of the step.
class CoupledInputs final : public InputSource {
 public:
  CoupledInputs(int inputs, bool needs_derivatives);
  /// Before a run: constant values.
  void rest_at(const std::vector<double>& values);
  void begin(double t, double t_end, Inputs& u) {
    inputs_ = &u;
    t_ = t;
    h_ = t_end - t;
    if (needs_derivatives_) take_parabola(t_end);
  }
  void fill(double t, Instant& now) override;

 private:
  void take_parabola(double t_end);

  bool needs_derivatives_;
  Inputs* inputs_ = nullptr;
  double t_ = 0.0, h_ = 0.0;
  std::vector<double> values_, rates_, accelerations_, first_, middle_, last_;
};

/// A mechanism as a subsystem: model, formulation and integrator, and what it shows.
class MultibodySubsystem final : public Subsystem, public StateRewriter {
 public:
  struct Setup {
    std::vector<double> q, v;            ///< consistent initial positions and velocities, all coordinates
    std::vector<double> input_defaults;  ///< what inputs are taken to be before the first step
    bool guided_by_inputs = false;
    double step = 0.0;  ///< preferred step, s; 0: none
  };
  MultibodySubsystem(ModelPointer model, const StepperOptions& options, std::vector<OutputPointer> outputs,
                     Setup setup);

  int input_width() const override { return model_->inputs(); }
  int output_width() const override { return static_cast<int>(y_.size()); }
  void start(double t) override;
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override;
  bool offers_derivatives() const override { return offers_derivatives_; }
  const double* output_derivative(double t, Inputs& u) override;
  double preferred_step() const override { return setup_.step; }
  std::unique_ptr<SavedState> save() const override;
  bool save_again(SavedState& state) const override;
  void restore(const SavedState& state) override;
  std::unique_ptr<SavedState> read_state(recipe::Reader& reader) const override;

  const State& state() const { return state_; }
  const Statistics& statistics() const { return stepper_->statistics(); }
  /// Each iteration of a step evaluates them once.
  long evaluations() const override { return static_cast<long>(statistics().iterations); }
  const Stepper& stepper() const { return *stepper_; }

 private:
  struct Saved;

  ModelPointer model_;
  StepperPointer stepper_;
  std::vector<OutputPointer> outputs_;
  std::vector<std::size_t> places_;  ///< of each output in y_
  Setup setup_;
  CoupledInputs inputs_;
  State state_;
  bool offers_derivatives_;
  std::vector<double> y_, dy_;
};

}  // namespace counterpoint::multibody
