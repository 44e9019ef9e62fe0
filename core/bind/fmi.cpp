#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/python_values.hpp"
#include "export/fmu_kinds.hpp"
#include "fmi/fmu_subsystem.hpp"

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
  nb::enum_<InputStyle>(m, "InputStyle", "How inputs reach an FMU.")
      .value("start", InputStyle::start)
      .value("middle", InputStyle::middle)
      .value("slope", InputStyle::slope)
      .value("intermediate", InputStyle::intermediate);
  nb::class_<Port>(m, "Port", "A variable that is a signal.")
      .def("__init__", [](Port* self, Type type, ValueReference reference, int width, bool continuous) {
        new (self) Port{type, reference, width, continuous};
      }, nb::arg("type"), nb::arg("reference"), nb::arg("width"), nb::arg("continuous"));
  nb::class_<Assignment>(m, "Assignment", "A value given to a variable before initialisation.")
      .def("__init__", [](Assignment* self, Type type, ValueReference reference, const nb::bytes& numbers, const std::vector<nb::bytes>& texts) {
        new (self) Assignment{type, reference, std::string(numbers.c_str(), numbers.size()), {}};
        for (const nb::bytes& text : texts) self->texts.emplace_back(text.c_str(), text.size());
      }, nb::arg("type"), nb::arg("reference"), nb::arg("numbers"), nb::arg("texts"));
  nb::class_<InstanceSettings>(m, "InstanceSettings", "How to make an instance.")
      .def(nb::init<>())
      .def_rw("name", &InstanceSettings::name)
      .def_rw("token", &InstanceSettings::token)
      .def_rw("resources", &InstanceSettings::resources)
      .def_rw("visible", &InstanceSettings::visible)
      .def_rw("logging", &InstanceSettings::logging)
      .def_rw("categories", &InstanceSettings::categories)
      .def_rw("tolerance", &InstanceSettings::tolerance)
      .def_rw("event_mode", &InstanceSettings::event_mode)
      .def_rw("early_return", &InstanceSettings::early_return)
      .def_rw("intermediate", &InstanceSettings::intermediate);
  nb::class_<FmuSetup>(m, "FmuSetup", "What a run needs to know about an FMU.")
      .def(nb::init<>())
      .def_rw("major", &FmuSetup::major)
      .def_rw("instance", &FmuSetup::instance)
      .def_rw("inputs", &FmuSetup::inputs)
      .def_rw("outputs", &FmuSetup::outputs)
      .def_rw("structure", &FmuSetup::structure)
      .def_rw("values", &FmuSetup::values)
      .def_rw("input_style", &FmuSetup::input_style)
      .def_rw("output_slopes", &FmuSetup::output_slopes)
      .def_rw("can_save", &FmuSetup::can_save)
      .def_rw("redo_discarded", &FmuSetup::redo_discarded)
      .def_rw("equal_steps", &FmuSetup::equal_steps)
      .def_rw("only_once", &FmuSetup::only_once);
}

}  // namespace

void bind_fmi(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("fmi", "FMUs: the call layer of FMI 2 and FMI 3.");
  bind_settings(m);
  nb::class_<Library>(m, "Library", "A shared library, loaded as long as this lives.").def(nb::init<const std::string&>(), nb::arg("path"));
  nb::class_<FmuSubsystem, Subsystem>(m, "FmuSubsystem", "An FMU for co-simulation.")
      .def("__init__", [](FmuSubsystem* self, std::shared_ptr<Library> library, const FmuSetup& setup) {
        new (self) FmuSubsystem(library, setup);
        recipe::describe(*self, recipe::fmu_kind, recipe::describe_fmu(*library, setup));
      }, nb::arg("library"), nb::arg("setup"))
      .def("finish", &FmuSubsystem::finish)
      .def("messages", [](const FmuSubsystem& self) {
        std::vector<std::tuple<double, int, std::string, std::string>> made;
        for (Message& message : self.log().messages()) made.emplace_back(message.time, message.status, message.category, message.text);
        return made;
      }, "(time in s, status, category, text) of what the FMU said in this run.")
      .def_prop_ro("dropped_messages", [](const FmuSubsystem& self) { return self.log().dropped(); })
      .def("numbers", &FmuSubsystem::numbers, nb::arg("port"), "Values of a variable of the running instance.")
      .def("texts", [](FmuSubsystem& self, const Port& port) { return to_bytes(self.texts(port)); }, nb::arg("port"),
           "Strings or binary values of a variable of the running instance.")
      .def("directional_derivative", &FmuSubsystem::directional_derivative, nb::arg("unknowns"), nb::arg("knowns"), nb::arg("seed"));
}

}  // namespace counterpoint::bind
