#pragma once

#include <stdexcept>
#include <string>

namespace counterpoint {

/// Why a run stopped, beside the exception that says it in words.
struct Failure {
  enum class Kind { none, not_finite, signal, solver, contract, model, proposal, component, death };
  Kind kind = Kind::none;
  int subsystem = -1;
  int output = -1;     ///< for not_finite: which output, for signal: which input, counted in scalars
  double start = 0.0;  ///< of the failed step, s
  double end = 0.0;    ///< s
};

/// Thrown by the core itself when a model breaks its contract or publishes NaN.
class StepFailure : public std::runtime_error {
 public:
  StepFailure(Failure::Kind failure_kind, const std::string& message, int failed_output = -1)
      : std::runtime_error(message), kind(failure_kind), output(failed_output) {}
  Failure::Kind kind;
  int output;
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
  using std::runtime_error::runtime_error;
};

/// A component made elsewhere (an FMU, a program on another host) reported an error, or is not there any more.
class ComponentFailure : public std::runtime_error {
 public:
  explicit ComponentFailure(const std::string& message, bool component_died = false)
      : std::runtime_error(message), died(component_died) {}
  bool died;
};

}  // namespace counterpoint
