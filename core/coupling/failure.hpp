#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace counterpoint {

/// Why a run stopped: what failed, in which participant, in which step.
///
/// Exceptions carry a failure through the core (below); a driver converts the first one into this value. A caller that
/// knows the names of participants and ports asks for the message: only `sentence` writes it.
struct Failure {
  enum class Kind {
    none,
    not_finite,  ///< an output is NaN or infinite
    signal,      ///< an approximation or coupling law gave NaN or infinity
    solver,      ///< the numerics failed
    contract,    ///< the participant broke the contract of subsystems
    model,       ///< the model threw an exception of its own
    component,   ///< an external component reported an error
    death,       ///< an external component died
    internal,    ///< the core broke one of its own promises
  };
  /// The call in which the participant failed.
  enum class Activity { start, step, preferred_step, major_step };

  Kind kind = Kind::none;
  Activity activity = Activity::start;
  int participant = -1;
  int port = -1;       ///< for not_finite: which output, for signal: which input, counted in scalars
  double start = 0.0;  ///< of the failed step, s
  double end = 0.0;    ///< s
  std::string reason;  ///< in words, without names

  explicit operator bool() const { return kind != Kind::none; }

  /// Kind, port and reason of an exception; Kind::none for the end of a run or a cancelled run.
  static Failure of(const std::exception_ptr& thrown);

  /// The reason, with the name of the port if there is one.
  std::string explanation(const std::string& port_name) const;
  /// "engine: step from t = 1.2345 s to 1.2346 s failed: output "torque" is NaN; ..."
  std::string sentence(const std::string& participant_name, const std::string& port_name) const;
};

/// A participant ends the run; not a failure. Within a step, its outputs at that time are the last sample.
class RunEnd : public std::runtime_error {
 public:
  RunEnd(const std::string& reason, double when) : std::runtime_error(reason), time(when) {}
  double time;  ///< s
};

/// Thrown by the core if a model breaks its contract or publishes NaN.
class StepFailure : public std::runtime_error {
 public:
  StepFailure(Failure::Kind failure_kind, const std::string& message, int failed_port = -1)
      : std::runtime_error(message), kind(failure_kind), port(failed_port) {}
  Failure::Kind kind;
  int port;
};

/// A coupling law or an approximation gave NaN or infinity.
class SignalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  int input = -1;  ///< number of the input, in scalars; -1: not an input
};

/// A solver failed: it did not converge, or its step became too small.
class SolverFailure : public std::runtime_error {
 public:
  explicit SolverFailure(const std::string& message, std::exception_ptr thrown = nullptr)
      : std::runtime_error(message), cause(std::move(thrown)) {}
  std::exception_ptr cause;  ///< what a part of the model threw, or null
};

/// An external component (an FMU, a program on another host) reported an error, or died.
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
  bool died;  ///< the model represents an external component that died
};

}  // namespace counterpoint
