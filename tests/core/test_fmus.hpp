#pragma once

#include <memory>
#include <string>

#include "fmi/fmu_subsystem.hpp"

namespace counterpoint::testing {

/// The library of a test FMU that was built beside the tests.
inline fmi::LibraryPointer library(const std::string& model, int version) {
#if defined(_WIN32)
  const std::string suffix = ".dll";
#else
  const std::string suffix = ".so";
#endif
  return std::make_shared<fmi::Library>(FMU_FOLDER "fmu_" + model + "_" + std::to_string(version) + suffix);
}

}  // namespace counterpoint::testing
