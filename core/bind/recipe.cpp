#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/python_values.hpp"
#include "export/exported_fields.hpp"

namespace counterpoint::bind {

using namespace exported;

namespace {

using Ports = std::vector<std::pair<std::string, int>>;

/// How messages of an exported FMU call a participant and its ports.
struct ParticipantNames {
  std::string name;
  Ports inputs, outputs;
};

std::vector<Names> to_names(const Ports& ports) {
  std::vector<Names> made;
  for (const auto& [name, width] : ports) made.push_back({name, width});
  return made;
}

ExportedSpec spec_of(const RunSpec& run, const std::vector<ParticipantNames>& names) {
  ExportedSpec spec;
  for (std::size_t i = 0; i < run.participants.size(); ++i) {
    const ParticipantNames& called = names.at(i);
    spec.participants.push_back({called.name, to_names(called.inputs), to_names(called.outputs), run.participants[i]});
  }
  spec.connections = run.connections;
  spec.laws = run.laws;
  spec.torn = run.torn;
  spec.tolerance = run.tolerance;
  spec.initial_passes = run.initial_passes;
  return spec;
}

recipe::Writer written(const ExportedSpec& spec) {
  recipe::Writer writer;
  writer(spec);
  return writer;
}

}  // namespace

void bind_recipe(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("recipe", "Runs written to bytes, to be made again without Python.");
  nb::enum_<Role>(m, "Role", "What a variable of an exported FMU is.")
      .value("time", Role::time)
      .value("input", Role::input)
      .value("output", Role::output)
      .value("parameter", Role::parameter);
  nb::class_<ParticipantNames>(m, "ParticipantNames", "Names of a participant and its ports in messages.")
      .def(
          "__init__",
          [](ParticipantNames* self, std::string name, Ports inputs, Ports outputs) {
            new (self) ParticipantNames{std::move(name), std::move(inputs), std::move(outputs)};
          },
          nb::arg("name"), nb::arg("inputs"), nb::arg("outputs"), "Ports: (name, width) of each.");
  nb::class_<recipe::Tunable>(m, "Tunable", "A number that may be changed.")
      .def_ro("product", &recipe::Tunable::product, "Number of what it is a parameter of.")
      .def_ro("path", &recipe::Tunable::path, "Where that is.")
      .def_ro("name", &recipe::Tunable::name)
      .def_ro("values", &recipe::Tunable::values);
  nb::class_<ExportedSpec>(m, "Recipe", "A run, and what an FMU shows of it.")
      .def(
          "__init__",
          [](ExportedSpec* self, const RunSpec& run, const std::vector<ParticipantNames>& names) {
            new (self) ExportedSpec(spec_of(run, names));
          },
          nb::arg("run"), nb::arg("names"))
      .def(
          "add_input",
          [](ExportedSpec& self, int participant, int offset, int width, ApproximationPointer approximation) {
            self.inputs.push_back({participant, offset, width, std::move(approximation)});
          },
          nb::arg("participant"), nb::arg("offset"), nb::arg("width"), nb::arg("approximation"))
      .def(
          "add_output",
          [](ExportedSpec& self, int participant, int offset, int width, ApproximationPointer approximation) {
            self.outputs.push_back({participant, offset, width, std::move(approximation)});
          },
          nb::arg("participant"), nb::arg("offset"), nb::arg("width"), nb::arg("approximation"))
      .def(
          "add_variable",
          [](ExportedSpec& self, std::uint32_t reference, Role role, int offset, int width, std::uint32_t product,
             const std::string& name, std::vector<double> start) {
            self.variables.push_back({reference, role, offset, width, product, name, std::move(start)});
          },
          nb::arg("reference"), nb::arg("role"), nb::arg("offset"), nb::arg("width"), nb::arg("product") = 0,
          nb::arg("name") = "", nb::arg("start") = std::vector<double>())
      .def(
          "problems", [](const ExportedSpec& self) { return written(self).problems(); },
          "Objects that cannot be written, and why.")
      .def(
          "tunables", [](const ExportedSpec& self) { return written(self).tunables; }, "Numbers that may be changed.")
      .def(
          "folders", [](const ExportedSpec& self) { return written(self).folders; },
          "Files of FMUs inside: (number, folder).")
      .def(
          "offers_derivatives",
          [](const ExportedSpec& self, int participant) {
            return self.participants.at(participant).spec.subsystem->offers_derivatives();
          },
          nb::arg("participant"), "Whether it provides dy/dt of its outputs.")
      .def(
          "to_file",
          [](ExportedSpec& self, const std::string& token) {
            self.token = token;
            const std::string file = to_file(written(self).bytes());
            return nb::bytes(file.data(), file.size());
          },
          nb::arg("token"), "The bytes of the file, for the FMU whose description has this token.");
}

}  // namespace counterpoint::bind
