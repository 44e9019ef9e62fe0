#pragma once

#include <functional>

#include "diagram/execution.hpp"
#include "ode/method.hpp"

namespace counterpoint::diagram {

struct SimulatorOptions {
  std::string solver = "ode4";
  SolverOptions solver_options;
  double inner_step = 0.0;  ///< s, fixed-step solvers: largest step inside a longer one; 0: the step asked for
  bool locates = true;      ///< false: events take place at the end of the step in which they fall, as in Simulink's fixed steps
  LoopOptions loops;
};

struct SimulatorStatistics {
  long steps = 0;
  long rejected = 0;
  long evaluations = 0;
  long events = 0;
};

/// A diagram in time. One step, the code has the same order:
///
///     begin      with inputs known now: what depends on them is evaluated again
///     limit      the step ends no later than the next sample or known jump
///     attempt    the solver's stages, modes as they are; error too large: again, shorter
///     locate     a crossing function changed its sign: find the first such time, end there
///     instant    samples, gates, modes, resets, until nothing changes any more
///     accept     blocks that remember, slopes for the next step
class Simulator : private Slopes {
 public:
  Simulator(FlatDiagram diagram, const SimulatorOptions& options);

  /// At time t in the initial state, everything evaluated with the inputs given. May be repeated.
  void start(double t, Inputs* u);

  /// Advance to t_end, or to the first event when `stops_at_events`. Returns the time reached.
  double advance(double t_end, Inputs* u, bool stops_at_events);

  /// dx/dt at any state, everything decided there; outputs are left in the execution. For analyses: it spoils a run.
  void probe(double t, const std::vector<double>& x, Inputs* u, std::vector<double>& dx);

  double time() const { return time_; }
  /// The step that a solver of variable step would like next, s; 0 for those of fixed step.
  double wish() const { return wish_; }
  bool is_variable() const { return method_->control_order() > 0; }
  Execution& execution() { return execution_; }
  const Execution& execution() const { return execution_; }
  const SimulatorStatistics& statistics() const { return statistics_; }

  struct Saved;
  std::shared_ptr<const Saved> save() const;
  void restore(const Saved& saved);

 private:
  void evaluate(double t, int stage, const double* x, double* dx) override;
  void evaluate_at_end(double t);
  void begin();
  void settle(bool with_samples);
  double limit(double t_end) const;
  double attempted(double limit);
  bool find_crossing(double& end);
  bool changes_sign(const std::vector<double>& from, const std::vector<double>& to) const;
  double guess_crossing(double a, double b) const;
  void state_at(double t, double end);
  void accept(double end, bool is_event);
  void note_event(double t_begin, double t_end);
  double first_wish() const;
  void give_up(double t);

  SimulatorOptions options_;
  Execution execution_;
  std::unique_ptr<Method> method_;
  Context context_;
  SimulatorStatistics statistics_;
  double time_ = 0.0;
  double wish_ = 0.0;
  std::vector<double> x_begin_, x_end_, slope_;
  std::vector<double> g_begin_, g_end_, g_left_, g_right_;
  bool evaluated_at_end_ = false;
  std::vector<double> recent_events_;  ///< times of the last events, a ring
  std::size_t next_event_place_ = 0;
  int last_crossing_ = -1;
};

}  // namespace counterpoint::diagram
