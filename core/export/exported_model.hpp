#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "coupling/scheduler.hpp"
#include "export/exported_spec.hpp"

namespace counterpoint::exported {

/// A model that was exported, between its recipe and the functions of FMI: values by reference, start, steps, states.
///
/// The run inside is the scheduler's, with two more participants. One publishes the inputs of the FMU: a sample at the
/// start of every communication step, followed on its slope (FMI 2) or held. The other waits for all and takes the outputs
/// at the end of every communication step.
///
///     step to t_end:
///       1. the inputs set since the last step become a sample at t
///       2. everybody is advanced to t_end, at least: fixed steps stay on their own grid and may go beyond it,
///          steps that a subsystem chooses end there
///       3. outputs are taken at t_end; between samples they are interpolated
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
  /// dy/dt of an output at the end of the last step.
  void output_slope(const Variable& variable, double* values);
  /// du/dt of an input from now to the end of the next step.
  void set_input_slope(const Variable& variable, const double* values);

  /// At time t in the initial state; inputs and parameters may still change, outputs follow.
  void start(double t);
  /// The initial state is what it should be: steps follow.
  void begin();
  /// Advance to t_end.
  void step(double t_end);
  void finish() noexcept;
  /// As it was made.
  void reset();

  double time() const { return time_; }
  /// Times that differ by less are the same.
  double tolerance() const { return spec_.tolerance; }
  /// What the last exception was about, in front of its text: the subsystem and its step.
  std::string failure_place() const;

  struct State;
  /// Everything, parameters as well. Throws when a subsystem cannot save.
  std::shared_ptr<const State> save() const;
  void restore(const State& state);
  bool is_running() const { return is_running_; }

 private:
  class InputSource;
  class OutputSink;

  RunSpec run_spec(double start) const;
  void build();
  void initial_outputs();
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
  double time_ = 0.0;
  bool is_built_ = true;    ///< the subsystems are those of the parameters
  bool is_started_ = false;  ///< outputs are those of the inputs
  bool is_running_ = false;
};

}  // namespace counterpoint::exported
