#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coupling/abilities.hpp"
#include "fmi/fmu_base.hpp"
#include "link/child_process.hpp"
#include "link/remote_subsystem.hpp"

namespace counterpoint::fmi {

/// How an FMU is kept apart.
struct Isolation {
  link::ChildPlan plan;
  link::ChildLimits limits;
  double deadline = 60.0;  ///< for each answer, s
  std::string texts;       ///< folder of texts that are signals; empty: there are none
  PythonLibrary python;    ///< for FMUs that need it
};

/// What the child process has to know.
struct ChildOrder {
  std::string library;
  FmuSetup setup;
  link::ChildLimits limits;
  std::string texts;
  PythonLibrary python;

  std::string to_bytes() const;
  static ChildOrder from_bytes(std::string_view bytes);
};

/// An FMU in a process of its own: it may crash, hang or take all memory without harm to ours.
///
///     start:   start the process, tell it what to do, then as below
///     others:  pass the call on over shared memory; when the process died or is late: kill what is left of it and say
///              how it ended, what the FMU said and what it printed
///     finish:  let it end, kill what is left
class IsolatedFmu final : public Subsystem, public OwnInputs, public AnnouncedStepper {
 public:
  IsolatedFmu(std::string library, FmuSetup setup, Isolation isolation);
  ~IsolatedFmu() override;

  int input_width() const override { return input_width_; }
  int output_width() const override { return output_width_; }
  void start(double t) override;
  bool begin(double t, Inputs& u) override { return running().begin(t, u); }
  void finish() noexcept override;
  double step(double t, double t_end, Inputs& u) override { return running().step(t, t_end, u); }
  const double* output(double t, Inputs& u) override { return running().output(t, u); }
  bool stops_early() const override { return may_stop_early(order_.setup); }
  bool restarts_steps() const override { return order_.setup.redo_discarded; }
  const double* output_before_event() override { return running().output_before_event(); }
  void announce(double t, double t_end, Inputs& u) override { running().announce(t, t_end, u); }
  double preferred_step() const override { return remote_ ? remote_->preferred_step() : 0.0; }
  bool offers_derivatives() const override { return order_.setup.output_slopes; }
  const double* output_derivative(double t, Inputs& u) override { return running().output_derivative(t, u); }
  std::unique_ptr<SavedState> save() const override { return running().save(); }
  void restore(const SavedState& state) override { running().restore(state); }
  void write_input(int offset) override;

  const Log& log() const { return *log_; }
  std::vector<double> numbers(const Port& port);
  std::vector<std::string> texts(const Port& port);
  std::vector<double> directional_derivative(const References& unknowns, const References& knowns,
                                             const std::vector<double>& seed, std::size_t width);
  std::vector<std::uint8_t> serialize();
  std::vector<double> memory();
  /// Of the run under way, or as they were when the last one ended; null in co-simulation.
  const IntegrationStatistics* statistics() const;
  /// The last of what it printed in its latest run.
  std::string printed() const;

  /// Calls to the process beside those of a subsystem.
  enum class Call { numbers, texts, directional_derivative, state, memory, statistics, write_input };

 private:
  link::RemoteSubsystem& running() const;
  template <class Value, class... Argument>
  Value call(Call call, const Argument&... arguments) const;
  std::string explain_loss(const std::string& reason);

  ChildOrder order_;
  Isolation isolation_;
  int input_width_;
  int output_width_;
  std::shared_ptr<Log> log_;
  std::unique_ptr<link::ChildProcess> child_;
  std::unique_ptr<link::RemoteSubsystem> remote_;
  std::string printed_;
  mutable IntegrationStatistics statistics_;
};

/// Serve an FMU to the process that started this one, over shared memory; returns when it sends bye.
void serve_isolated(link::FrameLink& frames);

}  // namespace counterpoint::fmi
