#pragma once

#include "coupling/abilities.hpp"
#include "fmi/environment.hpp"
#include "fmi/fmu_base.hpp"

namespace counterpoint::fmi {

/// An FMU for co-simulation as a subsystem.
///
///     start:   instantiate, set parameters and start values, enter initialisation mode
///     output:  in initialisation mode set the inputs and read the outputs; later read the outputs
///     begin:   set the inputs, leave initialisation mode, handle initial events (FMI 3)
///     step:    discrete inputs that have changed are an event (FMI 3, event mode); repeat until the end is reached:
///                set the inputs (the continuous ones, where discrete ones are events)
///                make a step up to its end or the next event known
///                discarded: set the state back and try a smaller step, which then ends the step, or give up
///                event or tick of a clock (FMI 3): event mode until nothing changes any more, then step mode
///                ended early: stop there if others know that it may
///     finish:  terminate and free the instance
///
/// Between steps FMI does not let outputs follow inputs, so there is direct feedthrough in initialisation mode only.
class FmuSubsystem final : public FmuBase, public HeldStepper, public GuardedStepper {
 public:
  FmuSubsystem(LibraryPointer library, FmuSetup setup);

  void start(double t) override;
  bool begin(double t, Inputs& u) override;
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override {
    return outputs_read_ && instance_ ? y_.data() : read_output(t, u);
  }
  HeldStep held_step() override;
  Guard guard() override;
  void stand_at(double t) override {
    time_ = t;
    outputs_read_ = false;
  }
  bool stops_early() const override { return may_stop_early(setup_); }
  bool restarts_steps() const override { return setup_.redo_discarded; }
  bool offers_derivatives() const override { return setup_.output_slopes; }
  const double* output_derivative(double t, Inputs& u) override;

 private:
  const double* read_output(double t, Inputs& u);
  void inputs_bundled() override;
  void keep_memory(std::vector<double>& into) const override;
  void set_memory(const std::vector<double>& memory) override;
  double go_and_read(double t, double t_end, Inputs& u);
  double go(double t, double t_end, Inputs& u);
  void set_inputs(double t, double t_end, Inputs& u);
  void fit_lines(double t, double t_end, Inputs& u);
  void fit_lines_to_end(double t, double t_end, Inputs& u);
  void write_lines(double t, double t_end, Inputs& u);
  void set_intermediate_inputs(double t);
  StepEnd try_step(double t, double t_end, double original_end);
  bool has_doubles_at_start_only() const;
  void make_exchange();
  void step_held(double t, double t_end, const double* u, double* y);
  static void in_foreign_call(void* const* models, std::size_t count, void (*work)(void*), void* argument);
  void go_on_held(const StepEnd& end, double t, double t_end, const double* u, double* y);
  void handle_events(double t, Inputs& u);
  void settle(double t, Inputs& u);
  void go_on_after_discard(StepEnd& end);
  [[noreturn]] void blame_output(const ComponentFailure& refused);
  [[noreturn]] void give_up(const StepEnd& end, double t);

  FloatingPoint settings_;  ///< when the run began
  bool changes_settings_ = false;
  bool holds_ = false;         ///< nothing but doubles, held from the start of a step: set, step, get
  bool outputs_read_ = false;  ///< since the last step
  bool told_of_discard_ = false;
  IntermediateInputs intermediate_;
  double inner_start_ = 0.0;   ///< of the inner step of the FMU under way, s
  double inner_end_ = 0.0;     ///< of the step around it, s
  double inner_length_ = 0.0;  ///< of the last one: the next one is taken to be as long
  Inputs* inputs_ = nullptr;   ///< of the step under way

  Bundle slopes_in_{Type::float64}, slopes_out_{Type::float64};
  std::vector<double> u_, slopes_;
  bool discrete_by_event_ = false;  ///< discrete inputs are set in event mode (FMI 3)
};

}  // namespace counterpoint::fmi
