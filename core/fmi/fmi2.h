/* The C interface of FMI 2.0 as far as names, types and signatures go (https://fmi-standard.org, FMI 2.0.4).
 * One list of functions serves the symbol table of the importer and the declarations of an exporter. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char* fmi2String;
typedef char fmi2Byte;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

/* The names of the members are not part of the interface, their order and types are. */
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category, fmi2String message, ...);
  void* (*allocate)(size_t count, size_t size);
  void (*release)(void*);
  void (*step_finished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment environment;
} fmi2CallbackFunctions;

typedef struct {
  fmi2Boolean new_discrete_states_needed;
  fmi2Boolean terminate_simulation;
  fmi2Boolean nominals_changed;
  fmi2Boolean states_changed;
  fmi2Boolean next_event_time_defined;
  fmi2Real next_event_time;
} fmi2EventInfo;

#define FMI2_GET(TYPE) (fmi2Component, const fmi2ValueReference*, size_t, TYPE*)
#define FMI2_SET(TYPE) (fmi2Component, const fmi2ValueReference*, size_t, const TYPE*)
#define FMI2_STATUS(TYPE) (fmi2Component, fmi2StatusKind, TYPE*)

/* FUNCTION(result, name, arguments) for all that every FMU has. */
#define FMI2_COMMON_FUNCTIONS(FUNCTION) \
  FUNCTION(const char*, fmi2GetTypesPlatform, (void)) \
  FUNCTION(const char*, fmi2GetVersion, (void)) \
  FUNCTION(fmi2Status, fmi2SetDebugLogging, (fmi2Component, fmi2Boolean on, size_t, const fmi2String* categories)) \
  FUNCTION(fmi2Component, fmi2Instantiate, (fmi2String name, fmi2Type, fmi2String guid, fmi2String resources, \
                                            const fmi2CallbackFunctions*, fmi2Boolean visible, fmi2Boolean logging)) \
  FUNCTION(void, fmi2FreeInstance, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2SetupExperiment, (fmi2Component, fmi2Boolean tolerance_defined, fmi2Real tolerance, \
                                             fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop)) \
  FUNCTION(fmi2Status, fmi2EnterInitializationMode, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2ExitInitializationMode, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2Terminate, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2Reset, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2GetReal, FMI2_GET(fmi2Real)) \
  FUNCTION(fmi2Status, fmi2GetInteger, FMI2_GET(fmi2Integer)) \
  FUNCTION(fmi2Status, fmi2GetBoolean, FMI2_GET(fmi2Boolean)) \
  FUNCTION(fmi2Status, fmi2GetString, FMI2_GET(fmi2String)) \
  FUNCTION(fmi2Status, fmi2SetReal, FMI2_SET(fmi2Real)) \
  FUNCTION(fmi2Status, fmi2SetInteger, FMI2_SET(fmi2Integer)) \
  FUNCTION(fmi2Status, fmi2SetBoolean, FMI2_SET(fmi2Boolean)) \
  FUNCTION(fmi2Status, fmi2SetString, FMI2_SET(fmi2String)) \
  FUNCTION(fmi2Status, fmi2GetFMUstate, (fmi2Component, fmi2FMUstate*)) \
  FUNCTION(fmi2Status, fmi2SetFMUstate, (fmi2Component, fmi2FMUstate)) \
  FUNCTION(fmi2Status, fmi2FreeFMUstate, (fmi2Component, fmi2FMUstate*)) \
  FUNCTION(fmi2Status, fmi2SerializedFMUstateSize, (fmi2Component, fmi2FMUstate, size_t*)) \
  FUNCTION(fmi2Status, fmi2SerializeFMUstate, (fmi2Component, fmi2FMUstate, fmi2Byte*, size_t)) \
  FUNCTION(fmi2Status, fmi2DeSerializeFMUstate, (fmi2Component, const fmi2Byte*, size_t, fmi2FMUstate*)) \
  FUNCTION(fmi2Status, fmi2GetDirectionalDerivative, \
           (fmi2Component, const fmi2ValueReference* unknowns, size_t, const fmi2ValueReference* knowns, \
            size_t, const fmi2Real* seed, fmi2Real* sensitivity))

#define FMI2_CO_SIMULATION_FUNCTIONS(FUNCTION) \
  FUNCTION(fmi2Status, fmi2SetRealInputDerivatives, (fmi2Component, const fmi2ValueReference*, size_t, \
                                                     const fmi2Integer* orders, const fmi2Real*)) \
  FUNCTION(fmi2Status, fmi2GetRealOutputDerivatives, (fmi2Component, const fmi2ValueReference*, size_t, \
                                                      const fmi2Integer* orders, fmi2Real*)) \
  FUNCTION(fmi2Status, fmi2DoStep, (fmi2Component, fmi2Real now, fmi2Real step, fmi2Boolean no_set_state_before_now)) \
  FUNCTION(fmi2Status, fmi2CancelStep, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2GetStatus, FMI2_STATUS(fmi2Status)) \
  FUNCTION(fmi2Status, fmi2GetRealStatus, FMI2_STATUS(fmi2Real)) \
  FUNCTION(fmi2Status, fmi2GetIntegerStatus, FMI2_STATUS(fmi2Integer)) \
  FUNCTION(fmi2Status, fmi2GetBooleanStatus, FMI2_STATUS(fmi2Boolean)) \
  FUNCTION(fmi2Status, fmi2GetStringStatus, FMI2_STATUS(fmi2String))

#define FMI2_MODEL_EXCHANGE_FUNCTIONS(FUNCTION) \
  FUNCTION(fmi2Status, fmi2EnterEventMode, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2NewDiscreteStates, (fmi2Component, fmi2EventInfo*)) \
  FUNCTION(fmi2Status, fmi2EnterContinuousTimeMode, (fmi2Component)) \
  FUNCTION(fmi2Status, fmi2CompletedIntegratorStep, (fmi2Component, fmi2Boolean no_set_state_before_now, \
                                                     fmi2Boolean* enter_event_mode, fmi2Boolean* terminate)) \
  FUNCTION(fmi2Status, fmi2SetTime, (fmi2Component, fmi2Real)) \
  FUNCTION(fmi2Status, fmi2SetContinuousStates, (fmi2Component, const fmi2Real*, size_t)) \
  FUNCTION(fmi2Status, fmi2GetDerivatives, (fmi2Component, fmi2Real*, size_t)) \
  FUNCTION(fmi2Status, fmi2GetEventIndicators, (fmi2Component, fmi2Real*, size_t)) \
  FUNCTION(fmi2Status, fmi2GetContinuousStates, (fmi2Component, fmi2Real*, size_t)) \
  FUNCTION(fmi2Status, fmi2GetNominalsOfContinuousStates, (fmi2Component, fmi2Real*, size_t))

#ifdef __cplusplus
}
#endif
