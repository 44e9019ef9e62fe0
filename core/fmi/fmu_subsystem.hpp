#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coupling/subsystem.hpp"
#include "fmi/bundle.hpp"
#include "fmi/instance.hpp"

namespace counterpoint::fmi {

/// A value given to a variable before initialisation.
struct Assignment {
  Type type = Type::float64;
  ValueReference reference = 0;
  std::string bytes;               ///< numbers in the memory layout of their type
  std::vector<std::string> texts;  ///< strings and binary values
};

/// How inputs reach an FMU.
enum class InputStyle {
  start,         ///< the value at the start of the step
  middle,        ///< the value at the middle of the step: a held value of second order
  slope,         ///< a line with the mean and the trend of the input in the step (FMI 2, canInterpolateInputs)
  intermediate,  ///< the value at the middle of every inner step, as far as the FMU asks for it (FMI 3)
};

/// What a run needs to know about an FMU; made from its description.
struct FmuSetup {
  int major = 2;
  InstanceSettings instance;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Assignment> structure;  ///< structural parameters
  std::vector<Assignment> values;     ///< parameters and start values
  InputStyle input_style = InputStyle::start;
  bool output_slopes = false;   ///< the FMU gives dy/dt of its continuous outputs
  bool can_save = false;
  bool redo_discarded = false;  ///< make a discarded step again in smaller ones
  bool equal_steps = false;     ///< all steps must have the same length
  bool only_once = false;       ///< one instance a process
};

/// An FMU for co-simulation as a subsystem.
///
///     start:   instantiate, set parameters and start values, enter initialisation mode
///     output:  in initialisation mode set the inputs and read the outputs; later read the outputs
///     begin:   set the inputs, leave initialisation mode, handle initial events (FMI 3)
///     step:    repeat until the end of the step is reached:
///                set the inputs; make a step up to its end or the next event known
///                discarded: set the state back and try a smaller step, or give up
///                event (FMI 3): event mode until nothing changes any more, then step mode
///                ended early: stop there if others know that it may
///     finish:  terminate and free the instance
///
/// Between steps FMI does not let outputs follow inputs, so there is direct feedthrough in initialisation mode only.
class FmuSubsystem final : public Subsystem {
 public:
  FmuSubsystem(LibraryPointer library, FmuSetup setup);
  ~FmuSubsystem() override;

  int input_width() const override { return input_width_; }
  int output_width() const override { return static_cast<int>(y_.size()); }
  void start(double t) override;
  bool begin(double t, Inputs& u) override;
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override;
  void burst(Participant& participant, const BurstLimits& limits) override;
  void finish() noexcept override;
  bool stops_early() const override { return setup_.instance.early_return; }
  bool offers_derivatives() const override { return setup_.output_slopes; }
  const double* output_derivative(double t, Inputs& u) override;
  std::unique_ptr<SavedState> save() const override;
  void restore(const SavedState& state) override;

  const Log& log() const { return *log_; }
  /// Messages go there instead of being kept.
  void set_listener(std::function<void(const Message&)> listener) { log_->set_listener(std::move(listener)); }
  /// Values of a variable of the running instance.
  std::vector<double> numbers(const Port& port);
  std::vector<std::string> texts(const Port& port);
  /// d(unknowns)/d(knowns) times a seed, for the running instance.
  std::vector<double> directional_derivative(const References& unknowns, const References& knowns, const std::vector<double>& seed);

 private:
  enum class Phase { none, initializing, stepping };
  struct Saved;

  Instance& running() const;
  void assign(const std::vector<Assignment>& assignments);
  void set_inputs(double t, double t_end, Inputs& u);
  void write_inputs(const double* u);
  void write_discrete_inputs(double t, Inputs& u);
  void write_continuous_inputs(double t, Inputs& u);
  void set_intermediate_inputs(double t);
  StepEnd try_step(double t, double t_end, double original_end);
  double length(double t, double t_end);
  void handle_events(double t, Inputs& u);
  [[noreturn]] void give_up(const StepEnd& end, double t);

  LibraryPointer library_;
  FmuSetup setup_;
  std::shared_ptr<Log> log_;
  std::shared_ptr<Instance> instance_;
  Phase phase_ = Phase::none;
  double start_ = 0.0;
  bool inputs_set_ = false;  ///< in initialisation mode: from the second reading on, the first one has start values
  double next_event_ = Polynomial::infinity;
  double first_length_ = 0.0;  ///< of the steps of an FMU that wants them equal, s
  IntermediateInputs intermediate_;
  double inner_start_ = 0.0;   ///< of the inner step of the FMU under way, s
  double inner_end_ = 0.0;     ///< of the step around it, s
  double inner_length_ = 0.0;  ///< of the last one: the next one is taken to be as long
  Inputs* inputs_ = nullptr;  ///< of the step under way
  void* step_state_ = nullptr;  ///< before the step, to make it again

  int input_width_ = 0;
  Bundles inputs_all_, inputs_continuous_, inputs_discrete_, outputs_;
  Bundle slopes_in_{Type::float64}, slopes_out_{Type::float64};
  std::vector<double> u_, u_first_, slopes_, y_, dy_;
};

}  // namespace counterpoint::fmi
