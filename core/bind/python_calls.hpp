#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "bind/interpreter_lock.hpp"

namespace counterpoint::bind {

namespace nb = nanobind;

/// Throw what Python raised as ModelFailure: the core names no Python, and takes the text and the exception along.
[[noreturn]] void throw_model_failure(nb::python_error& error);
/// The same for what the binding itself raises when a Python function returned the wrong thing.
[[noreturn]] void throw_model_failure(const nb::builtin_exception& error);

/// Run Python code on behalf of the core, from whichever thread.
template <class Work>
auto in_python(Work&& work) {
  const HoldsInterpreter held;
  try {
    return surviving_exit(std::forward<Work>(work));
  } catch (nb::python_error& error) {
    throw_model_failure(error);
  } catch (const nb::builtin_exception& error) {
    throw_model_failure(error);
  }
}

}  // namespace counterpoint::bind
