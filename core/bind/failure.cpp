// Failures on their way between Python and the core.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "check.hpp"
#include "coupling/cancellation.hpp"
#include "coupling/failure.hpp"
#include "coupling/repeated_window.hpp"

namespace counterpoint::bind {

namespace {

/// An error class for a component made elsewhere says so; see counterpoint.errors.PeerLost.
bool tells_of_death(const nb::python_error& error) {
  return nb::cast<bool>(nb::bool_(nb::getattr(error.type(), "component_died", nb::bool_(false))));
}

/// Raise what Python raised in the first place.
void raise_original(const ModelFailure& failure) {
  try {
    std::rethrow_exception(failure.original);
  } catch (nb::python_error& error) {
    error.restore();
  }
}

/// Raise a RuntimeError with what Python raised as its cause; an interrupt, or anything else that is no Exception,
/// is passed on unchanged.
void raise_with_original(const std::string& text, const ModelFailure& failure) {
  try {
    std::rethrow_exception(failure.original);
  } catch (nb::python_error& error) {
    if (PyErr_GivenExceptionMatches(error.type().ptr(), PyExc_Exception) == 0) return error.restore();
    nb::object made = nb::steal(PyObject_CallFunction(PyExc_RuntimeError, "s", text.c_str()));
    PyException_SetCause(made.ptr(), nb::borrow(error.value()).release().ptr());
    PyErr_SetObject(PyExc_RuntimeError, made.ptr());
  }
}

void raise_internal(const std::exception& error) {
  PyErr_SetString(nb::module_::import_("counterpoint.errors").attr("InternalError").ptr(), error.what());
}

/// Raise what a signal handler raised. Ours may still have to be called; the main thread is back in Python only now.
void raise_interrupt(const Cancelled& cancelled) {
  try {
    if (cancelled.cause) std::rethrow_exception(cancelled.cause);
  } catch (nb::python_error& error) {
    return error.restore();
  }
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
}

/// What is thrown again here is not for us; nanobind asks the next translator.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ModelFailure& failure) {
    raise_original(failure);
  } catch (const Cancelled& cancelled) {
    raise_interrupt(cancelled);
  } catch (const InternalError& error) {
    raise_internal(error);
  } catch (const SolverFailure& failure) {
    if (!failure.cause) throw;
    try {
      std::rethrow_exception(failure.cause);
    } catch (const ModelFailure& inside) {
      return raise_with_original(failure.what(), inside);
    } catch (const InternalError&) {
      return raise_internal(failure);
    } catch (...) {
    }
    throw;
  }
}

}  // namespace

void throw_model_failure(nb::python_error& error) {
  const bool died = tells_of_death(error);
  const std::string name = nb::cast<std::string>(error.type().attr("__name__"));
  const std::string message = nb::cast<std::string>(nb::str(error.value()));
  const std::string text = died ? message : message.empty() ? name : name + ": " + message;
  throw ModelFailure(text, std::current_exception(), died);
}

void throw_model_failure(const nb::builtin_exception& error) {
  const bool wrong_type = error.type() == nb::exception_type::type_error;
  PyErr_SetString(wrong_type ? PyExc_TypeError : PyExc_ValueError, error.what());
  try {
    throw nb::python_error();
  } catch (nb::python_error& raised) {
    throw_model_failure(raised);
  }
}

void bind_failure(nb::module_& m) {
  using Kind = Failure::Kind;
  using Activity = Failure::Activity;
  nb::enum_<Kind>(m, "FailureKind", "What failed in a participant of a run.")
      .value("none", Kind::none)
      .value("not_finite", Kind::not_finite, "An output is NaN or infinite.")
      .value("signal", Kind::signal, "An approximation or coupling law gave NaN or infinity.")
      .value("solver", Kind::solver, "The numerics failed.")
      .value("contract", Kind::contract, "The participant broke the contract of subsystems.")
      .value("model", Kind::model, "The model raised an exception.")
      .value("component", Kind::component, "An external component reported an error.")
      .value("death", Kind::death, "An external component died.")
      .value("internal", Kind::internal, "An internal error of the core.");
  nb::enum_<Activity>(m, "FailureActivity", "The call in which a participant failed.")
      .value("start", Activity::start)
      .value("step", Activity::step)
      .value("preferred_step", Activity::preferred_step)
      .value("major_step", Activity::major_step);
  nb::class_<Failure>(m, "Failure", "Why a run stopped.")
      .def_ro("kind", &Failure::kind)
      .def_ro("activity", &Failure::activity)
      .def_ro("participant", &Failure::participant, "By number; -1: none failed.")
      .def_ro("port", &Failure::port, "Output (not_finite) or input (signal), counted in scalars; -1: none.")
      .def_ro("start", &Failure::start, "Start of the failed step, s.")
      .def_ro("end", &Failure::end, "End of the failed step, s.")
      .def_ro("reason", &Failure::reason, "In words, without names.")
      .def_static(
          "of_start",
          [](double t, const std::string& reason) {
            Failure failure;
            failure.kind = Kind::model;
            failure.start = failure.end = t;
            failure.reason = reason;
            return failure;
          },
          nb::arg("t"), nb::arg("reason"), "Failure of a model that raised at its start at t (s).")
      .def("sentence", &Failure::sentence, nb::arg("participant_name"), nb::arg("port_name"),
           "The message for the user: where, what, and what to do.");
  nb::exception<RunEnd>(m, "RunEnd");
  nb::exception<WindowFailure>(m, "WindowFailure");
  nb::register_exception_translator(translate);
}

}  // namespace counterpoint::bind
