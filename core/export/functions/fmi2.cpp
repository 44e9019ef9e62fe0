// The functions of FMI 2.0 for co-simulation, around an exported model.

#include "fmi/fmi2.h"

#include <cstdlib>

#include "export/functions/visible.hpp"

extern "C" {
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CO_SIMULATION_FUNCTIONS(DECLARE)
}

namespace {

using counterpoint::exported::ExportedInstance;
using counterpoint::exported::instance;
using counterpoint::exported::Status;

fmi2Status to_fmi(Status status) { return static_cast<fmi2Status>(status); }

/// The path of a file URI, its %20 and the like decoded; a plain path stays as it is.
std::string path_of(const char* uri) {
  std::string text = uri == nullptr ? "" : uri;
  if (text.rfind("file:", 0) != 0) return text;
  text.erase(0, 5);
  if (text.rfind("//", 0) == 0) text.erase(0, std::min(text.find('/', 2), text.size()));  // an authority, usually empty
  std::string path;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool coded = text[k] == '%' && k + 2 < text.size() &&
                       std::isxdigit(static_cast<unsigned char>(text[k + 1])) &&
                       std::isxdigit(static_cast<unsigned char>(text[k + 2]));
    path += coded ? static_cast<char>(std::strtol(text.substr(k + 1, 2).c_str(), nullptr, 16)) : text[k];
    if (coded) k += 2;
  }
#ifdef _WIN32
  if (path.size() > 2 && path[0] == '/' && path[2] == ':') path.erase(0, 1);  // file:///C:/...
#endif
  return path;
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean, fmi2Boolean) {
  const fmi2CallbackFunctions given = callbacks == nullptr ? fmi2CallbackFunctions{} : *callbacks;
  const std::string own_name = name == nullptr ? "" : name;
  const ExportedInstance::Log log = [given, own_name](Status status, const char* category, const std::string& text) {
    if (given.logger == nullptr) return;
    std::string escaped;  // # begins the name of a variable
    for (char c : text) escaped.append(c == '#' ? 2 : 1, c);
    given.logger(given.environment, own_name.c_str(), to_fmi(status), category, "%s", escaped.c_str());
  };
  if (type != fmi2CoSimulation) {
    log(Status::error, "logStatusError", "this FMU is for co-simulation, not for model exchange");
    return nullptr;
  }
  return ExportedInstance::make(path_of(resources), guid == nullptr ? "" : guid, log).release();
}

void fmi2FreeInstance(fmi2Component c) { delete static_cast<ExportedInstance*>(c); }
fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean, size_t, const fmi2String*) { return fmi2OK; }

/// FMI 2 says the start time before initialization mode, which begins there.
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean, fmi2Real) {
  return to_fmi(instance(c).set_start(start));
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return to_fmi(instance(c).enter_initialization()); }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return to_fmi(instance(c).exit_initialization()); }
fmi2Status fmi2Terminate(fmi2Component c) { return to_fmi(instance(c).terminate()); }
fmi2Status fmi2Reset(fmi2Component c) { return to_fmi(instance(c).reset()); }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference* references, size_t count, fmi2Real* values) {
  return to_fmi(instance(c).get(references, count, values, count));
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference* references, size_t count, const fmi2Real* values) {
  return to_fmi(instance(c).set(references, count, values, count));
}

#define NONE_OF_THIS_TYPE(name, type)                                                \
  fmi2Status name(fmi2Component c, const fmi2ValueReference*, size_t count, type*) { \
    return count == 0 ? fmi2OK : to_fmi(instance(c).refuse(#name));                  \
  }
NONE_OF_THIS_TYPE(fmi2GetInteger, fmi2Integer)
NONE_OF_THIS_TYPE(fmi2GetBoolean, fmi2Boolean)
NONE_OF_THIS_TYPE(fmi2GetString, fmi2String)
NONE_OF_THIS_TYPE(fmi2SetInteger, const fmi2Integer)
NONE_OF_THIS_TYPE(fmi2SetBoolean, const fmi2Boolean)
NONE_OF_THIS_TYPE(fmi2SetString, const fmi2String)

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) { return to_fmi(instance(c).save(state)); }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return to_fmi(instance(c).restore(state)); }
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) { return to_fmi(instance(c).forget(state)); }
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  return to_fmi(instance(c).size_of_state(state, size));
}
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte* bytes, size_t size) {
  return to_fmi(instance(c).serialize(state, bytes, size));
}
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte* bytes, size_t size, fmi2FMUstate* state) {
  return to_fmi(instance(c).deserialize(bytes, size, state));
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference* unknowns, size_t unknown_count,
                                        const fmi2ValueReference* knowns, size_t known_count, const fmi2Real* seed,
                                        fmi2Real* values) {
  return to_fmi(instance(c).directional_derivative(unknowns, unknown_count, knowns, known_count, seed, known_count,
                                                   values, unknown_count));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference* references, size_t count,
                                       const fmi2Integer* orders, const fmi2Real* values) {
  return to_fmi(instance(c).set_input_slopes(references, count, orders, values));
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference* references, size_t count,
                                        const fmi2Integer* orders, fmi2Real* values) {
  return to_fmi(instance(c).output_slopes(references, count, orders, values, count));
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real step, fmi2Boolean) {
  return to_fmi(instance(c).step(now, step));
}
fmi2Status fmi2CancelStep(fmi2Component c) { return to_fmi(instance(c).refuse("fmi2CancelStep")); }

fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind, fmi2Status*) {
  return to_fmi(instance(c).refuse("fmi2GetStatus"));
}
fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return to_fmi(instance(c).refuse("fmi2GetRealStatus"));
  *value = instance(c).time();
  return fmi2OK;
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind, fmi2Integer*) {
  return to_fmi(instance(c).refuse("fmi2GetIntegerStatus"));
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return to_fmi(instance(c).refuse("fmi2GetBooleanStatus"));
  *value = instance(c).has_ended() ? 1 : 0;
  return fmi2OK;
}
fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind, fmi2String*) {
  return to_fmi(instance(c).refuse("fmi2GetStringStatus"));
}

}  // extern "C"
