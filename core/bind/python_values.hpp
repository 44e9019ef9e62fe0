#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "coupling/rows.hpp"

namespace counterpoint::bind {

namespace nb = nanobind;

/// Copy what a Python function returned (a number, a sequence, an array) into `out`.
/// Throws ValueError or TypeError that says what was expected.
void read_values(nb::handle result, double* out, int count, const char* what);

/// Throw SignalFailure when a value that a Python function made at time t is NaN or infinite.
void check_finite(const double* values, int count, const char* what, double t);

/// A NumPy array of doubles that C++ writes into and Python reads.
class SharedArray {
 public:
  explicit SharedArray(int size);
  double* data() { return data_; }
  nb::handle object() const { return array_; }

 private:
  nb::object array_;
  double* data_;
};

/// Hand a buffer over to NumPy as rows of `columns` numbers, without copying.
nb::object to_rows(Rows&& rows, std::size_t columns);
nb::object to_rows(const std::vector<double>& values, std::size_t columns);

void bind_failure(nb::module_& m);
void bind_signal(nb::module_& m);
void bind_ode(nb::module_& m);
void bind_python_subsystems(nb::module_& m);
void bind_fed(nb::module_& m);
void bind_run_spec(nb::module_& m);
void bind_coupling(nb::module_& m);
void bind_advancing(nb::module_& m);
void bind_pace(nb::module_& m);
void bind_window(nb::module_& m);
void bind_multibody(nb::module_& m);
void bind_diagram(nb::module_& m);
void bind_diagram_functions(nb::module_& m);
void bind_cosimulation(nb::module_& m);
void bind_fmi(nb::module_& m);
void bind_link(nb::module_& m);
void bind_recipe(nb::module_& m);
void bind_signal_watch(nb::module_& m);

}  // namespace counterpoint::bind
