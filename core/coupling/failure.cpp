#include "coupling/failure.hpp"

#include "check.hpp"
#include "coupling/cancellation.hpp"
#include "numbers.hpp"

namespace counterpoint {

namespace {

using Kind = Failure::Kind;
using Activity = Failure::Activity;

Kind kind_of(const ModelFailure& error) { return error.died ? Kind::death : Kind::model; }

/// A part of the model, such as a block, that threw an exception of its own makes it the model's failure.
Kind kind_of(const SolverFailure& error) {
  if (!error.cause) return Kind::solver;
  try {
    std::rethrow_exception(error.cause);
  } catch (const ModelFailure& inside) {
    return kind_of(inside);
  } catch (const InternalError&) {
    return Kind::internal;
  } catch (...) {
    return Kind::solver;
  }
}

Failure made(Kind kind, const std::exception& error, int port = -1) {
  Failure failure;
  failure.kind = kind;
  failure.port = port;
  failure.reason = error.what();
  return failure;
}

std::string seconds(double t) { return number_text(t, 9) + " s"; }

std::string place(const Failure& failure) {
  switch (failure.activity) {
    case Activity::start:
      return "start at t = " + seconds(failure.start) + " failed";
    case Activity::step:
      return "step from t = " + seconds(failure.start) + " to " + seconds(failure.end) + " failed";
    case Activity::preferred_step:
      return "next_step at t = " + seconds(failure.start) + " failed";
    case Activity::major_step:
      return "major step at t = " + seconds(failure.start);
  }
  return {};
}

}  // namespace

Failure Failure::of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const RunEnd& end) {
    return made(Kind::none, end);
  } catch (const Cancelled&) {
    return Failure{};
  } catch (const StepFailure& error) {
    return made(error.kind, error, error.port);
  } catch (const SignalFailure& error) {
    return made(Kind::signal, error, error.input);
  } catch (const SolverFailure& error) {
    return made(kind_of(error), error);
  } catch (const ComponentFailure& error) {
    return made(error.died ? Kind::death : Kind::component, error);
  } catch (const ModelFailure& error) {
    return made(kind_of(error), error);
  } catch (const InternalError& error) {
    return made(Kind::internal, error);
  } catch (const std::exception& error) {
    return made(Kind::model, error);
  } catch (...) {
    return made(Kind::model, std::runtime_error("an exception of unknown type"));
  }
}

std::string Failure::explanation(const std::string& port_name) const {
  if (port_name.empty()) return reason;
  if (kind == Kind::signal) return "input \"" + port_name + "\" is " + reason;
  if (kind != Kind::not_finite) return reason;
  const std::string what = "output \"" + port_name + "\" is " + reason;
  if (activity == Activity::major_step) return what;  // what a host published is not of our making
  return what + "; the model or its step is the origin, its inputs were finite";
}

std::string Failure::sentence(const std::string& participant_name, const std::string& port_name) const {
  return participant_name + ": " + place(*this) + ": " + explanation(port_name);
}

}  // namespace counterpoint
