#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/interpreter_lock.hpp"
#include "bind/python_values.hpp"
#include "coupling/embedded.hpp"
#include "coupling/input_events.hpp"
#include "coupling/network.hpp"

namespace counterpoint::bind {

void bind_run_spec(nb::module_& m) {
  nb::class_<CouplingLaw>(m, "CouplingLaw", "Computes one input from several signals.");
  nb::class_<Subsystem>(m, "Subsystem")
      .def("start", &Subsystem::start, nb::arg("t"), nb::call_guard<LeavesInterpreter>())
      .def_prop_ro("input_width", &Subsystem::input_width)
      .def_prop_ro("output_width", &Subsystem::output_width)
      .def_prop_ro("preferred_step", &Subsystem::preferred_step)
      .def_prop_ro("stops_early", &Subsystem::stops_early)
      .def_prop_ro("offers_derivatives", &Subsystem::offers_derivatives);
  m.def(
      "host_ports",
      [](int inputs, int outputs) -> SubsystemPointer { return std::make_shared<HostPorts>(inputs, outputs); },
      nb::arg("inputs"), nb::arg("outputs"));

  nb::class_<fast::Choice> fast_paths(m, "FastPaths",
                                      "Which fast paths a run may use; all of them give the same bits.");
  fast_paths.def(nb::init<>()).def_static("none", &fast::Choice::none);
  for (const fast::NamedPath& path : fast::every_path) fast_paths.def_rw(path.name, path.allowed);

  nb::enum_<Action::Kind>(m, "ActionKind")
      .value("set", Action::Kind::set)
      .value("scale", Action::Kind::scale)
      .value("offset", Action::Kind::offset)
      .value("stuck", Action::Kind::stuck)
      .value("noise", Action::Kind::noise)
      .value("release", Action::Kind::release);
  nb::class_<Action>(m, "Action", "What an event does to an input or a connection.")
      .def(
          "__init__",
          [](Action* self, Action::Kind kind, std::vector<double> values, std::uint64_t seed, double every) {
            new (self) Action{kind, std::move(values), seed, every};
          },
          nb::arg("kind"), nb::arg("values"), nb::arg("seed"), nb::arg("every"));
  m.def("threshold", &make_threshold, nb::arg("weights"), nb::arg("constant"), nb::arg("or_equal"),
        "A condition: the weighted sum of its signals plus a constant is above 0.");

  nb::class_<RunSpec>(m, "RunSpec")
      .def(
          "__init__",
          [](RunSpec* self, double start, double until, double tolerance, int initial_passes) {
            new (self) RunSpec{{}, {}, {}, start, until, tolerance, initial_passes, {}};
          },
          nb::arg("start"), nb::arg("until"), nb::arg("tolerance"), nb::arg("initial_passes"))
      .def_rw("compares", &RunSpec::compares, "False: no defects, to measure their cost.")
      .def_rw("keeps_record", &RunSpec::keeps_record,
              "The record is kept: what can be computed from it later is not computed during the run.")
      .def_rw("streams_record", &RunSpec::streams_record, "The record goes to a file.")
      .def_rw("fast_paths", &RunSpec::fast_paths, "Fast paths to use; tests and benchmarks switch some off.")
      .def(
          "add_participant",
          [](RunSpec& self, SubsystemPointer subsystem, double step, std::vector<double> constants,
             std::vector<int> waits_for, bool records, bool may_overrun, std::shared_ptr<Pace> pace) {
            self.participants.push_back({std::move(subsystem), step, std::move(constants), std::move(waits_for),
                                         records, may_overrun, std::move(pace)});
          },
          nb::arg("subsystem"), nb::arg("step"), nb::arg("constants"), nb::arg("waits_for"), nb::arg("records"),
          nb::arg("may_overrun"), nb::arg("pace").none() = nb::none())
      .def(
          "send_slopes", [](RunSpec& self, int participant) { self.participants.at(participant).sends_slopes = true; },
          nb::arg("participant"), "Another program needs the derivatives of its outputs.")
      .def(
          "leave_unread",
          [](RunSpec& self, int participant, std::vector<int> outputs) {
            self.participants.at(participant).unread.assign(outputs.begin(), outputs.end());
          },
          nb::arg("participant"), nb::arg("outputs"),
          "Per scalar output: nothing reads it, so it may be NaN or infinite.")
      .def(
          "keep_to", [](RunSpec& self, std::shared_ptr<WallClock> clock) { self.wall_clock = std::move(clock); },
          nb::arg("wall_clock"))
      .def(
          "add_connection",
          [](RunSpec& self, int source, int source_offset, int width, int target, int target_offset, int target_width,
             ApproximationPointer approximation, double gain, double offset, std::optional<double> initial, int law) {
            self.connections.push_back({source, source_offset, width, target, target_offset, target_width,
                                        std::move(approximation), gain, offset, initial, law});
          },
          nb::arg("source"), nb::arg("source_offset"), nb::arg("width"), nb::arg("target"), nb::arg("target_offset"),
          nb::arg("target_width"), nb::arg("approximation"), nb::arg("gain"), nb::arg("offset"),
          nb::arg("initial").none(), nb::arg("law"))
      .def(
          "add_condition",
          [](RunSpec& self, const std::vector<std::pair<int, int>>& outputs, std::shared_ptr<CouplingLaw> law) {
            ConditionSpec condition{{}, std::move(law)};
            for (const auto& [participant, column] : outputs) condition.outputs.push_back({participant, column});
            self.conditions.push_back(std::move(condition));
          },
          nb::arg("outputs"), nb::arg("law"), "Participants and columns of the outputs that the law uses.")
      .def(
          "add_input_event",
          [](RunSpec& self, int participant, int offset, int width, int connection, double begin, double until,
             double lasting, int condition, Action action) {
            self.input_events.push_back(
                {participant, offset, width, connection, begin, until, lasting, condition, std::move(action)});
          },
          nb::arg("participant"), nb::arg("offset"), nb::arg("width"), nb::arg("connection"), nb::arg("begin"),
          nb::arg("until"), nb::arg("lasting"), nb::arg("condition"), nb::arg("action"))
      .def(
          "end_steps_at_events",
          [](RunSpec& self) {
            self.events.push_back(std::make_shared<TimedEvents>(self.input_events, self.tolerance));
          },
          "Where participants choose the length of their steps, these end at the times of the input events that were "
          "added.")
      .def(
          "let_jump", [](RunSpec& self, int participant) { self.participants.at(participant).jumps = true; },
          nb::arg("participant"), "Its outputs may jump when events change its inputs.")
      .def(
          "tear_input",
          [](RunSpec& self, int participant, int offset, int width, std::string label) {
            self.torn.push_back({participant, offset, width, std::move(label)});
          },
          nb::arg("participant"), nb::arg("offset"), nb::arg("width"), nb::arg("label"))
      .def(
          "add_law",
          [](RunSpec& self, std::shared_ptr<CouplingLaw> law, int target, int target_offset) {
            self.laws.push_back({std::move(law), target, target_offset});
          },
          nb::arg("law"), nb::arg("target"), nb::arg("target_offset"));
}

}  // namespace counterpoint::bind
