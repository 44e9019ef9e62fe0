/* The functions of FMI 3.0 for any test model. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmi3.h"
#include "model.h"

#define DECLARE(RESULT, NAME, ARGUMENTS) EXPORT RESULT NAME ARGUMENTS;
FMI3_COMMON_FUNCTIONS(DECLARE)
FMI3_CO_SIMULATION_FUNCTIONS(DECLARE)
FMI3_MODEL_EXCHANGE_FUNCTIONS(DECLARE)
FMI3_SCHEDULED_EXECUTION_FUNCTIONS(DECLARE)

typedef fmi3ValueReference Ref;

static void log_message(Instance* c, Status status, const char* category, const char* format, ...) {
  if (!is_logged(c, status, category)) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ((fmi3LogMessageCallback)c->callbacks[0])(c->environment, (fmi3Status)status, category, text);
}

static void log_raw(void* environment, void* callback, const char* category, const char* message) {
  ((fmi3LogMessageCallback)callback)(environment, fmi3Error, category, message);
}

static void ask_inputs(Instance* c, double time) {
  bool requested = false;
  double early_time = 0.0;
  const double kept = c->time;
  c->time = time;
  ((fmi3IntermediateUpdateCallback)c->callbacks[1])(c->environment, time, true, true, true, false, &requested,
                                                    &early_time);
  c->time = kept;
  c->inputs_changed = false;
}

const char* fmi3GetVersion(void) { return "3.0"; }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String* categories) {
  choose_categories(c, on, n, categories);
  return fmi3OK;
}

static Instance* instantiate(const char* token, const char* resources, bool logging, bool event_mode, void* environment,
                             fmi3LogMessageCallback log) {
  Instance* c = make_instance(token);
  if (c == NULL) {
    if (log != NULL) log(environment, fmi3Error, "logStatusError", "wrong instantiation token");
    return NULL;
  }
  c->callbacks[0] = (void*)log;
  c->environment = environment;
  c->log = log_message;
  c->log_raw = log_raw;
  c->logging = logging;
  c->event_mode = event_mode;
  if (resources != NULL) strncpy(c->resources, resources, sizeof c->resources - 1);
  if (definition.instantiated != NULL && definition.instantiated(c) != OK) {
    free_instance(c);
    return NULL;
  }
  return c;
}

fmi3Instance fmi3InstantiateCoSimulation(FMI3_INSTANTIATE, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const Ref* intermediate, size_t n, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  (void)name, (void)visible, (void)intermediate;
  Instance* c = instantiate(token, resources, logging, event_mode, environment, log);
  if (c == NULL) return NULL;
  c->co_simulation = true;
  c->early_return = early_return;
  c->callbacks[1] = (void*)update;
  if (update != NULL && n > 0) c->ask_inputs = ask_inputs;
  return c;
}

fmi3Instance fmi3InstantiateModelExchange(FMI3_INSTANTIATE, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log) {
  (void)name, (void)visible;
  Instance* c = instantiate(token, resources, logging, false, environment, log);
  if (c != NULL) c->event_mode = true;
  return c;
}

fmi3Instance fmi3InstantiateScheduledExecution(FMI3_INSTANTIATE, fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                               fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log, (void)update,
      (void)lock, (void)unlock;
  return NULL;
}

void fmi3FreeInstance(fmi3Instance c) { free_instance(c); }

fmi3Status fmi3EnterInitializationMode(fmi3Instance component, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
  Instance* c = component;
  if (enter(c, "fmi3EnterInitializationMode", IN(INSTANTIATED)) != OK) return fmi3Error;
  c->log(c, OK, "logEvents", "tolerance %g, stop %g", tolerance_defined ? tolerance : 0.0, stop_defined ? stop : 0.0);
  c->time = start;
  c->mode = INITIALIZATION;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance component) {
  Instance* c = component;
  if (enter(c, "fmi3ExitInitializationMode", IN(INITIALIZATION)) != OK) return fmi3Error;
  c->mode = c->co_simulation && !c->event_mode ? STEP : EVENT;
  c->inputs_changed = false;
  return (fmi3Status)definition.calculate(c);
}

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
  if (enter(c, "fmi3EnterEventMode", IN(STEP) | IN(CONTINUOUS)) != OK) return fmi3Error;
  ((Instance*)c)->mode = EVENT;
  return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c) {
  if (enter(c, "fmi3Terminate", IN(STEP) | IN(EVENT) | IN(CONTINUOUS)) != OK) return fmi3Error;
  ((Instance*)c)->mode = TERMINATED;
  return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c) {
  reset_instance(c);
  return fmi3OK;
}

#define ACCESS(NAME, TYPE)                                                                              \
  fmi3Status fmi3Get##NAME(fmi3Instance c, const Ref* r, size_t n, fmi3##NAME* v, size_t count) {       \
    return (fmi3Status)get_values(c, "fmi3Get" #NAME, TYPE, r, n, v, count);                            \
  }                                                                                                     \
  fmi3Status fmi3Set##NAME(fmi3Instance c, const Ref* r, size_t n, const fmi3##NAME* v, size_t count) { \
    return (fmi3Status)set_values(c, "fmi3Set" #NAME, TYPE, r, n, v, count);                            \
  }
ACCESS(Float64, FLOAT64)
ACCESS(Float32, FLOAT32)
ACCESS(Int8, INT8)
ACCESS(UInt8, UINT8)
ACCESS(Int16, INT16)
ACCESS(UInt16, UINT16)
ACCESS(Int32, INT32)
ACCESS(UInt32, UINT32)
ACCESS(Int64, INT64)
ACCESS(UInt64, UINT64)
ACCESS(Boolean, BOOLEAN)

static const Text* text_of(Instance* c, const char* function, Type type, Ref reference) {
  const Variable* variable = find(c, function, type, reference);
  return variable == NULL ? NULL : (const Text*)((char*)c->values + variable->offset);
}

fmi3Status fmi3GetString(fmi3Instance c, const Ref* r, size_t n, fmi3String* v, size_t count) {
  if (count != n || definition.calculate(c) != OK) return fmi3Error;
  for (size_t i = 0; i < n; ++i) {
    const Text* text = text_of(c, "fmi3GetString", STRING, r[i]);
    if (text == NULL) return fmi3Error;
    v[i] = text->bytes;
  }
  return fmi3OK;
}

fmi3Status fmi3GetBinary(fmi3Instance c, const Ref* r, size_t n, size_t* sizes, fmi3Binary* v, size_t count) {
  if (count != n || definition.calculate(c) != OK) return fmi3Error;
  for (size_t i = 0; i < n; ++i) {
    const Text* text = text_of(c, "fmi3GetBinary", BINARY, r[i]);
    if (text == NULL) return fmi3Error;
    sizes[i] = text->size;
    v[i] = (fmi3Binary)text->bytes;
  }
  return fmi3OK;
}

static fmi3Status set_text(fmi3Instance c, const char* function, Type type, Ref r, const void* bytes, size_t size) {
  Text text = {{0}, size < TEXT ? size : TEXT - 1};
  memcpy(text.bytes, bytes, text.size);
  return (fmi3Status)set_values(c, function, type, &r, 1, &text, 1);
}

fmi3Status fmi3SetString(fmi3Instance c, const Ref* r, size_t n, const fmi3String* v, size_t count) {
  for (size_t i = 0; i < n && i < count; ++i) {
    if (set_text(c, "fmi3SetString", STRING, r[i], v[i], strlen(v[i])) != fmi3OK) return fmi3Error;
  }
  return fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance c, const Ref* r, size_t n, const size_t* sizes, const fmi3Binary* v,
                         size_t count) {
  for (size_t i = 0; i < n && i < count; ++i) {
    if (set_text(c, "fmi3SetBinary", BINARY, r[i], v[i], sizes[i]) != fmi3OK) return fmi3Error;
  }
  return fmi3OK;
}

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState* state) { return (fmi3Status)save_state(c, state); }
fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) { return (fmi3Status)restore_state(c, state); }

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState* state) {
  (void)c;
  return (fmi3Status)free_state(state);
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t* size) {
  (void)c, (void)state;
  *size = size_of_state();
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte* bytes, size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte* bytes, size_t size, fmi3FMUState* state) {
  (void)c;
  return (fmi3Status)read_state(bytes, size, state);
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const Ref* unknowns, size_t m, const Ref* knowns, size_t n,
                                        const fmi3Float64* seed, size_t n_seed, fmi3Float64* sensitivity,
                                        size_t n_sensitivity) {
  if (definition.partial == NULL || (n_seed != n && n != 1) || n_sensitivity != m) return fmi3Error;
  for (size_t i = 0; i < m; ++i) {
    sensitivity[i] = 0.0;
    /* one known may be an array; its elements have the same derivative in these models */
    for (size_t j = 0; j < n_seed; ++j)
      sensitivity[i] += definition.partial(c, unknowns[i], knowns[n == 1 ? 0 : j]) * seed[j];
  }
  return fmi3OK;
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const Ref* unknowns, size_t m, const Ref* knowns, size_t n,
                                    const fmi3Float64* seed, size_t n_seed, fmi3Float64* sensitivity,
                                    size_t n_sensitivity) {
  if (definition.partial == NULL || n_seed != m || n_sensitivity != n) return fmi3Error;
  for (size_t j = 0; j < n; ++j) {
    sensitivity[j] = 0.0;
    for (size_t i = 0; i < m; ++i) sensitivity[j] += definition.partial(c, unknowns[i], knowns[j]) * seed[i];
  }
  return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
  if (enter(c, "fmi3EnterConfigurationMode", IN(INSTANTIATED)) != OK) return fmi3Error;
  ((Instance*)c)->mode = CONFIGURATION;
  return fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
  if (enter(c, "fmi3ExitConfigurationMode", IN(CONFIGURATION)) != OK) return fmi3Error;
  ((Instance*)c)->mode = INSTANTIATED;
  return fmi3OK;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
  return (fmi3Status)enter(c, "fmi3EvaluateDiscreteStates", IN(EVENT));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* update_needed, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* states_changed,
                                    fmi3Boolean* next_defined, fmi3Float64* next) {
  if (enter(c, "fmi3UpdateDiscreteStates", IN(EVENT)) != OK) return fmi3Error;
  StepEnd end = {0};
  const Status status = definition.handle_event == NULL ? OK : definition.handle_event(c, &end);
  *update_needed = end.again;
  *nominals_changed = end.nominals_changed;
  *next_defined = end.has_next;
  *terminate = end.terminate;
  *states_changed = end.event;
  *next = end.next_event;
  return (fmi3Status)status;
}

fmi3Status fmi3EnterStepMode(fmi3Instance component) {
  Instance* c = component;
  if (enter(c, "fmi3EnterStepMode", IN(EVENT)) != OK) return fmi3Error;
  c->mode = STEP;
  c->inputs_changed = false;
  return fmi3OK;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const Ref* r, size_t n, const fmi3Int32* orders, fmi3Float64* v,
                                    size_t count) {
  if (definition.slope == NULL || count != n || enter(c, "fmi3GetOutputDerivatives", IN(STEP) | IN(EVENT)) != OK)
    return fmi3Error;
  return (fmi3Status)get_slopes(c, r, n, orders, v);
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 step, fmi3Boolean no_set_state_before_now,
                      fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early_return, fmi3Float64* reached) {
  ((Instance*)c)->may_be_restored = !no_set_state_before_now;
  StepEnd end = {.reached = now};
  const Status status = do_step(c, now, step, &end);
  *event = end.event;
  *terminate = end.terminate;
  *early_return = end.early;
  *reached = end.reached;
  return (fmi3Status)status;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
  if (enter(c, "fmi3EnterContinuousTimeMode", IN(EVENT)) != OK) return fmi3Error;
  ((Instance*)c)->mode = CONTINUOUS;
  ((Instance*)c)->event_time = ((Instance*)c)->time;
  return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set, fmi3Boolean* event, fmi3Boolean* terminate) {
  (void)no_set;
  *event = *terminate = false;
  if (enter(c, "fmi3CompletedIntegratorStep", IN(CONTINUOUS)) != OK) return fmi3Error;
  return definition.completed == NULL ? fmi3OK : (fmi3Status)definition.completed(c, event);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) { return (fmi3Status)set_time(c, "fmi3SetTime", time); }

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64* x, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi3Status)set_states(c, x) : fmi3Error;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64* x, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi3Status)get_states(c, x) : fmi3Error;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64* dx, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi3Status)get_derivatives(c, "fmi3GetContinuousStateDerivatives", dx)
                                       : fmi3Error;
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64* z, size_t n) {
  return (fmi3Status)get_indicators(c, z, n);
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64* nominals, size_t n) {
  return (fmi3Status)get_nominals(c, nominals, n);
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* n) {
  (void)c;
  *n = definition.indicators;
  return fmi3OK;
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* n) {
  *n = count_states(c);
  return fmi3OK;
}

fmi3Status fmi3GetClock(fmi3Instance c, const Ref* r, size_t n, fmi3Clock* v) {
  if (enter(c, "fmi3GetClock", IN(EVENT)) != OK) return fmi3Error;
  return (fmi3Status)get_values(c, "fmi3GetClock", CLOCK, r, n, v, n);
}
fmi3Status fmi3SetClock(fmi3Instance c, const Ref* r, size_t n, const fmi3Clock* v) {
  if (definition.set_clock == NULL || enter(c, "fmi3SetClock", IN(EVENT)) != OK) return fmi3Error;
  for (size_t i = 0; i < n; ++i) {
    if (v[i] && definition.set_clock(c, r[i]) != OK) return fmi3Error;
  }
  return fmi3OK;
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const Ref* r, size_t n, fmi3Float64* v, fmi3IntervalQualifier* q) {
  if (definition.get_interval == NULL || enter(c, "fmi3GetIntervalDecimal", IN(INITIALIZATION) | IN(EVENT)) != OK)
    return fmi3Error;
  for (size_t i = 0; i < n; ++i) q[i] = (fmi3IntervalQualifier)definition.get_interval(c, r[i], &v[i]);
  return fmi3OK;
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const Ref* r, size_t n, fmi3Float64* v) {
  if (definition.get_shift == NULL || enter(c, "fmi3GetShiftDecimal", IN(INITIALIZATION)) != OK) return fmi3Error;
  for (size_t i = 0; i < n; ++i) v[i] = definition.get_shift(c, r[i]);
  return fmi3OK;
}

/* What these models do not have. */
#define REFUSE(NAME, ARGUMENTS) \
  fmi3Status NAME ARGUMENTS { return fmi3Error; }
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define REFERENCES fmi3Instance c, const Ref *r, size_t n
REFUSE(fmi3GetNumberOfVariableDependencies, (fmi3Instance c, Ref r, size_t* n))
REFUSE(fmi3GetVariableDependencies,
       (fmi3Instance c, Ref r, size_t* a, Ref* b, size_t* d, fmi3DependencyKind* k, size_t n))
REFUSE(fmi3GetIntervalFraction, (REFERENCES, fmi3UInt64* a, fmi3UInt64* b, fmi3IntervalQualifier* q))
REFUSE(fmi3GetShiftFraction, (REFERENCES, fmi3UInt64* a, fmi3UInt64* b))
REFUSE(fmi3SetIntervalDecimal, (REFERENCES, const fmi3Float64* v))
REFUSE(fmi3SetIntervalFraction, (REFERENCES, const fmi3UInt64* a, const fmi3UInt64* b))
REFUSE(fmi3SetShiftDecimal, (REFERENCES, const fmi3Float64* v))
REFUSE(fmi3SetShiftFraction, (REFERENCES, const fmi3UInt64* a, const fmi3UInt64* b))
REFUSE(fmi3ActivateModelPartition, (fmi3Instance c, Ref r, fmi3Float64 t))
