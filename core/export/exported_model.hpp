#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "coupling/scheduler.hpp"
#include "export/exported_spec.hpp"

namespace counterpoint::exported {

/// A model that was exported, between its recipe and the functions of FMI: values by reference, start, steps, states.
///
/// The run inside is the scheduler's, with two more participants. One publishes the inputs of the FMU: a sample at the
/// start of every communication step, followed on its slope (FMI 2) or held. The other waits for all and takes the
/// outputs at the end of every communication step.
///
///     step to t_end:
///       1. the inputs set since the last step become a sample at t
///       2. every subsystem is advanced to t_end, at least: fixed steps stay on their own grid and may go beyond it,
///          steps that a subsystem chooses end there
///       3. outputs are taken at t_end; between samples they are interpolated
///     with intermediate updates, 2 and 3 are done for the end of every step inside, and inputs set there are
///     1 again
///
/// Calls that come too early or too late are the caller's business. Everything else that is wrong is an exception.
class ExportedModel {
 public:
  /// Throws RecipeError.
  ExportedModel(std::string body, std::string resources);
  ~ExportedModel();

  const std::string& token() const { return spec_.token; }
  /// Null when there is none.
  const Variable* find(std::uint32_t reference) const;

  void get(const Variable& variable, double* values);
  /// Inputs at any time; parameters only before `begin`.
  void set(const Variable& variable, const double* values);
  /// dy/dt of an output at the end of the last step: what its subsystem says, or what two short steps show that are
  /// taken back. Beyond the point already: the slope of what lies between samples.
  void output_slope(const Variable& variable, double* values);
  /// An input, or before `begin` a parameter, and how fast it is moved.
  struct Direction {
    const Variable* known;
    const double* seed;
  };
  /// How fast all outputs change with these, at this instant; by central differences. Throws when a subsystem cannot
  /// save.
  std::vector<double> directional_derivative(const std::vector<Direction>& directions);
  /// du/dt of an input from now to the end of the next step.
  void set_input_slope(const Variable& variable, const double* values);

  /// At time t in the initial state; inputs and parameters may still change, outputs follow.
  void start(double t);
  /// The initial state is what it should be: steps follow.
  void begin();
  /// Asked at the end of a step inside, at a time that comes before the end: inputs may be set, outputs are there.
  /// Returns where the step is to end, at the latest where it would anyway.
  using Between = std::function<double(double t)>;
  /// Advance to t_end.
  void step(double t_end, const Between& between = {});
  void finish() noexcept;
  /// As it was made.
  void reset();

  double time() const { return time_; }
  /// Times that differ by less are the same.
  double tolerance() const { return spec_.tolerance; }
  /// What an exception says, with the subsystem and its step where one failed.
  std::string explain(const std::exception& error);

  struct State;
  using StatePointer = std::shared_ptr<const State>;
  /// Everything, parameters as well. Throws when a subsystem cannot save.
  StatePointer save() const;
  void restore(const State& state);
  /// Throws when a subsystem cannot.
  void write(const State& state, recipe::Writer& writer) const;
  /// What `write` wrote, maybe in another process. Throws RecipeError when it does not fit, `restore` as well.
  StatePointer read_state(recipe::Reader& reader) const;
  bool is_running() const { return is_running_; }

 private:
  class InputSource;
  class OutputSink;

  RunSpec run_spec(double start) const;
  void build();
  void initial_outputs();
  void advance(double time);
  double next_end() const;
  bool try_slope(Participant& participant, int place, int width, double* values);
  void slope_between_samples(const Variable& variable, double* values);
  void evaluate_again();
  void publish_inputs();
  void take_outputs();
  void forget_records();

  std::string body_;
  std::string resources_;
  ExportedSpec spec_;
  std::unordered_map<std::uint32_t, std::size_t> places_;
  std::map<recipe::Reader::Change, double> changes_;
  std::vector<double> inputs_, slopes_, outputs_;
  std::unique_ptr<Scheduler> scheduler_;
  double start_ = 0.0;
  double time_ = 0.0;
  bool is_built_ = true;     ///< the subsystems are those of the parameters
  bool is_started_ = false;  ///< outputs are those of the inputs
  bool is_running_ = false;
  bool are_inputs_new_ = false;  ///< set since outputs were evaluated last
};

}  // namespace counterpoint::exported
