/* FMI 1.0 for co-simulation and model exchange: types and functions, written after the standard. In a library the name
 * of a function is the model identifier, "_fmi" and the name given here. C, for FMUs that are built in the tests. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* fmi1Component;
typedef unsigned int fmi1ValueReference;
typedef double fmi1Real;
typedef int fmi1Integer;
typedef char fmi1Boolean;
typedef const char* fmi1String;

typedef enum { fmi1OK, fmi1Warning, fmi1Discard, fmi1Error, fmi1Fatal, fmi1Pending } fmi1Status;
typedef enum { fmi1DoStepStatus, fmi1PendingStatus, fmi1LastSuccessfulTime } fmi1StatusKind;

/* Passed by value. Model exchange does not have the last one; many FMUs were built with it all the same. */
typedef struct {
  void (*logger)(fmi1Component, fmi1String instance_name, fmi1Status, fmi1String category, fmi1String message, ...);
  void* (*allocate_memory)(size_t, size_t);
  void (*free_memory)(void*);
  void (*step_finished)(fmi1Component, fmi1Status);
} fmi1CallbackFunctions;

typedef struct {
  fmi1Boolean iteration_converged;
  fmi1Boolean state_references_changed;
  fmi1Boolean states_changed;
  fmi1Boolean terminate_simulation;
  fmi1Boolean upcoming_time_event;
  fmi1Real next_event_time;
} fmi1EventInfo;

#define FMI1_GET(TYPE) (fmi1Component, const fmi1ValueReference*, size_t, TYPE*)
#define FMI1_SET(TYPE) (fmi1Component, const fmi1ValueReference*, size_t, const TYPE*)
#define FMI1_STATUS(TYPE) (fmi1Component, fmi1StatusKind, TYPE*)

/* FUNCTION(result, name, arguments) */
/* clang-format off */
#define FMI1_COMMON_FUNCTIONS(FUNCTION) \
  FUNCTION(const char*, GetVersion, (void)) \
  FUNCTION(fmi1Status, SetDebugLogging, (fmi1Component, fmi1Boolean on)) \
  FUNCTION(fmi1Status, GetReal, FMI1_GET(fmi1Real)) \
  FUNCTION(fmi1Status, GetInteger, FMI1_GET(fmi1Integer)) \
  FUNCTION(fmi1Status, GetBoolean, FMI1_GET(fmi1Boolean)) \
  FUNCTION(fmi1Status, GetString, FMI1_GET(fmi1String)) \
  FUNCTION(fmi1Status, SetReal, FMI1_SET(fmi1Real)) \
  FUNCTION(fmi1Status, SetInteger, FMI1_SET(fmi1Integer)) \
  FUNCTION(fmi1Status, SetBoolean, FMI1_SET(fmi1Boolean)) \
  FUNCTION(fmi1Status, SetString, FMI1_SET(fmi1String))

#define FMI1_CO_SIMULATION_FUNCTIONS(FUNCTION) \
  FUNCTION(const char*, GetTypesPlatform, (void)) \
  FUNCTION(fmi1Component, InstantiateSlave, (fmi1String name, fmi1String guid, fmi1String location, \
                                             fmi1String mime_type, fmi1Real timeout, fmi1Boolean visible, \
                                             fmi1Boolean interactive, fmi1CallbackFunctions, fmi1Boolean logging)) \
  FUNCTION(fmi1Status, InitializeSlave, (fmi1Component, fmi1Real start, fmi1Boolean stop_defined, fmi1Real stop)) \
  FUNCTION(fmi1Status, TerminateSlave, (fmi1Component)) \
  FUNCTION(fmi1Status, ResetSlave, (fmi1Component)) \
  FUNCTION(void, FreeSlaveInstance, (fmi1Component)) \
  FUNCTION(fmi1Status, SetRealInputDerivatives, (fmi1Component, const fmi1ValueReference*, size_t, \
                                                 const fmi1Integer* orders, const fmi1Real*)) \
  FUNCTION(fmi1Status, GetRealOutputDerivatives, (fmi1Component, const fmi1ValueReference*, size_t, \
                                                  const fmi1Integer* orders, fmi1Real*)) \
  FUNCTION(fmi1Status, CancelStep, (fmi1Component)) \
  FUNCTION(fmi1Status, DoStep, (fmi1Component, fmi1Real now, fmi1Real step, fmi1Boolean new_step)) \
  FUNCTION(fmi1Status, GetStatus, FMI1_STATUS(fmi1Status)) \
  FUNCTION(fmi1Status, GetRealStatus, FMI1_STATUS(fmi1Real))

#define FMI1_MODEL_EXCHANGE_FUNCTIONS(FUNCTION) \
  FUNCTION(const char*, GetModelTypesPlatform, (void)) \
  FUNCTION(fmi1Component, InstantiateModel, (fmi1String name, fmi1String guid, fmi1CallbackFunctions, \
                                             fmi1Boolean logging)) \
  FUNCTION(void, FreeModelInstance, (fmi1Component)) \
  FUNCTION(fmi1Status, SetTime, (fmi1Component, fmi1Real)) \
  FUNCTION(fmi1Status, SetContinuousStates, (fmi1Component, const fmi1Real*, size_t)) \
  FUNCTION(fmi1Status, CompletedIntegratorStep, (fmi1Component, fmi1Boolean* event)) \
  FUNCTION(fmi1Status, Initialize, (fmi1Component, fmi1Boolean tolerance_defined, fmi1Real tolerance, \
                                    fmi1EventInfo*)) \
  FUNCTION(fmi1Status, GetDerivatives, (fmi1Component, fmi1Real*, size_t)) \
  FUNCTION(fmi1Status, GetEventIndicators, (fmi1Component, fmi1Real*, size_t)) \
  FUNCTION(fmi1Status, EventUpdate, (fmi1Component, fmi1Boolean intermediate_results, fmi1EventInfo*)) \
  FUNCTION(fmi1Status, GetContinuousStates, (fmi1Component, fmi1Real*, size_t)) \
  FUNCTION(fmi1Status, GetNominalContinuousStates, (fmi1Component, fmi1Real*, size_t)) \
  FUNCTION(fmi1Status, GetStateValueReferences, (fmi1Component, fmi1ValueReference*, size_t)) \
  FUNCTION(fmi1Status, Terminate, (fmi1Component))
/* clang-format on */

#ifdef __cplusplus
}
#endif
