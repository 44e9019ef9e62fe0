// Where the time of a step goes, for the study of linear algebra.
#include "multibody/step_profile.hpp"

#include <nanobind/nanobind.h>

#include "bind/multibody_python.hpp"
#include "multibody/multibody_subsystem.hpp"

namespace counterpoint::bind {

using namespace counterpoint::multibody;

void bind_step_profile(nb::module_& m) {
  m.def(
      "step_profile",
      [](const MultibodySubsystem& subsystem) {
        nb::dict made;
        const StepProfile* const profile = subsystem.stepper().profile();
        for (std::size_t k = 0; profile != nullptr && k < phases; ++k)
          made[name_of(static_cast<Phase>(k))] = nb::make_tuple(profile->seconds[k], profile->counts[k]);
        return made;
      },
      nb::arg("subsystem"), nb::sig("def step_profile(subsystem: MultibodySubsystem) -> dict[str, tuple[float, int]]"),
      "Seconds and count of each phase of the steps since the start; empty without the option `profile`.");
  m.def("seconds_per_reading", &seconds_per_reading, "Seconds that each count has added to a profile.");
}

}  // namespace counterpoint::bind
