#pragma once

#include "diagram/execution.hpp"
#include "ode/event_location.hpp"
#include "ode/step_control.hpp"

namespace counterpoint::diagram {

struct SimulatorOptions {
  std::string solver = "ode4";
  SolverOptions solver_options;
  double inner_step = 0.0;  ///< s, fixed-step solvers: largest step inside a longer one; 0: the step asked for
  bool locates =
      true;  ///< false: events take place at the end of the step in which they fall, as in Simulink's fixed steps
  LoopOptions loops;
};

struct SimulatorStatistics {
  long steps = 0;
  long rejected = 0;  ///< attempts given up: error too large, or an event to be located
  long evaluations = 0;
  long events = 0;         ///< located crossings
  long located_steps = 0;  ///< attempts made to locate them
};

/// A diagram in time. One step, the code has the same order:
///
///     begin      with inputs known now: what depends on them is evaluated again
///     limit      the step ends no later than the next sample or known jump
///     attempt    the solver's stages, modes as they are; error too large: again, shorter
///     locate     a crossing function changed its sign: find the first such time, end there
///     instant    samples, gates, modes, resets, until nothing changes any more
///     accept     blocks that remember, slopes for the next step
///
/// Location (simulator_events.cpp): see EventLocation. A function that is zero at the start of a step and then is not,
/// had its mode decided on the border: the step ends right after the start and it is decided again.
class Simulator : private Slopes, private CrossingModel {
 public:
  Simulator(FlatDiagram diagram, const SimulatorOptions& options);

  /// At time t in the initial state, everything evaluated with the inputs given. May be repeated.
  void start(double t, Inputs* u);

  /// Advance to t_end, or to the first event or known jump when `stops_at_events`, or to where a block ends the run.
  /// Returns the time reached. Throws RunEnd when the run has ended.
  double advance(double t_end, Inputs* u, bool stops_at_events);

  /// dx/dt at any state, everything decided there; outputs are left in the execution. For analyses: it spoils a run.
  void probe(double t, const std::vector<double>& x, Inputs* u, std::vector<double>& dx);

  /// Evaluate again at the time reached, should the inputs be these; samples stay as they are. To be followed by
  /// `restore`.
  void look(Inputs* u);

  /// Outputs right before the event that ended the last `advance`; null when none did.
  const double* outputs_before() const { return has_before_ ? before_.data() : nullptr; }

  double time() const { return time_; }
  /// The step that a solver of variable step would like next, s; 0 for those of fixed step.
  double wish() const { return is_variable() ? control_.wish() : 0.0; }
  bool is_variable() const { return method_->control_order() > 0; }
  Execution& execution() { return execution_; }
  const Execution& execution() const { return execution_; }
  const SimulatorStatistics& statistics() const { return statistics_; }

  struct Saved;
  std::shared_ptr<const Saved> save() const;
  void restore(const Saved& saved);
  static bool write(const Saved& saved, recipe::Writer& writer);
  std::shared_ptr<const Saved> read_state(recipe::Reader& reader) const;

 private:
  enum class Ending { plain, border, event };

  void evaluate(double t, int stage, const double* x, double* dx) override;
  void evaluate_at_end(double t);
  void begin();
  void settle(bool with_samples);
  double limit(double t_end) const;
  double attempted(double limit);
  /// Returns whether something may have jumped there.
  bool accept(double end, Ending ending);
  void note_outputs_before(double end);
  void give_up(double t);

  Ending find_crossing(double& end);
  bool leaves_border() const;
  void evaluate_guess(double t) override;
  void step_again(double t) override;
  void crossing(double* g) override { execution_.crossing(context_, g); }
  void slopes(double* dx) override { execution_.slopes(context_, dx); }
  double location_tolerance(double step) const { return location_.tolerance(time_, step); }
  bool is_reversed();
  void note_event();

  SimulatorOptions options_;
  Execution execution_;
  MethodPointer method_;
  StepControl control_;
  Context context_;
  SimulatorStatistics statistics_;
  double time_ = 0.0;
  double reached_ = 0.0;  ///< time_, or a known jump that differs from it by rounding
  double span_ = 0.0;     ///< of the present call of `advance`
  std::vector<double> x_begin_, x_end_, slope_;
  std::vector<double> g_begin_, g_end_;
  bool evaluated_at_end_ = false;
  bool stops_at_events_ = false;
  bool has_before_ = false;
  std::vector<double> before_;

  EventLocation location_;
  std::vector<double> g_ahead_;  ///< crossing functions and ...
  std::vector<double> signals_;  ///< ... what is kept during a look ahead
  std::vector<int> crossed_;     ///< functions that did at the last event
  double short_step_ = 0.0;      ///< of the next step when it must be short; else 0
  int border_steps_ = 0;         ///< short steps in a row
  ChatterWatch chatter_;
};

}  // namespace counterpoint::diagram
