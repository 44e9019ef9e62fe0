/* The C interface of FMI 3.0 as far as names, types and signatures go (https://fmi-standard.org, FMI 3.0.2).
 * One list of functions serves the symbol table of the importer and the declarations of an exporter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early, fmi3Boolean* early_return_requested,
                                               fmi3Float64* early_return_time);

#define FMI3_REFERENCES fmi3Instance, const fmi3ValueReference*, size_t
#define FMI3_GET(TYPE) (FMI3_REFERENCES, TYPE*, size_t)
#define FMI3_SET(TYPE) (FMI3_REFERENCES, const TYPE*, size_t)
#define FMI3_INSTANTIATE fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging
#define FMI3_DERIVATIVE \
  (fmi3Instance, const fmi3ValueReference* unknowns, size_t, const fmi3ValueReference* knowns, size_t, \
   const fmi3Float64* seed, size_t, fmi3Float64* sensitivity, size_t)

/* FUNCTION(result, name, arguments) for all that every FMU has. */
#define FMI3_COMMON_FUNCTIONS(FUNCTION) \
  FUNCTION(const char*, fmi3GetVersion, (void)) \
  FUNCTION(fmi3Status, fmi3SetDebugLogging, (fmi3Instance, fmi3Boolean on, size_t, const fmi3String* categories)) \
  FUNCTION(void, fmi3FreeInstance, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3EnterInitializationMode, (fmi3Instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance, \
                                                     fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)) \
  FUNCTION(fmi3Status, fmi3ExitInitializationMode, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3EnterEventMode, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3Terminate, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3Reset, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3GetFloat32, FMI3_GET(fmi3Float32)) \
  FUNCTION(fmi3Status, fmi3GetFloat64, FMI3_GET(fmi3Float64)) \
  FUNCTION(fmi3Status, fmi3GetInt8, FMI3_GET(fmi3Int8)) \
  FUNCTION(fmi3Status, fmi3GetUInt8, FMI3_GET(fmi3UInt8)) \
  FUNCTION(fmi3Status, fmi3GetInt16, FMI3_GET(fmi3Int16)) \
  FUNCTION(fmi3Status, fmi3GetUInt16, FMI3_GET(fmi3UInt16)) \
  FUNCTION(fmi3Status, fmi3GetInt32, FMI3_GET(fmi3Int32)) \
  FUNCTION(fmi3Status, fmi3GetUInt32, FMI3_GET(fmi3UInt32)) \
  FUNCTION(fmi3Status, fmi3GetInt64, FMI3_GET(fmi3Int64)) \
  FUNCTION(fmi3Status, fmi3GetUInt64, FMI3_GET(fmi3UInt64)) \
  FUNCTION(fmi3Status, fmi3GetBoolean, FMI3_GET(fmi3Boolean)) \
  FUNCTION(fmi3Status, fmi3GetString, FMI3_GET(fmi3String)) \
  FUNCTION(fmi3Status, fmi3GetBinary, (FMI3_REFERENCES, size_t* sizes, fmi3Binary*, size_t)) \
  FUNCTION(fmi3Status, fmi3GetClock, (FMI3_REFERENCES, fmi3Clock*)) \
  FUNCTION(fmi3Status, fmi3SetFloat32, FMI3_SET(fmi3Float32)) \
  FUNCTION(fmi3Status, fmi3SetFloat64, FMI3_SET(fmi3Float64)) \
  FUNCTION(fmi3Status, fmi3SetInt8, FMI3_SET(fmi3Int8)) \
  FUNCTION(fmi3Status, fmi3SetUInt8, FMI3_SET(fmi3UInt8)) \
  FUNCTION(fmi3Status, fmi3SetInt16, FMI3_SET(fmi3Int16)) \
  FUNCTION(fmi3Status, fmi3SetUInt16, FMI3_SET(fmi3UInt16)) \
  FUNCTION(fmi3Status, fmi3SetInt32, FMI3_SET(fmi3Int32)) \
  FUNCTION(fmi3Status, fmi3SetUInt32, FMI3_SET(fmi3UInt32)) \
  FUNCTION(fmi3Status, fmi3SetInt64, FMI3_SET(fmi3Int64)) \
  FUNCTION(fmi3Status, fmi3SetUInt64, FMI3_SET(fmi3UInt64)) \
  FUNCTION(fmi3Status, fmi3SetBoolean, FMI3_SET(fmi3Boolean)) \
  FUNCTION(fmi3Status, fmi3SetString, FMI3_SET(fmi3String)) \
  FUNCTION(fmi3Status, fmi3SetBinary, (FMI3_REFERENCES, const size_t* sizes, const fmi3Binary*, size_t)) \
  FUNCTION(fmi3Status, fmi3SetClock, (FMI3_REFERENCES, const fmi3Clock*)) \
  FUNCTION(fmi3Status, fmi3GetNumberOfVariableDependencies, (fmi3Instance, fmi3ValueReference, size_t*)) \
  FUNCTION(fmi3Status, fmi3GetVariableDependencies, \
           (fmi3Instance, fmi3ValueReference dependent, size_t* dependent_elements, fmi3ValueReference* independents, \
            size_t* independent_elements, fmi3DependencyKind*, size_t)) \
  FUNCTION(fmi3Status, fmi3GetFMUState, (fmi3Instance, fmi3FMUState*)) \
  FUNCTION(fmi3Status, fmi3SetFMUState, (fmi3Instance, fmi3FMUState)) \
  FUNCTION(fmi3Status, fmi3FreeFMUState, (fmi3Instance, fmi3FMUState*)) \
  FUNCTION(fmi3Status, fmi3SerializedFMUStateSize, (fmi3Instance, fmi3FMUState, size_t*)) \
  FUNCTION(fmi3Status, fmi3SerializeFMUState, (fmi3Instance, fmi3FMUState, fmi3Byte*, size_t)) \
  FUNCTION(fmi3Status, fmi3DeserializeFMUState, (fmi3Instance, const fmi3Byte*, size_t, fmi3FMUState*)) \
  FUNCTION(fmi3Status, fmi3GetDirectionalDerivative, FMI3_DERIVATIVE) \
  FUNCTION(fmi3Status, fmi3GetAdjointDerivative, FMI3_DERIVATIVE) \
  FUNCTION(fmi3Status, fmi3EnterConfigurationMode, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3ExitConfigurationMode, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3GetIntervalDecimal, (FMI3_REFERENCES, fmi3Float64*, fmi3IntervalQualifier*)) \
  FUNCTION(fmi3Status, fmi3GetIntervalFraction, (FMI3_REFERENCES, fmi3UInt64*, fmi3UInt64*, fmi3IntervalQualifier*)) \
  FUNCTION(fmi3Status, fmi3GetShiftDecimal, (FMI3_REFERENCES, fmi3Float64*)) \
  FUNCTION(fmi3Status, fmi3GetShiftFraction, (FMI3_REFERENCES, fmi3UInt64*, fmi3UInt64*)) \
  FUNCTION(fmi3Status, fmi3SetIntervalDecimal, (FMI3_REFERENCES, const fmi3Float64*)) \
  FUNCTION(fmi3Status, fmi3SetIntervalFraction, (FMI3_REFERENCES, const fmi3UInt64*, const fmi3UInt64*)) \
  FUNCTION(fmi3Status, fmi3SetShiftDecimal, (FMI3_REFERENCES, const fmi3Float64*)) \
  FUNCTION(fmi3Status, fmi3SetShiftFraction, (FMI3_REFERENCES, const fmi3UInt64*, const fmi3UInt64*)) \
  FUNCTION(fmi3Status, fmi3EvaluateDiscreteStates, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3UpdateDiscreteStates, \
           (fmi3Instance, fmi3Boolean* update_needed, fmi3Boolean* terminate, fmi3Boolean* nominals_changed, \
            fmi3Boolean* states_changed, fmi3Boolean* next_event_time_defined, fmi3Float64* next_event_time))

#define FMI3_CO_SIMULATION_FUNCTIONS(FUNCTION) \
  FUNCTION(fmi3Instance, fmi3InstantiateCoSimulation, \
           (FMI3_INSTANTIATE, fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference* intermediate, \
            size_t, fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3IntermediateUpdateCallback)) \
  FUNCTION(fmi3Status, fmi3EnterStepMode, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3GetOutputDerivatives, (FMI3_REFERENCES, const fmi3Int32* orders, fmi3Float64*, size_t)) \
  FUNCTION(fmi3Status, fmi3DoStep, \
           (fmi3Instance, fmi3Float64 now, fmi3Float64 step, fmi3Boolean no_set_state_before_now, fmi3Boolean* event, \
            fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* reached))

#define FMI3_MODEL_EXCHANGE_FUNCTIONS(FUNCTION) \
  FUNCTION(fmi3Instance, fmi3InstantiateModelExchange, (FMI3_INSTANTIATE, fmi3InstanceEnvironment, fmi3LogMessageCallback)) \
  FUNCTION(fmi3Status, fmi3EnterContinuousTimeMode, (fmi3Instance)) \
  FUNCTION(fmi3Status, fmi3CompletedIntegratorStep, (fmi3Instance, fmi3Boolean no_set_state_before_now, \
                                                     fmi3Boolean* enter_event_mode, fmi3Boolean* terminate)) \
  FUNCTION(fmi3Status, fmi3SetTime, (fmi3Instance, fmi3Float64)) \
  FUNCTION(fmi3Status, fmi3SetContinuousStates, (fmi3Instance, const fmi3Float64*, size_t)) \
  FUNCTION(fmi3Status, fmi3GetContinuousStateDerivatives, (fmi3Instance, fmi3Float64*, size_t)) \
  FUNCTION(fmi3Status, fmi3GetEventIndicators, (fmi3Instance, fmi3Float64*, size_t)) \
  FUNCTION(fmi3Status, fmi3GetContinuousStates, (fmi3Instance, fmi3Float64*, size_t)) \
  FUNCTION(fmi3Status, fmi3GetNominalsOfContinuousStates, (fmi3Instance, fmi3Float64*, size_t)) \
  FUNCTION(fmi3Status, fmi3GetNumberOfEventIndicators, (fmi3Instance, size_t*)) \
  FUNCTION(fmi3Status, fmi3GetNumberOfContinuousStates, (fmi3Instance, size_t*))

#define FMI3_SCHEDULED_EXECUTION_FUNCTIONS(FUNCTION) \
  FUNCTION(fmi3Instance, fmi3InstantiateScheduledExecution, \
           (FMI3_INSTANTIATE, fmi3InstanceEnvironment, fmi3LogMessageCallback, fmi3ClockUpdateCallback, \
            fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback)) \
  FUNCTION(fmi3Status, fmi3ActivateModelPartition, (fmi3Instance, fmi3ValueReference, fmi3Float64))

#ifdef __cplusplus
}
#endif
