#pragma once

#include "export/functions/exported_instance.hpp"

#ifdef _WIN32
#define VISIBLE __declspec(dllexport)
#else
#define VISIBLE __attribute__((visibility("default")))
#endif
/// Declares a function of FMI that masters find in the library.
#define DECLARE(result, name, arguments) VISIBLE result name arguments;

namespace counterpoint::exported {

/// The instance behind the pointer that a master holds.
inline ExportedInstance& instance(void* pointer) { return *static_cast<ExportedInstance*>(pointer); }

}  // namespace counterpoint::exported
