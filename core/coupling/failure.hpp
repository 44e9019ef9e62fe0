#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace counterpoint {

/// Why a run stopped: what happened, to which participant, in which step.
///
/// Exceptions carry a failure through the core (below); a driver turns the first one into this value. A caller that
/// knows the names of participants and ports makes the message of it: `sentence` is the only place that writes one.
struct Failure {
  enum class Kind {
    none,
    not_finite,  ///< an output is NaN or infinite
    signal,      ///< what makes an input gave NaN or infinity
    solver,      ///< numerics gave up
    contract,    ///< the participant did what a subsystem must not do
    model,       ///< the model threw an exception of its own
    component,   ///< a component made elsewhere reported an error
    death,       ///< such a component is not there any more
    internal,    ///< the core broke one of its own promises
  };
  /// What the participant was doing.
  enum class Activity { start, step, preferred_step, major_step };

  Kind kind = Kind::none;
  Activity activity = Activity::start;
  int participant = -1;
  int port = -1;       ///< for not_finite: which output, for signal: which input, counted in scalars
  double start = 0.0;  ///< of the failed step, s
  double end = 0.0;    ///< s
  std::string reason;  ///< in words, without names

  explicit operator bool() const { return kind != Kind::none; }

  /// Kind, port and reason of an exception; of no kind when it is the end of a run or was cancelled.
  static Failure of(const std::exception_ptr& thrown);

  /// The reason, with the name of the port where there is one.
  std::string explanation(const std::string& port_name) const;
  /// "engine: step from t = 1.2345 s to 1.2346 s failed: output "torque" is NaN; ..."
  std::string sentence(const std::string& participant_name, const std::string& port_name) const;
};

/// A participant wants the run to end here; not a failure. Where that is within a step, its outputs there are the last
/// sample.
class RunEnd : public std::runtime_error {
 public:
  RunEnd(const std::string& reason, double when) : std::runtime_error(reason), time(when) {}
  double time;  ///< s
};

/// Thrown by the core itself when a model breaks its contract or publishes NaN.
class StepFailure : public std::runtime_error {
 public:
  StepFailure(Failure::Kind failure_kind, const std::string& message, int failed_port = -1)
      : std::runtime_error(message), kind(failure_kind), port(failed_port) {}
  Failure::Kind kind;
  int port;
};

/// What makes an input (a coupling law, an approximation of the user) gave NaN or infinity.
class SignalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  int input = -1;  ///< which one, counted in scalars; -1 when it is not an input
};

/// A solver that gives up: it did not converge, or its step became too small.
class SolverFailure : public std::runtime_error {
 public:
  explicit SolverFailure(const std::string& message, std::exception_ptr thrown = nullptr)
      : std::runtime_error(message), cause(std::move(thrown)) {}
  std::exception_ptr cause;  ///< what a part of the model threw, null when none did
};

/// A component made elsewhere (an FMU, a program on another host) reported an error, or is not there any more.
class ComponentFailure : public std::runtime_error {
 public:
  explicit ComponentFailure(const std::string& message, bool component_died = false)
      : std::runtime_error(message), died(component_died) {}
  bool died;
};

/// A model in another language threw: the message in one line, and the exception itself for callers in that language.
class ModelFailure : public std::runtime_error {
 public:
  ModelFailure(const std::string& message, std::exception_ptr thrown, bool component_died = false)
      : std::runtime_error(message), original(std::move(thrown)), died(component_died) {}
  std::exception_ptr original;
  bool died;  ///< the model stood for a component made elsewhere, which is not there any more
};

}  // namespace counterpoint
