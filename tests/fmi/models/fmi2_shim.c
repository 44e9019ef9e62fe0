/* The functions of FMI 2.0 for any test model. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmi2.h"
#include "model.h"

#define DECLARE(RESULT, NAME, ARGUMENTS) EXPORT RESULT NAME ARGUMENTS;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CO_SIMULATION_FUNCTIONS(DECLARE)
FMI2_MODEL_EXCHANGE_FUNCTIONS(DECLARE)

typedef fmi2ValueReference Ref;

static void log_message(Instance* c, Status status, const char* category, const char* format, ...) {
  if (!is_logged(c, status, category)) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const fmi2CallbackFunctions* callbacks = c->callbacks[0];
  if (strchr(text, '%') != NULL) { /* as careless models do */
    callbacks->logger(c->environment, "test", (fmi2Status)status, category, text);
    return;
  }
  callbacks->logger(c->environment, "test", (fmi2Status)status, category, "%s", text);
}

static void log_raw(void* environment, void* callbacks, const char* category, const char* message) {
  ((const fmi2CallbackFunctions*)callbacks)->logger(environment, NULL, fmi2Error, category, message);
}

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String* categories) {
  choose_categories(c, on, n, categories);
  return fmi2OK;
}

/* A file URI: percent signs and two digits stand for bytes. */
static void set_resources(Instance* c, const char* uri) {
  size_t size = 0;
  if (uri == NULL || strncmp(uri, "file:///", 8) != 0) return;
  for (const char* at = uri + 7; *at != '\0' && size + 2 < sizeof c->resources; ++at) {
    unsigned byte = (unsigned char)*at;
    if (*at == '%' && sscanf(at + 1, "%2x", &byte) == 1) at += 2;
    c->resources[size++] = (char)byte;
  }
  c->resources[size] = '/';
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
  (void)visible;
  Instance* c = make_instance(guid);
  if (c == NULL) {
    callbacks->logger(callbacks->environment, name, fmi2Error, "logStatusError", "wrong GUID %s", guid);
    return NULL;
  }
  c->callbacks[0] = (void*)callbacks;
  c->environment = callbacks->environment;
  c->log = log_message;
  c->log_raw = log_raw;
  c->logging = logging;
  c->co_simulation = type == fmi2CoSimulation;
  set_resources(c, resources);
  if (definition.instantiated != NULL && definition.instantiated(c) != OK) {
    free_instance(c);
    return NULL;
  }
  return c;
}

void fmi2FreeInstance(fmi2Component c) { free_instance(c); }

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
  Instance* instance = c;
  if (getenv("TEST_FMU_FORGETS_AT_SETUP") != NULL) reset_instance(instance);
  instance->time = start;
  instance->log(instance, OK, "logEvents", "tolerance %g, stop %g", tolerance_defined ? tolerance : 0.0,
                stop_defined ? stop : 0.0);
  return (fmi2Status)enter(c, "fmi2SetupExperiment", IN(INSTANTIATED));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  const Status status = enter(c, "fmi2EnterInitializationMode", IN(INSTANTIATED));
  if (status == OK) ((Instance*)c)->mode = INITIALIZATION;
  return (fmi2Status)status;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  Instance* c = component;
  const Status status = enter(c, "fmi2ExitInitializationMode", IN(INITIALIZATION));
  if (status != OK) return (fmi2Status)status;
  c->mode = c->co_simulation ? STEP : EVENT;
  c->inputs_changed = false;
  return (fmi2Status)definition.calculate(c);
}

fmi2Status fmi2Terminate(fmi2Component c) {
  const Status status = enter(c, "fmi2Terminate", IN(STEP) | IN(EVENT) | IN(CONTINUOUS));
  if (status == OK) ((Instance*)c)->mode = TERMINATED;
  return (fmi2Status)status;
}

fmi2Status fmi2Reset(fmi2Component c) {
  reset_instance(c);
  return fmi2OK;
}

#define ACCESS(NAME, TYPE, CTYPE)                                                     \
  fmi2Status fmi2Get##NAME(fmi2Component c, const Ref* r, size_t n, CTYPE* v) {       \
    return (fmi2Status)get_values(c, "fmi2Get" #NAME, TYPE, r, n, v, n);              \
  }                                                                                   \
  fmi2Status fmi2Set##NAME(fmi2Component c, const Ref* r, size_t n, const CTYPE* v) { \
    return (fmi2Status)set_values(c, "fmi2Set" #NAME, TYPE, r, n, v, n);              \
  }
ACCESS(Real, FLOAT64, fmi2Real)
ACCESS(Integer, INT32, fmi2Integer)

fmi2Status fmi2GetBoolean(fmi2Component c, const Ref* r, size_t n, fmi2Boolean* v) {
  for (size_t i = 0; i < n; ++i) {
    bool value = false;
    if (get_values(c, "fmi2GetBoolean", BOOLEAN, r + i, 1, &value, 1) != OK) return fmi2Error;
    v[i] = value;
  }
  return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component c, const Ref* r, size_t n, const fmi2Boolean* v) {
  for (size_t i = 0; i < n; ++i) {
    const bool value = v[i] != 0;
    if (set_values(c, "fmi2SetBoolean", BOOLEAN, r + i, 1, &value, 1) != OK) return fmi2Error;
  }
  return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component c, const Ref* r, size_t n, fmi2String* v) {
  if (definition.calculate(c) != OK) return fmi2Error;
  for (size_t i = 0; i < n; ++i) {
    const Variable* variable = find(c, "fmi2GetString", STRING, r[i]);
    if (variable == NULL) return fmi2Error;
    v[i] = (char*)((Instance*)c)->values + variable->offset;
  }
  return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component c, const Ref* r, size_t n, const fmi2String* v) {
  for (size_t i = 0; i < n; ++i) {
    Text text = {{0}, 0};
    text.size = strlen(v[i]) < TEXT ? strlen(v[i]) : TEXT - 1;
    memcpy(text.bytes, v[i], text.size);
    if (set_values(c, "fmi2SetString", STRING, r + i, 1, &text, 1) != OK) return fmi2Error;
  }
  return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) { return (fmi2Status)save_state(c, state); }
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) { return (fmi2Status)restore_state(c, state); }

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  (void)c;
  return (fmi2Status)free_state(state);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t* size) {
  (void)c, (void)state;
  *size = size_of_state();
  return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte* bytes, size_t size) {
  (void)c;
  memcpy(bytes, state, size);
  return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte* bytes, size_t size, fmi2FMUstate* state) {
  (void)c;
  return (fmi2Status)read_state(bytes, size, state);
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const Ref* unknowns, size_t m, const Ref* knowns, size_t n,
                                        const fmi2Real* seed, fmi2Real* sensitivity) {
  if (definition.partial == NULL) return fmi2Error;
  for (size_t i = 0; i < m; ++i) {
    sensitivity[i] = 0.0;
    for (size_t j = 0; j < n; ++j) sensitivity[i] += definition.partial(c, unknowns[i], knowns[j]) * seed[j];
  }
  return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const Ref* r, size_t n, const fmi2Integer* orders,
                                       const fmi2Real* v) {
  Instance* c = component;
  if (definition.set_slope == NULL || enter(c, "fmi2SetRealInputDerivatives", IN(STEP)) != OK) return fmi2Error;
  for (size_t i = 0; i < n; ++i) {
    if (orders[i] != 1) return fmi2Error;
    definition.set_slope(c, r[i], v[i]);
  }
  return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const Ref* r, size_t n, const fmi2Integer* orders,
                                        fmi2Real* v) {
  Instance* c = component;
  if (definition.slope == NULL || enter(c, "fmi2GetRealOutputDerivatives", IN(STEP)) != OK) return fmi2Error;
  return (fmi2Status)get_slopes(c, r, n, orders, v);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real step, fmi2Boolean no_set_state_before_now) {
  ((Instance*)c)->may_be_restored = !no_set_state_before_now;
  StepEnd end;
  const Status status = do_step(c, now, step, &end);
  return status == OK && end.terminate ? fmi2Discard : (fmi2Status)status;
}

fmi2Status fmi2CancelStep(fmi2Component c) { return (fmi2Status)enter(c, "fmi2CancelStep", 0); }
fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((Instance*)c)->last.reached;
  return fmi2OK;
}
fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = ((Instance*)c)->last.terminate;
  return fmi2OK;
}
fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}

fmi2Status fmi2EnterEventMode(fmi2Component c) {
  const Status status = enter(c, "fmi2EnterEventMode", IN(CONTINUOUS) | IN(EVENT));
  if (status == OK) ((Instance*)c)->mode = EVENT;
  return (fmi2Status)status;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  if (enter(c, "fmi2NewDiscreteStates", IN(EVENT)) != OK) return fmi2Error;
  StepEnd end = {0};
  const Status status = definition.handle_event == NULL ? OK : definition.handle_event(c, &end);
  *info = (fmi2EventInfo){end.again, end.terminate, end.nominals_changed, end.event, end.has_next, end.next_event};
  return (fmi2Status)status;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  const Status status = enter(c, "fmi2EnterContinuousTimeMode", IN(EVENT));
  if (status != OK) return (fmi2Status)status;
  ((Instance*)c)->mode = CONTINUOUS;
  ((Instance*)c)->event_time = ((Instance*)c)->time;
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set, fmi2Boolean* event,
                                       fmi2Boolean* terminate) {
  (void)no_set;
  bool wanted = false;
  *event = *terminate = 0;
  if (enter(c, "fmi2CompletedIntegratorStep", IN(CONTINUOUS)) != OK) return fmi2Error;
  const Status status = definition.completed == NULL ? OK : definition.completed(c, &wanted);
  *event = wanted;
  return (fmi2Status)status;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) { return (fmi2Status)set_time(c, "fmi2SetTime", time); }

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real* x, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi2Status)set_states(c, x) : fmi2Error;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real* x, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi2Status)get_states(c, x) : fmi2Error;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real* dx, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi2Status)get_derivatives(c, "fmi2GetDerivatives", dx) : fmi2Error;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real* z, size_t n) {
  return (fmi2Status)get_indicators(c, z, n);
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real* nominals, size_t n) {
  return (fmi2Status)get_nominals(c, nominals, n);
}
