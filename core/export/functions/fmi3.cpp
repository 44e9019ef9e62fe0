// The functions of FMI 3.0 for co-simulation, around an exported model.

#include "fmi/fmi3.h"

#include <limits>

#include "export/functions/visible.hpp"

extern "C" {
FMI3_COMMON_FUNCTIONS(DECLARE)
FMI3_CO_SIMULATION_FUNCTIONS(DECLARE)
FMI3_MODEL_EXCHANGE_FUNCTIONS(DECLARE)
FMI3_SCHEDULED_EXECUTION_FUNCTIONS(DECLARE)
}

namespace {

using counterpoint::exported::ExportedInstance;
using counterpoint::exported::instance;
using counterpoint::exported::Status;

fmi3Status to_fmi(Status status) { return static_cast<fmi3Status>(status); }

/// The folder without the separator that FMI 3 puts at its end.
std::string folder(const char* path) {
  std::string text = path == nullptr ? "" : path;
  while (text.size() > 1 && (text.back() == '/' || text.back() == '\\')) text.pop_back();
  return text;
}

}  // namespace

extern "C" {

const char* fmi3GetVersion(void) { return "3.0"; }
fmi3Status fmi3SetDebugLogging(fmi3Instance, fmi3Boolean, size_t, const fmi3String*) { return fmi3OK; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String token, fmi3String resources, fmi3Boolean, fmi3Boolean,
                                         fmi3Boolean event_mode, fmi3Boolean may_return_early,
                                         const fmi3ValueReference*, size_t, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback logger, fmi3IntermediateUpdateCallback update) {
  const ExportedInstance::Log log = [environment, logger](Status status, const char* category,
                                                          const std::string& text) {
    if (logger != nullptr) logger(environment, to_fmi(status), category, text.c_str());
  };
  if (event_mode) {
    log(Status::error, "logStatusError", "event mode is not offered, as the description says");
    return nullptr;
  }
  std::unique_ptr<ExportedInstance> made =
      ExportedInstance::make(folder(resources), token == nullptr ? "" : token, log);
  if (made && update != nullptr) {
    made->look_between([environment, update, may_return_early](double t) {
      fmi3Boolean asks_to_return = false;
      fmi3Float64 end = t;
      update(environment, t, true, true, true, may_return_early, &asks_to_return, &end);
      return may_return_early && asks_to_return ? end : std::numeric_limits<double>::infinity();
    });
  }
  return made.release();
}

void fmi3FreeInstance(fmi3Instance i) { delete static_cast<ExportedInstance*>(i); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean, fmi3Float64, fmi3Float64 start, fmi3Boolean,
                                       fmi3Float64) {
  const Status status = instance(i).set_start(start);
  return to_fmi(status == Status::ok ? instance(i).enter_initialization() : status);
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance i) { return to_fmi(instance(i).exit_initialization()); }
fmi3Status fmi3Terminate(fmi3Instance i) { return to_fmi(instance(i).terminate()); }
fmi3Status fmi3Reset(fmi3Instance i) { return to_fmi(instance(i).reset()); }

fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference* references, size_t count, fmi3Float64* values,
                          size_t value_count) {
  return to_fmi(instance(i).get(references, count, values, value_count));
}
fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference* references, size_t count, const fmi3Float64* values,
                          size_t value_count) {
  return to_fmi(instance(i).set(references, count, values, value_count));
}

#define NONE_OF_THIS_TYPE(type)                                                                                  \
  fmi3Status fmi3Get##type(fmi3Instance i, const fmi3ValueReference*, size_t count, fmi3##type*, size_t) {       \
    return count == 0 ? fmi3OK : to_fmi(instance(i).refuse("fmi3Get" #type));                                    \
  }                                                                                                              \
  fmi3Status fmi3Set##type(fmi3Instance i, const fmi3ValueReference*, size_t count, const fmi3##type*, size_t) { \
    return count == 0 ? fmi3OK : to_fmi(instance(i).refuse("fmi3Set" #type));                                    \
  }
NONE_OF_THIS_TYPE(Float32)
NONE_OF_THIS_TYPE(Int8)
NONE_OF_THIS_TYPE(UInt8)
NONE_OF_THIS_TYPE(Int16)
NONE_OF_THIS_TYPE(UInt16)
NONE_OF_THIS_TYPE(Int32)
NONE_OF_THIS_TYPE(UInt32)
NONE_OF_THIS_TYPE(Int64)
NONE_OF_THIS_TYPE(UInt64)
NONE_OF_THIS_TYPE(Boolean)
NONE_OF_THIS_TYPE(String)

#define NOT_OFFERED(name, ...) \
  fmi3Status name(fmi3Instance i, __VA_ARGS__) { return to_fmi(instance(i).refuse(#name)); }
#define NOT_OFFERED_AT_ALL(name) \
  fmi3Status name(fmi3Instance i) { return to_fmi(instance(i).refuse(#name)); }
#define OF_VARIABLES const fmi3ValueReference*, size_t

NOT_OFFERED(fmi3GetBinary, OF_VARIABLES, size_t*, fmi3Binary*, size_t)
NOT_OFFERED(fmi3SetBinary, OF_VARIABLES, const size_t*, const fmi3Binary*, size_t)
NOT_OFFERED(fmi3GetClock, OF_VARIABLES, fmi3Clock*)
NOT_OFFERED(fmi3SetClock, OF_VARIABLES, const fmi3Clock*)
NOT_OFFERED(fmi3GetNumberOfVariableDependencies, fmi3ValueReference, size_t*)
NOT_OFFERED(fmi3GetVariableDependencies, fmi3ValueReference, size_t*, fmi3ValueReference*, size_t*, fmi3DependencyKind*,
            size_t)
NOT_OFFERED(fmi3GetAdjointDerivative, OF_VARIABLES, OF_VARIABLES, const fmi3Float64*, size_t, fmi3Float64*, size_t)
NOT_OFFERED(fmi3GetIntervalDecimal, OF_VARIABLES, fmi3Float64*, fmi3IntervalQualifier*)
NOT_OFFERED(fmi3GetIntervalFraction, OF_VARIABLES, fmi3UInt64*, fmi3UInt64*, fmi3IntervalQualifier*)
NOT_OFFERED(fmi3GetShiftDecimal, OF_VARIABLES, fmi3Float64*)
NOT_OFFERED(fmi3GetShiftFraction, OF_VARIABLES, fmi3UInt64*, fmi3UInt64*)
NOT_OFFERED(fmi3SetIntervalDecimal, OF_VARIABLES, const fmi3Float64*)
NOT_OFFERED(fmi3SetIntervalFraction, OF_VARIABLES, const fmi3UInt64*, const fmi3UInt64*)
NOT_OFFERED(fmi3SetShiftDecimal, OF_VARIABLES, const fmi3Float64*)
NOT_OFFERED(fmi3SetShiftFraction, OF_VARIABLES, const fmi3UInt64*, const fmi3UInt64*)
NOT_OFFERED(fmi3UpdateDiscreteStates, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*, fmi3Boolean*,
            fmi3Float64*)
NOT_OFFERED_AT_ALL(fmi3EnterEventMode)
NOT_OFFERED_AT_ALL(fmi3EnterStepMode)
NOT_OFFERED_AT_ALL(fmi3EnterConfigurationMode)
NOT_OFFERED_AT_ALL(fmi3ExitConfigurationMode)
NOT_OFFERED_AT_ALL(fmi3EvaluateDiscreteStates)

// FMI 3 wants the functions of all interfaces to be there.
NOT_OFFERED_AT_ALL(fmi3EnterContinuousTimeMode)
NOT_OFFERED(fmi3CompletedIntegratorStep, fmi3Boolean, fmi3Boolean*, fmi3Boolean*)
NOT_OFFERED(fmi3SetTime, fmi3Float64)
NOT_OFFERED(fmi3SetContinuousStates, const fmi3Float64*, size_t)
NOT_OFFERED(fmi3GetContinuousStateDerivatives, fmi3Float64*, size_t)
NOT_OFFERED(fmi3GetEventIndicators, fmi3Float64*, size_t)
NOT_OFFERED(fmi3GetContinuousStates, fmi3Float64*, size_t)
NOT_OFFERED(fmi3GetNominalsOfContinuousStates, fmi3Float64*, size_t)
NOT_OFFERED(fmi3GetNumberOfEventIndicators, size_t*)
NOT_OFFERED(fmi3GetNumberOfContinuousStates, size_t*)
NOT_OFFERED(fmi3ActivateModelPartition, fmi3ValueReference, fmi3Float64)

fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
  if (logger != nullptr)
    logger(environment, fmi3Error, "logStatusError", "this FMU is for co-simulation, not for model exchange");
  return nullptr;
}
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
                                               fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,
                                               fmi3UnlockPreemptionCallback) {
  if (logger != nullptr)
    logger(environment, fmi3Error, "logStatusError", "this FMU is for co-simulation, not for scheduled execution");
  return nullptr;
}

fmi3Status fmi3GetFMUState(fmi3Instance i, fmi3FMUState* state) { return to_fmi(instance(i).save(state)); }
fmi3Status fmi3SetFMUState(fmi3Instance i, fmi3FMUState state) { return to_fmi(instance(i).restore(state)); }
fmi3Status fmi3FreeFMUState(fmi3Instance i, fmi3FMUState* state) { return to_fmi(instance(i).forget(state)); }
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance i, fmi3FMUState state, size_t* size) {
  return to_fmi(instance(i).size_of_state(state, size));
}
fmi3Status fmi3SerializeFMUState(fmi3Instance i, fmi3FMUState state, fmi3Byte* bytes, size_t size) {
  return to_fmi(instance(i).serialize(state, reinterpret_cast<char*>(bytes), size));
}
fmi3Status fmi3DeserializeFMUState(fmi3Instance i, const fmi3Byte* bytes, size_t size, fmi3FMUState* state) {
  return to_fmi(instance(i).deserialize(reinterpret_cast<const char*>(bytes), size, state));
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance i, const fmi3ValueReference* unknowns, size_t unknown_count,
                                        const fmi3ValueReference* knowns, size_t known_count, const fmi3Float64* seed,
                                        size_t seed_count, fmi3Float64* values, size_t value_count) {
  return to_fmi(instance(i).directional_derivative(unknowns, unknown_count, knowns, known_count, seed, seed_count,
                                                   values, value_count));
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance i, const fmi3ValueReference* references, size_t count,
                                    const fmi3Int32* orders, fmi3Float64* values, size_t value_count) {
  return to_fmi(instance(i).output_slopes(references, count, orders, values, value_count));
}

fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 now, fmi3Float64 step, fmi3Boolean, fmi3Boolean* event,
                      fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* reached) {
  const Status status = instance(i).step(now, step);
  *event = false;
  *terminate = instance(i).has_ended();
  *reached = instance(i).time();
  *early_return = status == Status::ok && instance(i).returned_early();
  return instance(i).has_ended() ? fmi3OK : to_fmi(status);  // the end of a simulation is not a failure here
}

}  // extern "C"
