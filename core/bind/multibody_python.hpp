#pragma once

#include <nanobind/nanobind.h>

#include "multibody/evaluated_model.hpp"
#include "multibody/model.hpp"
#include "multibody/time_function.hpp"

namespace counterpoint::bind {

namespace nb = nanobind;

/// A value prescribed by a Python function of time; derivatives by differences over `interval`, s.
multibody::TimeFunctionPointer make_python_time_function(nb::object function, double interval);

/// A mechanism whose dynamic terms are methods of a Python object (see counterpoint.multibody.HandWritten).
/// `length` is its size, m.
multibody::ModelPointer make_python_model(nb::object model, double length);

/// Dynamic terms from a Python function: answer = function(question), one-dimensional arrays.
multibody::TermFunction make_python_terms(nb::object function, const multibody::EvaluatedModelSizes& sizes);

void bind_multibody_forces(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_linear_operations(nb::module_& m);
void bind_step_profile(nb::module_& m);

}  // namespace counterpoint::bind
