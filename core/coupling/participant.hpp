#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "coupling/defect.hpp"
#include "coupling/subsystem.hpp"

namespace counterpoint {

/// Why a run stopped, beside the exception that says it in words.
struct Failure {
  enum class Kind { none, not_finite, solver, contract, model };
  Kind kind = Kind::none;
  int subsystem = -1;
  int output = -1;       ///< for not_finite: which output, counted in scalars
  double start = 0.0;    ///< of the failed step, s
  double end = 0.0;      ///< s
};

/// Thrown by the core itself when a model breaks its contract or publishes NaN.
class StepFailure : public std::runtime_error {
 public:
  StepFailure(Failure::Kind failure_kind, const std::string& message, int failed_output = -1)
      : std::runtime_error(message), kind(failure_kind), output(failed_output) {}
  Failure::Kind kind;
  int output;
};

/// Times at which a subsystem steps: a fixed step is counted, never summed.
class Clock {
 public:
  Clock(double start, double until, double step, double tolerance)
      : start_(start), until_(until), step_(step), tolerance_(tolerance) {}

  bool fixed() const { return step_ > 0.0; }

  /// End of the next step from t for a subsystem that would like to step by `wish`.
  double next(double t, double wish) {
    if (t >= until_ - tolerance_) return Polynomial::infinity;
    double next = t + wish;
    if (fixed()) {
      next = start_ + static_cast<double>(count_ + 1) * step_;
      while (next <= t + tolerance_) next = start_ + static_cast<double>(++count_ + 1) * step_;
    }
    return next > until_ - tolerance_ ? until_ : next;
  }

 private:
  double start_;
  double until_;
  double step_;
  double tolerance_;
  long long count_ = 0;
};

/// Seconds spent in a subsystem. Cheap steps are timed by sampling: reading a clock at each would
/// cost as much as the step.
class Stopwatch {
 public:
  using clock = std::chrono::steady_clock;
  bool due() { return costly_ || ++calls_ % 64 == 1; }
  bool costly() const { return costly_; }
  void begin() { begun_ = clock::now(); }
  void end(long steps);
  double seconds(long total_steps) const;

 private:
  bool costly_ = false;
  unsigned calls_ = 0;
  long timed_steps_ = 0;
  double timed_seconds_ = 0.0;
  clock::time_point begun_;
};

/// One subsystem in a run: its inputs, its history, its clock and what is recorded of it.
class Participant {
 public:
  Participant(SubsystemPointer model, std::unique_ptr<Inputs> u, const Clock& run_clock, bool derivatives,
              double start, double tolerance, bool records);

  /// Make the initial sample; `initialise` again after other initial outputs changed.
  void start();
  void refresh_initial_outputs();

  /// One accepted step with frozen inputs, published into the history but not committed.
  void step() {
    inputs->freeze(t, t_next);
    step_with_inputs();
  }
  /// The same with inputs that the caller has frozen.
  void step_with_inputs();

  /// Write a sample that came from elsewhere (a host that integrates by itself).
  void publish(double time, const double* values);

  /// Rows (t, outputs) recorded since the last call.
  Rows take_rows() { return rows_.take(); }

  bool finished() const { return t_next == Polynomial::infinity; }

  SubsystemPointer subsystem;
  std::unique_ptr<Inputs> inputs;
  History history;
  std::vector<Defect> defects;  ///< one per term of inputs
  Stopwatch stopwatch;
  double t;
  double t_next;   ///< end of the proposed step, infinity when finished
  double horizon;  ///< the furthest t_next so far: what is needed of the sources
  long steps = 0;

 private:
  void propose();
  void read_outputs(double time);
  void record(double time);
  void leave_assumptions();

  Clock clock_;
  double tolerance_;
  bool records_;
  bool derivatives_offered_;
  std::vector<double> y_;
  std::vector<double> dy_;
  RowBuffer rows_;
};

}  // namespace counterpoint
