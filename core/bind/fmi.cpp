#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/python_values.hpp"
#include "fmi/fmu_base.hpp"
#include "fmi/isolated_fmu.hpp"
#include "fmi/recipes.hpp"
#include "fmi/texts.hpp"

namespace counterpoint::bind {

using namespace fmi;

namespace {

std::vector<nb::bytes> to_bytes(const std::vector<std::string>& texts) {
  std::vector<nb::bytes> made;
  for (const std::string& text : texts) made.emplace_back(text.data(), text.size());
  return made;
}

void bind_settings(nb::module_& m) {
  nb::enum_<Type>(m, "Type", "Types of values; an enumeration is an int32 in FMI 2 and an int64 in FMI 3.")
      .value("float64", Type::float64)
      .value("float32", Type::float32)
      .value("int8", Type::int8)
      .value("uint8", Type::uint8)
      .value("int16", Type::int16)
      .value("uint16", Type::uint16)
      .value("int32", Type::int32)
      .value("uint32", Type::uint32)
      .value("int64", Type::int64)
      .value("uint64", Type::uint64)
      .value("boolean", Type::boolean)
      .value("string", Type::string)
      .value("binary", Type::binary);
  nb::enum_<Kind>(m, "Kind", "What an FMU is instantiated for.")
      .value("co_simulation", Kind::co_simulation)
      .value("model_exchange", Kind::model_exchange);
  nb::enum_<InputStyle>(m, "InputStyle", "How inputs reach an FMU.")
      .value("start", InputStyle::start)
      .value("middle", InputStyle::middle)
      .value("slope", InputStyle::slope)
      .value("slope_to_end", InputStyle::slope_to_end)
      .value("intermediate", InputStyle::intermediate);
  nb::class_<Port>(m, "Port", "A variable that is a signal.")
      .def(
          "__init__",
          [](Port* self, Type type, ValueReference reference, int width, bool continuous,
             const std::vector<int>& clocks, bool negated, bool slope, bool written, const std::string& name) {
            new (self) Port{type, reference, width, continuous, clocks, negated, slope, written, name};
          },
          nb::arg("type"), nb::arg("reference"), nb::arg("width"), nb::arg("continuous"), nb::arg("clocks"),
          nb::arg("negated"), nb::arg("slope"), nb::arg("written"), nb::arg("name"));
  nb::enum_<ClockKind>(m, "ClockKind", "When a clock ticks.")
      .value("periodic", ClockKind::periodic)
      .value("changing", ClockKind::changing)
      .value("countdown", ClockKind::countdown)
      .value("output", ClockKind::output)
      .value("triggered", ClockKind::triggered);
  nb::class_<ClockSetup>(m, "ClockSetup", "A clock; interval and shift in s.")
      .def(
          "__init__",
          [](ClockSetup* self, ValueReference reference, ClockKind kind, double interval, double shift) {
            new (self) ClockSetup{reference, kind, interval, shift};
          },
          nb::arg("reference"), nb::arg("kind"), nb::arg("interval"), nb::arg("shift"));
  nb::class_<Assignment>(m, "Assignment", "A value given to a variable before initialisation.")
      .def(
          "__init__",
          [](Assignment* self, Type type, ValueReference reference, const nb::bytes& numbers,
             const std::vector<nb::bytes>& texts) {
            new (self) Assignment{type, reference, std::string(numbers.c_str(), numbers.size()), {}};
            for (const nb::bytes& text : texts) self->texts.emplace_back(text.c_str(), text.size());
          },
          nb::arg("type"), nb::arg("reference"), nb::arg("numbers"), nb::arg("texts"));
  nb::class_<InstanceSettings>(m, "InstanceSettings", "How to make an instance.")
      .def(nb::init<>())
      .def_rw("kind", &InstanceSettings::kind)
      .def_rw("name", &InstanceSettings::name)
      .def_rw("identifier", &InstanceSettings::identifier)
      .def_rw("token", &InstanceSettings::token)
      .def_rw("resources", &InstanceSettings::resources)
      .def_rw("tool", &InstanceSettings::tool)
      .def_rw("visible", &InstanceSettings::visible)
      .def_rw("logging", &InstanceSettings::logging)
      .def_rw("categories", &InstanceSettings::categories)
      .def_rw("tolerance", &InstanceSettings::tolerance)
      .def_rw("stop_time", &InstanceSettings::stop_time)
      .def_rw("event_mode", &InstanceSettings::event_mode)
      .def_rw("early_return", &InstanceSettings::early_return)
      .def_rw("intermediate", &InstanceSettings::intermediate);
  nb::class_<SpareInstance>(m, "SpareInstance", "Keeps an instance for the next run.")
      .def(nb::init<>())
      .def_prop_ro("reuses", &SpareInstance::reuses, "Number of runs that have used it.");
  nb::class_<FmuSetup>(m, "FmuSetup", "Description of an FMU for a run.")
      .def(nb::init<>())
      .def_rw("major", &FmuSetup::major)
      .def_rw("instance", &FmuSetup::instance)
      .def_rw("inputs", &FmuSetup::inputs)
      .def_rw("outputs", &FmuSetup::outputs)
      .def_rw("clocks", &FmuSetup::clocks)
      .def_rw("structure", &FmuSetup::structure)
      .def_rw("values", &FmuSetup::values)
      .def_rw("input_style", &FmuSetup::input_style)
      .def_rw("output_slopes", &FmuSetup::output_slopes)
      .def_rw("can_save", &FmuSetup::can_save)
      .def_rw("redo_discarded", &FmuSetup::redo_discarded)
      .def_rw("equal_steps", &FmuSetup::equal_steps)
      .def_rw("only_once", &FmuSetup::only_once)
      .def_prop_rw(
          "state", [](const FmuSetup& self) { return nb::bytes(self.state.data(), self.state.size()); },
          [](FmuSetup& self, const nb::bytes& bytes) {
            const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.c_str());
            self.state.assign(data, data + bytes.size());
          })
      .def_rw("memory", &FmuSetup::memory)
      .def_rw("integration", &FmuSetup::integration)
      .def_rw("spare", &FmuSetup::spare, nb::arg().none());
}

void bind_messages(nb::module_& m) {
  nb::class_<Message>(m, "Message", "A log message of an FMU.")
      .def_ro("time", &Message::time, "Time of the present step, s.")
      .def_ro("status", &Message::status, "As in FMI: 0 ok ... 4 fatal.")
      .def_ro("category", &Message::category)
      .def_ro("text", &Message::text);
}

void bind_texts(nb::module_& m) {
  m.def(
      "number_of_text", [](const nb::bytes& text) { return Texts::number_of(std::string(text.c_str(), text.size())); },
      nb::arg("text"), "The number by which a string or binary value is a signal.");
  m.def(
      "text_of_number",
      [](double number) {
        const std::string text = Texts::text_of(number);
        return nb::bytes(text.data(), text.size());
      },
      nb::arg("number"), "The text that a signal represents.");
  m.def("share_texts", &Texts::share, nb::arg("folder"), "Write texts to a folder, for other processes.");
}

void bind_integration(nb::module_& m) {
  nb::class_<StateVariable>(m, "StateVariable", "A variable that is a continuous state.")
      .def(
          "__init__",
          [](StateVariable* self, const std::string& name, ValueReference reference, int width) {
            new (self) StateVariable{name, reference, width};
          },
          nb::arg("name"), nb::arg("reference"), nb::arg("width"));
  nb::class_<IntegrationSetup>(m, "IntegrationSetup", "How an FMU for model exchange is integrated.")
      .def(nb::init<>())
      .def_prop_rw(
          "solver", [](const IntegrationSetup& s) { return std::string(name_of(s.solver)); },
          [](IntegrationSetup& s, const std::string& name) { s.solver = ode_solver(name); })
      .def_rw("options", &IntegrationSetup::options)
      .def_rw("states", &IntegrationSetup::states)
      .def_rw("indicators", &IntegrationSetup::indicators)
      .def_rw("completes_steps", &IntegrationSetup::completes_steps)
      .def_rw("publishes_events", &IntegrationSetup::publishes_events)
      .def_rw("outputs_use_inputs", &IntegrationSetup::outputs_use_inputs)
      .def_rw("state_variables", &IntegrationSetup::state_variables);
}

std::map<std::string, long> to_map(const IntegrationStatistics* counts) {
  if (counts == nullptr) return {};
  return {{"steps", counts->steps},
          {"evaluations", counts->evaluations},
          {"state events", counts->state_events},
          {"time events", counts->time_events},
          {"step events", counts->step_events},
          {"input events", counts->input_events}};
}

/// What an FMU offers wherever it runs.
template <class Fmu, class Class>
void bind_fmu_methods(Class& fmu) {
  fmu.def("finish", &Fmu::finish)
      .def(
          "messages", [](const Fmu& self) { return self.log().messages(); }, "Log messages of the FMU in this run.")
      .def_prop_ro("dropped_messages", [](const Fmu& self) { return self.log().dropped(); })
      .def("numbers", &Fmu::numbers, nb::arg("port"), "Values of a variable of the running instance.")
      .def(
          "texts", [](Fmu& self, const Port& port) { return to_bytes(self.texts(port)); }, nb::arg("port"),
          "Strings or binary values of a variable of the running instance.")
      .def("directional_derivative", &Fmu::directional_derivative, nb::arg("unknowns"), nb::arg("knowns"),
           nb::arg("seed"), nb::arg("width"))
      .def(
          "serialize",
          [](Fmu& self) {
            const std::vector<std::uint8_t> state = self.serialize();
            return nb::bytes(state.data(), state.size());
          },
          "The state of the running instance.")
      .def("memory", &Fmu::memory, "The part of this state outside the FMU; its first number is the time in s.")
      .def(
          "statistics", [](const Fmu& self) { return to_map(self.statistics()); },
          "Counts of a model-exchange run (steps, events, ...); empty for co-simulation.");
}

void bind_isolation(nb::module_& m) {
  nb::class_<Isolation>(m, "Isolation", "Limits of the process of an isolated FMU.")
      .def(nb::init<>())
      .def_prop_rw(
          "program", [](const Isolation& self) { return self.plan.program; },
          [](Isolation& self, const std::string& program) { self.plan.program = program; })
      .def_prop_rw(
          "folder", [](const Isolation& self) { return self.plan.folder; },
          [](Isolation& self, const std::string& folder) { self.plan.folder = folder; })
      .def_prop_rw(
          "environment", [](const Isolation& self) { return self.plan.environment; },
          [](Isolation& self, const std::vector<std::string>& environment) { self.plan.environment = environment; })
      .def_prop_rw(
          "memory", [](const Isolation& self) { return self.limits.memory; },
          [](Isolation& self, double bytes) { self.limits.memory = bytes; })
      .def_prop_rw(
          "processor_time", [](const Isolation& self) { return self.limits.processor_time; },
          [](Isolation& self, double seconds) { self.limits.processor_time = seconds; })
      .def_prop_rw(
          "processes", [](const Isolation& self) { return self.limits.processes; },
          [](Isolation& self, bool allowed) { self.limits.processes = allowed; })
      .def_rw("texts", &Isolation::texts)
      .def_prop_rw(
          "python",
          [](const Isolation& self) {
            return std::make_tuple(self.python.library, self.python.home, self.python.path);
          },
          [](Isolation& self, const std::tuple<std::string, std::string, std::string>& found) {
            std::tie(self.python.library, self.python.home, self.python.path) = found;
          })
      .def_rw("deadline", &Isolation::deadline);
  nb::class_<IsolatedFmu, Subsystem> fmu(m, "IsolatedFmu", "An FMU in a separate process.");
  fmu.def(
      "__init__",
      [](IsolatedFmu* self, const std::string& library, const FmuSetup& setup, const Isolation& isolation) {
        new (self) IsolatedFmu(library, setup, isolation);
      },
      nb::arg("library"), nb::arg("setup"), nb::arg("isolation"));
  bind_fmu_methods<IsolatedFmu>(fmu);
  fmu.def(
      "printed",
      [](const IsolatedFmu& self) {
        const std::string text = self.printed();
        return nb::bytes(text.data(), text.size());
      },
      "The end of its printed output in the latest run.");
}

}  // namespace

void bind_fmi(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("fmi", "FMUs: the call layer of FMI 1, 2 and 3.");
  bind_messages(m);
  bind_texts(m);
  bind_integration(m);
  bind_settings(m);
  nb::class_<Library>(m, "Library", "A shared library, loaded as long as this lives.")
      .def(nb::init<const std::string&>(), nb::arg("path"));
  nb::class_<FmuBase, Subsystem> fmu(m, "FmuBase", "An FMU of either kind.");
  bind_fmu_methods<FmuBase>(fmu);
  m.def(
      "make_fmu",
      [](std::shared_ptr<Library> library, const FmuSetup& setup) -> std::shared_ptr<FmuBase> {
        std::shared_ptr<FmuBase> made = make_fmu(library, setup);
        recipe::describe(*made, recipe::fmu_factory, recipe::describe_fmu(*library, setup));
        return made;
      },
      nb::arg("library"), nb::arg("setup"), "An FMU of the kind that its setup says.");
  bind_isolation(m);
}

}  // namespace counterpoint::bind
