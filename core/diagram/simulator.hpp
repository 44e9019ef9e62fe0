#pragma once

#include "diagram/execution.hpp"
#include "ode/hybrid_integrator.hpp"

namespace counterpoint::diagram {

struct SimulatorOptions : HybridOptions {
  LoopOptions loops;
};

struct SimulatorStatistics : HybridStatistics {
  long evaluations = 0;  ///< of the diagram
};

/// A diagram in time: the hybrid system that `HybridIntegrator` integrates. What its contract means here:
///
///     begin_advance  whatever depends on the diagram's inputs is evaluated again
///     time events    samples, and jumps that blocks know in advance
///     indicators     crossing functions of blocks
///     pass           blocks that record their input see what it is inside of the step
///     complete_step  blocks that need it see the end of the step in the modes and gates of the step
///     handle_event   samples, gates, modes, resets, until nothing changes any more
///     end_step       blocks remember, slopes for the next step
///
/// After a located event the next step is short only when a look ahead shows that the crossing function would cross
/// back.
class Simulator final : private HybridSystem {
 public:
  Simulator(FlatDiagram diagram, const SimulatorOptions& options);

  /// At time t in the initial state, everything evaluated with the inputs given. May be repeated.
  void start(double t, Inputs* u);

  /// Advance to t_end, or to the first event or known jump when `stops_at_events`, or to where a block ends the run.
  /// Returns the time reached. Throws RunEnd when the run has ended.
  double advance(double t_end, Inputs* u, bool stops_at_events);

  /// dx/dt at any state, everything decided there; outputs are left in the execution. For analyses: it spoils a run.
  void probe(double t, const std::vector<double>& x, Inputs* u, std::vector<double>& dx);

  /// Evaluate again at the time reached, as if the inputs were these; samples stay as they are. To be followed by
  /// `restore`.
  void evaluate_with(Inputs* u);

  /// Slopes of the outputs at the time reached: their change along the motion over `length` (s) to either side, in the
  /// modes of this instant.
  void slopes_along_motion(double length, Inputs* u, std::vector<double>& dy);

  /// Outputs right before the event that ended the last `advance`; null when none did.
  const double* outputs_before() const { return has_before_ ? before_.data() : nullptr; }

  double time() const { return integrator_.time(); }
  /// See HybridIntegrator.
  double preferred_step() const { return integrator_.preferred_step(); }
  bool is_variable() const { return integrator_.is_variable(); }
  Execution& execution() { return execution_; }
  const Execution& execution() const { return execution_; }
  SimulatorStatistics statistics() const { return {integrator_.statistics(), evaluations_}; }

  struct Saved;
  std::shared_ptr<const Saved> save() const;
  void restore(const Saved& saved);
  static bool write(const Saved& saved, recipe::Writer& writer);
  std::shared_ptr<const Saved> read_state(recipe::Reader& reader) const;

 private:
  // HybridSystem; events are in simulator_events.cpp
  void evaluate(double t, int stage, const double* x, double* dx) override;
  void place(double t, const double* x) override;
  void place_within(double t, const double* x) override;
  void indicators(double* g) override { execution_.crossing(context_, g); }
  void slopes(double* dx) override { execution_.slopes(context_, dx); }
  double next_time_event() const override;
  void begin_advance(HybridPoint& point) override;
  void resume_advance(HybridPoint& point) override;
  void begin_attempt(double begin, double end, int number) override;
  bool sees_inside() const override { return execution_.needs_passage(); }
  void pass(const StepInside& inside) override;
  StepOutcome complete_step(const IntegratedStep& step) override;
  void handle_event(HybridPoint& point) override;
  double step_after_event(const LocatedEvent& event, HybridPoint& point) override;
  bool end_step(HybridPoint& point) override;
  void explain(const SolverFailure& failure) const override;
  std::string indicator_name(int i) const override;
  std::string chattering_remedy() const override;

  void show(const StepInside& inside, double k, Passing passing);
  void set_instant(double t, Inputs* u);
  void write_point(HybridPoint& point);
  void iterate_event(bool with_samples);
  void check_end_of_step();
  void keep_outputs_before();

  bool locates_;
  Execution execution_;
  HybridIntegrator integrator_;
  Context context_;
  long evaluations_ = 0;
  double reached_ = 0.0;      ///< time of the integrator, or a known jump that differs from it by rounding
  double step_length_ = 0.0;  ///< of the step that was completed last, s
  std::vector<double> before_;
  std::vector<double> x_inside_;  ///< states within a step
  bool has_before_ = false;
  std::vector<double> x_ahead_, g_ahead_, signals_;  ///< of a look ahead
};

}  // namespace counterpoint::diagram
