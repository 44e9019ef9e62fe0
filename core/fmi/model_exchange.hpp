#pragma once

#include "fmi/fmu_base.hpp"
#include "ode/hybrid_integrator.hpp"

namespace counterpoint::fmi {

/// An FMU for model exchange as a subsystem: the FMU has the equations, one of our methods integrates them.
///
///     start:   instantiate, set parameters and start values, enter initialisation mode
///     output:  set the inputs where some output depends on them, read the outputs
///     begin:   set the inputs, leave initialisation mode, handle initial events, enter continuous-time mode
///     step:    a HybridIntegrator advances, the FMU being its hybrid system:
///                begin_advance  discrete inputs that have changed, or an event indicator that the inputs known now put
///                               on its other side, are an event; derivatives at the start
///                time events    the next event that the FMU or one of its clocks has announced
///                complete_step  the FMU is told, and may ask for an event
///                handle_event   event mode until nothing changes any more; states and nominal values are read again
///              with `publishes_events` the step ends after an event
///     finish:  terminate and free the instance
///
/// An indicator of zero counts as negative, as FMI has it. After an event found by an indicator the next step is always
/// short: a ball that bounced may be a rounding error below the floor, and a long step would end below it again. (An
/// FMU cannot be asked without a trace whether that is so.) An event in that short step belongs to the one before it.
/// States are integrated in units of their nominal values, rounded to powers of two so that no bit changes by that.
class ModelExchangeSubsystem final : public FmuBase, private HybridSystem {
 public:
  ModelExchangeSubsystem(LibraryPointer library, FmuSetup setup);

  void start(double t) override;
  bool begin(double t, Inputs& u) override;
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override;
  bool stops_early() const override { return setup_.integration.publishes_events; }
  bool offers_derivatives() const override { return setup_.output_slopes; }
  const double* output_derivative(double t, Inputs& u) override;
  double preferred_step() const override;

  const IntegrationStatistics* statistics() const override { return &statistics_; }
  long evaluations() const override { return statistics_.evaluations; }

 private:
  enum class Cause { none, state, time, step, input };

  // model_exchange.cpp
  void keep_memory(std::vector<double>& into) const override;
  void set_memory(const std::vector<double>& memory) override;
  void prepare();
  void read_states(HybridPoint& point);
  void read_nominals(HybridPoint& point);
  std::string name_of_state(std::size_t i) const;
  void fill_slope(const Port& port, double* dy);

  // HybridSystem, model_exchange_step.cpp
  void evaluate(double t, int stage, const double* x, double* dx) override;
  void place(double t, const double* x) override;
  void indicators(double* g) override;
  void slopes(double* dx) override;
  double next_time_event() const override { return next_event_; }
  void begin_advance(HybridPoint& point) override;
  void resume_advance(HybridPoint& point) override;
  StepOutcome complete_step(const IntegratedStep& step) override;
  void handle_event(HybridPoint& point) override;
  double step_after_event(const LocatedEvent& event, HybridPoint& point) override;
  void explain(const SolverFailure& failure) const override;
  std::string indicator_name(int i) const override;
  std::string chattering_remedy() const override;

  bool put(double t, const double* x);
  void take_inputs(HybridPoint& point);
  void iterate_event(HybridPoint& point);
  void note_event();
  void check_finite(double end, const double* x) const;

  HybridIntegrator integrator_;
  Inputs* inputs_ = nullptr;  ///< of the step under way
  double span_ = 0.0;         ///< of the step under way, s
  double earliest_ = 0.0;  ///< time that the FMU was told at its last event, s: it may be a rounding error after time_
  Cause cause_ = Cause::none;  ///< of the event that is handled
  bool is_prepared_ = false;   ///< the numbers of states and event indicators are known
  bool discarded_ = false;     ///< the FMU discarded an evaluation in the attempt under way
  std::vector<double> scale_;  ///< of states, powers of two
  std::vector<double> raw_;    ///< states or derivatives as the FMU has them
  std::vector<double> g_now_;  ///< event indicators with the inputs known now
  ChatterWatch time_chatter_{1};
  IntegrationStatistics statistics_;
};

}  // namespace counterpoint::fmi
