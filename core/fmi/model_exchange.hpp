#pragma once

#include "fmi/fmu_base.hpp"
#include "ode/event_location.hpp"
#include "ode/step_control.hpp"

namespace counterpoint::fmi {

/// An FMU for model exchange as a subsystem: the FMU has the equations, one of our methods integrates them.
///
///     start:   instantiate, set parameters and start values, enter initialisation mode
///     output:  set the inputs where some output depends on them, read the outputs
///     begin:   set the inputs, leave initialisation mode, handle initial events, enter continuous-time mode
///     step:    discrete inputs that have changed, or an event indicator that the inputs known now put on its other
///     side,
///              are an event; repeat until the end is reached:
///                limit      the integrator's step ends no later than the next time event
///                attempt    stages with inputs at their times; error too large: again, shorter
///                locate     an event indicator changed its side: find the first such time, end there
///                complete   tell the FMU, which may ask for an event
///                event      event mode until nothing changes any more; states and nominal values are read again
///              with `publishes_events` the step ends after an event
///     finish:  terminate and free the instance
///
/// An indicator of zero counts as negative, as FMI has it. After an event found by an indicator the next step is short:
/// a ball that bounced may be a rounding error below the floor, and a long step would end below it again.
/// States are integrated in units of their nominal values, rounded to powers of two so that no bit changes by that.
class ModelExchangeSubsystem final : public FmuBase, private Slopes, private CrossingModel {
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
  std::vector<double> memory() const override;

  const IntegrationStatistics* statistics() const override { return &statistics_; }

 private:
  enum class Cause { none, state, time, step, input };

  // model_exchange.cpp
  void set_memory(const std::vector<double>& memory) override;
  void prepare();
  void read_states();
  void read_nominals();
  std::string name_of_state(std::size_t i) const;
  void fill_slope(const Port& port, double* dy);

  // model_exchange_step.cpp
  void evaluate(double t, int stage, const double* x, double* dx) override;
  void evaluate_guess(double t) override { put(t, x_end_.data()); }
  void step_again(double t) override;
  void crossing(double* g) override;
  void slopes(double* dx) override;

  bool put(double t, const double* x);
  void take_inputs();
  void evaluate_start();
  double limit(double t_end) const;
  double attempt(double limit);
  bool find_crossing(double& end);
  Cause accept(double end, bool crossed);
  void handle_event(Cause cause);
  void settle();
  void note(Cause cause);
  void check_finite(double end) const;

  int order_;  ///< of the method's error estimate; 0: fixed steps
  std::unique_ptr<Method> method_;
  std::unique_ptr<EventLocation> location_;
  StepControl control_;
  Inputs* inputs_ = nullptr;  ///< of the step under way
  double span_ = 0.0;         ///< of the step under way, s
  double short_step_ = 0.0;   ///< of the next step of the integrator when it must be short; else 0
  double earliest_ = 0.0;   ///< time that the FMU was told at its last event, s: it may be a rounding error after time_
  bool discarded_ = false;  ///< the FMU discarded an evaluation in the attempt under way
  std::vector<double> scale_;              ///< of states, powers of two
  std::vector<double> x_, x_end_, slope_;  ///< in these scales
  std::vector<double> raw_;                ///< states or derivatives as the FMU has them
  std::vector<double> g_, g_end_;
  std::vector<int> crossed_;  ///< indicators that did in the last step of the integrator
  ChatterWatch chatter_{0};   ///< of indicators, and of time events at its end
  IntegrationStatistics statistics_;
};

}  // namespace counterpoint::fmi
