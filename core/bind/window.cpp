// Windows: how they are asked for and what they came to.

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/python_values.hpp"
#include "coupling/repeated_window.hpp"

namespace counterpoint::bind {

void bind_window(nb::module_& m) {
  using Method = WindowSpec::Method;
  using Failing = WindowSpec::Failing;
  nb::enum_<Method>(m, "Acceleration", "The iterate that a repeat of a window reads.")
      .value("none", Method::none)
      .value("aitken", Method::aitken)
      .value("anderson", Method::anderson)
      .value("iqn_ils", Method::iqn_ils)
      .value("newton", Method::newton);
  nb::enum_<Failing>(m, "WhenNotConverged", "Treatment of a window that does not converge.")
      .value("go_on", Failing::go_on)
      .value("cut", Failing::cut)
      .value("stop", Failing::stop);
  nb::class_<CompoundPace, Pace>(m, "CompoundPace", "Steps of a participant in compound steps.")
      .def(
          "__init__",
          [](CompoundPace* self, double start, double until, double step, double tolerance) {
            new (self) CompoundPace(StepClock(start, until, step, tolerance));
          },
          nb::arg("start"), nb::arg("until"), nb::arg("step"), nb::arg("tolerance"));
  nb::class_<WindowSpec>(m, "WindowSpec", "Windows of equal length that are repeated.")
      .def(nb::init<>())
      .def_rw("length", &WindowSpec::length, "s")
      .def_rw("repeats", &WindowSpec::repeats, "After the first pass, at most.")
      .def_rw("tolerance", &WindowSpec::tolerance, "A repeat that changes less is the last one; 0: no tolerance.")
      .def_rw("centred", &WindowSpec::centred, "Repeats use samples on both sides.")
      .def_rw("method", &WindowSpec::method)
      .def_rw("relaxation", &WindowSpec::relaxation, "Of the first repeats of an accelerated iteration.")
      .def_rw("reused_windows", &WindowSpec::reused_windows, "Whose differences serve the next ones.")
      .def_rw("failing", &WindowSpec::failing)
      .def_rw("unit", &WindowSpec::unit, "Windows are cut to multiples of this, s; 0: anywhere.")
      .def(
          "add_fast",
          [](WindowSpec& self, int participant, double share, std::shared_ptr<CompoundPace> pace, double step) {
            self.fast.push_back({participant, share, std::move(pace), step});
          },
          nb::arg("participant"), nb::arg("share"), nb::arg("pace"), nb::arg("step") = 0.0,
          "A participant that steps once over a share of the window, or over a step (s) of a window that is shorter "
          "than the others, and is refined afterwards.")
      .def(
          "set_derivatives",
          [](WindowSpec& self, Eigen::MatrixXd a, Eigen::MatrixXd b, Eigen::MatrixXd c, Eigen::MatrixXd d,
             std::vector<std::pair<int, int>> signals) {
            self.derivatives = {std::move(a), std::move(b), std::move(c), std::move(d), std::move(signals)};
          },
          nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("d"), nb::arg("signals"),
          "Response of a pass to changes of its inputs: a state space of these signals (participant, column).");
  nb::class_<WindowTally>(m, "WindowTally", "Statistics of the windows of a run.")
      .def_ro("windows", &WindowTally::windows)
      .def_ro("passes", &WindowTally::passes)
      .def_ro("obstacle", &WindowTally::obstacle, "Why nothing was repeated.")
      .def_ro("not_converged", &WindowTally::not_converged,
              "Windows whose last repeat changed more than the tolerance.")
      .def_ro("largest_change", &WindowTally::largest_change, "By a last repeat.")
      .def_ro("time_of_largest", &WindowTally::time_of_largest, "End of that window, s.")
      .def_ro("growing", &WindowTally::growing, "Windows without a tolerance whose repeats changed more and more.")
      .def_ro("cuts", &WindowTally::cuts, "Number of windows that were restarted with an earlier end.")
      .def_ro("changes", &WindowTally::changes, "By the repeats of the worst window that did not converge.")
      .def_ro("participant", &WindowTally::participant, "The participant whose output changed most there, or -1.")
      .def_ro("column", &WindowTally::column, "Number of that output, counted in scalars.");
}

}  // namespace counterpoint::bind
