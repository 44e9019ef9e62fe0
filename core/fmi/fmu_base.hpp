#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coupling/abilities.hpp"
#include "coupling/subsystem.hpp"
#include "fmi/bundle.hpp"
#include "fmi/clocks.hpp"
#include "fmi/instance.hpp"
#include "fmi/own_inputs.hpp"
#include "fmi/spare_instance.hpp"
#include "ode/solver.hpp"

namespace counterpoint::fmi {

/// A value given to a variable before initialisation.
struct Assignment {
  Type type = Type::float64;
  ValueReference reference = 0;
  std::string bytes;               ///< numbers in the memory layout of their type
  std::vector<std::string> texts;  ///< strings and binary values
};

/// How inputs reach an FMU for co-simulation.
enum class InputStyle {
  start,         ///< the value at the start of the step
  middle,        ///< the value at the middle of the step: a held value of second order
  slope,         ///< a line with the mean and the trend of the input in the step (FMI 2, canInterpolateInputs)
  intermediate,  ///< the value at the middle of every inner step, if the FMU asks for it (FMI 3)
  slope_to_end,  ///< a line with the mean of the input in the step and its value at the end, which outputs depend on
};

/// A variable that is a continuous state, in the order of the state vector.
struct StateVariable {
  std::string name;
  ValueReference reference = 0;
  int width = 1;
};

/// How an FMU for model exchange is integrated.
struct IntegrationSetup {
  OdeSolver solver = OdeSolver::automatic;
  SolverOptions options;            ///< the absolute tolerance counts in nominal values of the states
  int states = 0;                   ///< FMI 2; an FMU of FMI 3 is asked
  int indicators = 0;               ///< FMI 2; an FMU of FMI 3 is asked
  bool completes_steps = true;      ///< the FMU is told of every completed step
  bool publishes_events = false;    ///< a step ends at an event, so that others see it
  bool outputs_use_inputs = false;  ///< some output has direct feedthrough
  std::vector<StateVariable> state_variables;
};

/// What a run needs to know about an FMU; made from its description.
struct FmuSetup {
  int major = 2;
  InstanceSettings instance;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<ClockSetup> clocks;     ///< FMI 3; those of outputs and of inputs that tick by time
  std::vector<Assignment> structure;  ///< structural parameters
  std::vector<Assignment> values;     ///< parameters and start values
  InputStyle input_style = InputStyle::start;
  bool output_slopes = false;  ///< dy/dt of the continuous outputs is known
  bool can_save = false;
  bool redo_discarded = false;      ///< a discarded step ends earlier, and the next one begins there
  bool equal_steps = false;         ///< all steps must have the same length
  bool only_once = false;           ///< one instance per process
  std::vector<std::uint8_t> state;  ///< to begin with, serialised; empty: the FMU is initialised
  std::vector<double> memory;       ///< of the importer, together with `state`
  IntegrationSetup integration;
  std::shared_ptr<SpareInstance> spare;  ///< keeps the instance between runs; null: it is freed. Not part of recipes.
};

/// Whether a step may end before its end.
inline bool may_stop_early(const FmuSetup& setup) {
  if (setup.instance.kind == Kind::model_exchange) return setup.integration.publishes_events;
  return setup.instance.early_return || setup.redo_discarded;
}

/// How often what happened in a run of an FMU for model exchange.
struct IntegrationStatistics {
  long steps = 0;        ///< of the integrator
  long evaluations = 0;  ///< of derivatives
  long state_events = 0, time_events = 0, step_events = 0, input_events = 0;
};

/// What FMUs of both kinds have in common: an instance from start to finish, its ports, and access to its variables.
class FmuBase : public Subsystem, public StateRewriter, public OwnInputs {
 public:
  ~FmuBase() override;

  int input_width() const override { return input_width_; }
  int output_width() const override { return static_cast<int>(y_.size()); }
  void finish() noexcept override;
  void write_input(int offset) override;

  std::unique_ptr<SavedState> save() const override;
  bool save_again(SavedState& state) const override;
  void restore(const SavedState& state) override;
  std::unique_ptr<SavedState> read_state(recipe::Reader& reader) const override;

  /// The state of the running instance as bytes, and what the importer has to remember with it: see FmuSetup.
  std::vector<std::uint8_t> serialize();
  std::vector<double> memory() const {
    std::vector<double> made;
    keep_memory(made);
    return made;
  }
  const double* output_before_event() override { return has_before_ ? before_.data() : nullptr; }

  const Log& log() const { return *log_; }
  /// Messages go there instead of being kept.
  void set_listener(std::function<void(const Message&)> listener) { log_->set_listener(std::move(listener)); }
  /// Null in co-simulation.
  virtual const IntegrationStatistics* statistics() const { return nullptr; }
  /// Values of a variable of the running instance.
  std::vector<double> numbers(const Port& port);
  std::vector<std::string> texts(const Port& port);
  /// d(unknowns)/d(knowns) times a seed, for the running instance; `width`: scalars of the unknowns.
  std::vector<double> directional_derivative(const References& unknowns, const References& knowns,
                                             const std::vector<double>& seed, std::size_t width);

 protected:
  enum class Phase { none, initializing, stepping };

  /// What `into` was is overwritten.
  virtual void keep_memory(std::vector<double>& into) const = 0;
  /// Throws ComponentFailure when it does not fit the FMU.
  virtual void set_memory(const std::vector<double>& memory) = 0;
  static void check_memory(std::size_t given, std::size_t needed);

  FmuBase(LibraryPointer library, FmuSetup setup);

  Instance& running() const;
  /// Instantiate; set parameters and start values and enter initialisation mode, or take over the state given.
  void initialize(double t);
  /// Outputs in initialisation mode, with the inputs of t if others have published before.
  const double* initial_output(double t, Inputs& u);
  /// It told no outputs in initialisation mode: it is not asked again before it has left that mode.
  void begin_without_outputs(double t, const std::string& refused);
  /// FMI 1: the first reading of outputs ends the initialisation, so that inputs have to be known before.
  bool reading_initializes() const { return setup_.major == 1 && input_width_ > 0; }
  /// Set the inputs a last time and leave initialisation mode.
  void leave_initialization(double t, Inputs& u);
  /// Those that belong to clocks are read in event mode, and before that in initialisation mode.
  void read_outputs() {
    for (Bundle& bundle : outputs_) bundle.read(*instance_, y_.data());
    if (phase_ == Phase::initializing) read_clocked_outputs();
  }
  void read_clocked_outputs();
  /// An event comes: outputs as they are now.
  void note_outputs_before();
  void write_inputs(const double* u) {
    for (Bundle& bundle : inputs_all_) bundle.write(*instance_, u);
  }
  void write_continuous_inputs(double t, Inputs& u);
  void write_discrete_inputs(double t, Inputs& u);
  /// Whether discrete inputs at t differ from what was written last.
  bool discrete_inputs_changed(double t, Inputs& u);
  /// In event mode: set discrete inputs, tick clocks that are due, and update discrete states until nothing changes any
  /// more.
  DiscreteUpdate update_until_settled(double t, Inputs& u);
  /// The FMU asks for it: a normal end, and what it publishes at t is the last sample.
  [[noreturn]] void end_simulation(double t);
  /// Throw that the FMU asks for an event at a time that is over, more often than can be meant.
  static constexpr int most_repetitions = 1000;
  [[noreturn]] void refuse_event(double t) const;

  /// The part of `memory` that both kinds have.
  void put_shared(std::vector<double>& memory) const;
  const double* take_shared(const double* memory);
  std::size_t shared_size() const;

  LibraryPointer library_;
  FmuSetup setup_;
  std::shared_ptr<Log> log_;
  std::shared_ptr<Instance> instance_;
  Phase phase_ = Phase::none;
  double start_ = 0.0;
  double time_ = 0.0;           ///< reached, s
  bool inputs_set_ = false;     ///< in initialisation mode: from the second reading on, the first one has start values
  bool outputs_later_ = false;  ///< the FMU refuses to tell outputs in initialisation mode
  double next_event_ = Polynomial::infinity;
  void* step_state_ = nullptr;  ///< before the step, to make it again

  int input_width_ = 0;
  Bundles inputs_all_, inputs_continuous_, inputs_discrete_, outputs_;
  std::vector<double> y_, dy_;
  std::vector<double> before_;  ///< outputs right before the event that ended the last step, where one did
  bool has_before_ = false;
  std::vector<double> u_discrete_;  ///< all inputs when discrete ones were written last
  Clocks clocks_;
  std::vector<ClockedPort> clocked_inputs_, clocked_outputs_;

 private:
  struct Saved;

  void take_over_state(double t);
  /// Take the instance that an earlier run has left, if there is one; keep the present one for a later run.
  void take_spare();
  void keep_as_spare();
  void assign(const std::vector<Assignment>& assignments);
  void bundle_inputs();
  /// Other inputs are written from now on.
  virtual void inputs_bundled() {}
};

/// An FMU of the kind that its setup says.
std::unique_ptr<FmuBase> make_fmu(LibraryPointer library, FmuSetup setup);

}  // namespace counterpoint::fmi
