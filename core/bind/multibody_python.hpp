#pragma once

#include <nanobind/nanobind.h>

#include "multibody/model.hpp"
#include "multibody/time_function.hpp"

namespace counterpoint::bind {

namespace nb = nanobind;

/// A value prescribed by a Python function of time; derivatives by differences over `interval`, s.
multibody::TimeFunctionPointer make_python_time_function(nb::object function, double interval);

/// A mechanism whose dynamic terms are methods of a Python object (see counterpoint.multibody.HandWritten).
multibody::ModelPointer make_python_model(nb::object model);

void bind_multibody_forces(nb::module_& m);

}  // namespace counterpoint::bind
