// Subsystems that another program steps.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bind/python_calls.hpp"
#include "bind/python_values.hpp"
#include "coupling/fed.hpp"

namespace counterpoint::bind {

namespace {

using SampleRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// A Python function that the core calls; it is always released with the interpreter's lock held.
FedSubsystem::Ask asking(nb::object function) {
  auto* kept = new nb::object(std::move(function));
  const std::shared_ptr<nb::object> shared(kept, [](nb::object* object) {
    const HoldsInterpreter held;
    delete object;
  });
  return [shared] { in_python([&] { (*shared)(); }); };
}

/// Rows of t, next, outputs and, where there are any, slopes.
template <class Take>
void each_row(const FedSubsystem& fed, const SampleRows& rows, Take&& take) {
  const std::size_t width = fed.output_width();
  const std::size_t columns = 2 + width * (fed.offers_derivatives() ? 2 : 1);
  if (rows.shape(1) != columns) {
    throw nb::value_error(("samples of " + std::to_string(rows.shape(1)) + " columns; expected " +
                           std::to_string(columns) + ": t, next, outputs" +
                           (fed.offers_derivatives() ? " and their derivatives" : ""))
                              .c_str());
  }
  for (std::size_t k = 0; k < rows.shape(0); ++k) {
    const double* row = rows.data() + k * columns;
    take(row[0], row[1], row + 2, fed.offers_derivatives() ? row + 2 + width : nullptr);
  }
}

}  // namespace

void bind_fed(nb::module_& m) {
  nb::class_<FedSubsystem, Subsystem>(m, "FedSubsystem", "A subsystem that is stepped by another program.")
      .def(
          "__init__",
          [](FedSubsystem* self, int outputs, bool derivatives, bool stops_early, nb::object more, nb::object initial) {
            new (self)
                FedSubsystem({outputs, derivatives, stops_early}, asking(std::move(more)), asking(std::move(initial)));
          },
          nb::arg("outputs"), nb::arg("derivatives"), nb::arg("stops_early"), nb::arg("more"), nb::arg("initial"))
      .def(
          "feed",
          [](FedSubsystem& self, const SampleRows& rows) {
            each_row(self, rows, [&](double t, double next, const double* y, const double* slopes) {
              self.feed(t, next, y, slopes);
            });
          },
          nb::arg("rows"), "Pass samples: rows of t, next t, outputs and their derivatives.")
      .def(
          "feed_initial",
          [](FedSubsystem& self, const SampleRows& rows) {
            each_row(self, rows, [&](double, double next, const double* y, const double* slopes) {
              self.feed_initial(next, y, slopes);
            });
          },
          nb::arg("rows"), "Pass the values at the start, as one row.")
      .def_prop_ro("waiting", &FedSubsystem::waiting, "Samples that have not entered the history yet.");
}

}  // namespace counterpoint::bind
