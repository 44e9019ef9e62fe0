#pragma once

#include <memory>

#include "ode/event_location.hpp"
#include "ode/hybrid_system.hpp"
#include "ode/step_control.hpp"

namespace counterpoint {

struct HybridOptions {
  OdeSolver solver = OdeSolver::ode4;
  SolverOptions solver_options;
  double inner_step = 0.0;  ///< s, fixed-step solvers: largest step inside a longer one; 0: the step asked for
  /// False: events take place at the end of the step in which they fall, as in Simulink's fixed steps.
  bool locates = true;
};

struct HybridStatistics {
  long steps = 0;
  long rejected = 0;       ///< attempts given up: error too large, or an event to be located
  long events = 0;         ///< located crossings
  long located_steps = 0;  ///< attempts made to locate them
};

/// Integrates a hybrid system by one of the methods, of fixed or variable step. One advance, the code has the same
/// order:
///
///     begin      the system takes the inputs known now; before each further step it resumes
///     limit      the step ends no later than the next time event
///     attempt    the method's stages, modes as they are; error too large: again, shorter
///     locate     an indicator changed its sign: find the first such time, end there
///     complete   the system accepts the step and says whether something is due
///     event      the event iteration, until nothing changes any more
///     restart    too many events in a short time are an error; the next step may have to be short
///     end        the system closes the step
///
/// Location: see EventLocation. An indicator that is zero at the start of a step and then is not had its mode decided
/// on the border: the step ends right after the start and the mode is decided again.
class HybridIntegrator {
 public:
  /// The system must outlive the integrator.
  HybridIntegrator(HybridSystem& system, const HybridOptions& options);
  HybridIntegrator(const HybridIntegrator&) = delete;
  HybridIntegrator& operator=(const HybridIntegrator&) = delete;

  /// How many states and indicators there are. Everything is zero then.
  void resize(int states, int indicators);
  /// A new run from t; the system writes the point that it begins with. The first step of a variable-step method is a
  /// cautious share of the tolerance, until `choose_first_step` finds it from states and slopes.
  void start(double t);
  void choose_first_step();

  /// Go to t_end, or to the first event when `stops_at_events`, or to where the system ends the advance. Returns the
  /// time reached.
  double advance(double t_end, bool stops_at_events);

  double time() const { return point_.time; }
  HybridPoint& point() { return point_; }
  const HybridPoint& point() const { return point_; }
  bool is_variable() const { return is_variable_; }
  /// The step that a method of variable step would like to make next, s; 0 for those of fixed step.
  double preferred_step() const { return is_variable() ? control_.preferred_step() : 0.0; }
  const HybridStatistics& statistics() const { return statistics_; }

  /// What lasts from one advance to the next, besides the point.
  struct Memory {
    double preferred_step = 0.0;
    double short_step = 0.0;
    int border_steps = 0;
    ChatterWatch chatter{0};
    MethodMemory method{};
  };
  Memory memory() const { return {control_.preferred_step(), short_step_, border_steps_, chatter_, method_->memory()}; }
  void set_memory(Memory memory);

 private:
  double limit(double t_end) const;
  double attempt(double limit);
  Ending find_event(double& end);
  bool leaves_border() const;
  void pass_inside(double begin, double end);
  bool accept(double end, Ending ending);
  void restart();
  [[noreturn]] void refuse_chattering(int indicator) const;

  HybridSystem& system_;
  HybridOptions options_;
  MethodPointer method_;
  bool is_variable_ = false;
  std::unique_ptr<EventLocation> location_;
  StepControl control_;
  HybridStatistics statistics_;
  HybridPoint point_;
  std::vector<double> x_end_, g_end_;
  std::vector<int> crossed_;  ///< indicators that changed their sign at the last event
  double span_ = 0.0;         ///< of the present advance, s
  bool stops_at_events_ = false;
  bool is_placed_ = false;   ///< at the end of the attempt
  int attempts_ = 0;         ///< given up in the present step
  double short_step_ = 0.0;  ///< of the next step when it must be short; else 0
  int border_steps_ = 0;     ///< in a row
  ChatterWatch chatter_{0};
};

}  // namespace counterpoint
