#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/python_values.hpp"
#include "diagram/blocks/cosimulation.hpp"

namespace counterpoint::bind {

using namespace counterpoint::diagram;

namespace {

using Ports = std::vector<std::pair<std::string, int>>;

std::vector<CosimulationPort> ports(const Ports& given) {
  std::vector<CosimulationPort> made;
  for (const auto& [name, width] : given) made.push_back({name, width});
  return made;
}

}  // namespace

void bind_cosimulation(nb::module_& m) {
  nb::class_<CosimulationBlock, Block>(m, "CosimulationBlock", "The embedded interface as a block.")
      .def_prop_ro("interface", &CosimulationBlock::interface, nb::rv_policy::reference_internal,
                   nb::sig("def interface(self) -> _core.EmbeddedInterface | None"),
                   "The interface to the other subsystems; None before the first start.");
  m.def(
      "cosimulation_block",
      [](const RunSpec& run, int host, const Ports& gives, const Ports& gets, std::vector<std::string> names,
         std::vector<std::vector<std::string>> signals, bool direct, bool timed) {
        return std::make_shared<CosimulationBlock>(CosimulationSpec{
            run, host, ports(gives), ports(gets), std::move(names), std::move(signals), direct, timed});
      },
      nb::arg("run"), nb::arg("host"), nb::arg("gives"), nb::arg("gets"), nb::arg("names"), nb::arg("signals"),
      nb::arg("direct"), nb::arg("timed"));
}

}  // namespace counterpoint::bind
