#pragma once

#include "coupling/known_events.hpp"
#include "coupling/subsystem.hpp"
#include "diagram/simulator.hpp"

namespace counterpoint::diagram {

/// A block diagram as a subsystem. Its inputs are the inlet blocks in the order they were added.
class DiagramSubsystem final : public Subsystem, public KnowsEvents {
 public:
  /// `publishes_events`: a step ends at an event, so that others see it; they then wait more often.
  /// `preferred_step`: of a fixed-step solver, s; 0: none.
  DiagramSubsystem(FlatDiagram diagram, const SimulatorOptions& options, bool publishes_events, double preferred_step);

  int input_width() const override { return inputs_; }
  int output_width() const override { return simulator_.execution().outputs(); }
  void start(double t) override;
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override;
  const double* output_again(double t, Inputs& u) override;
  bool stops_early() const override { return publishes_events_ || simulator_.execution().may_end_run(); }
  const double* output_before_event() override { return simulator_.outputs_before(); }
  /// Blocks that remember steps, as delays and other simulators do, must not be asked around the end of one.
  bool offers_derivatives() const override { return !simulator_.execution().hears_steps(); }
  bool uses_input_slopes() const override { return inputs_ > 0; }
  const double* output_derivative(double t, Inputs& u) override;
  double preferred_step() const override {
    return simulator_.is_variable() ? simulator_.preferred_step() : preferred_step_;
  }
  long evaluations() const override { return simulator_.statistics().evaluations; }
  double next_known_event(double t, double step) const override {
    return simulator_.execution().next_known_event(t, step);
  }
  std::unique_ptr<SavedState> save() const override;
  void restore(const SavedState& state) override;
  std::unique_ptr<SavedState> read_state(recipe::Reader& reader) const override;

  const Simulator& simulator() const { return simulator_; }
  Simulator& simulator() { return simulator_; }

 private:
  struct Saved;

  Simulator simulator_;
  bool publishes_events_;
  double preferred_step_;
  int inputs_ = 0;
  double start_ = 0.0;
  double last_step_ = 0.0;  ///< s; 0: none was made
  bool has_begun_ = false;
  std::vector<double> y_, dy_;
};

}  // namespace counterpoint::diagram
