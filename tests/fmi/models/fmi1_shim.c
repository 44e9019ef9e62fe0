/* The functions of FMI 1.0 for any test model; MODEL is the model identifier. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmi1.h"
#include "model.h"

#define JOIN(A, B) A##_fmi##B
#define NAMED(A, B) JOIN(A, B)
#define F(NAME) NAMED(MODEL, NAME)
#define DECLARE(RESULT, NAME, ARGUMENTS) EXPORT RESULT F(NAME) ARGUMENTS;
FMI1_COMMON_FUNCTIONS(DECLARE)
FMI1_CO_SIMULATION_FUNCTIONS(DECLARE)
FMI1_MODEL_EXCHANGE_FUNCTIONS(DECLARE)

typedef fmi1ValueReference Ref;

static void log_message(Instance* c, Status status, const char* category, const char* format, ...) {
  if (!is_logged(c, status, category)) return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const fmi1CallbackFunctions* callbacks = c->callbacks[0];
  callbacks->logger(c, "test", (fmi1Status)status, category, "%s", text);
}

const char* F(GetVersion)(void) { return "1.0"; }
const char* F(GetTypesPlatform)(void) { return "standard32"; }
const char* F(GetModelTypesPlatform)(void) { return "standard32"; }
fmi1Status F(SetDebugLogging)(fmi1Component c, fmi1Boolean on) {
  choose_categories(c, on, 0, NULL);
  return fmi1OK;
}

static Instance* instantiate(const char* guid, fmi1CallbackFunctions callbacks, bool logging, bool is_slave) {
  Instance* c = make_instance(guid);
  if (c == NULL) {
    callbacks.logger(NULL, "test", fmi1Error, "logStatusError", "wrong GUID %s", guid);
    return NULL;
  }
  fmi1CallbackFunctions* kept = malloc(sizeof callbacks); /* they came by value */
  *kept = callbacks;
  c->callbacks[0] = kept;
  c->log = log_message;
  c->logging = logging;
  c->co_simulation = is_slave;
  return c;
}

static void release(Instance* c) {
  free(c->callbacks[0]);
  free_instance(c);
}

static bool never_says_converged; /* that an event is handled */

fmi1Component F(InstantiateSlave)(fmi1String name, fmi1String guid, fmi1String location, fmi1String mime_type,
                                  fmi1Real timeout, fmi1Boolean visible, fmi1Boolean interactive,
                                  fmi1CallbackFunctions callbacks, fmi1Boolean logging) {
  (void)name, (void)timeout, (void)visible;
  const bool is_good = strncmp(location, "file:///", 8) == 0 && !interactive &&
                       strcmp(mime_type, "application/x-fmu-sharedlibrary") == 0;
  return is_good ? instantiate(guid, callbacks, logging, true) : NULL;
}
fmi1Component F(InstantiateModel)(fmi1String name, fmi1String guid, fmi1CallbackFunctions callbacks,
                                  fmi1Boolean logging) {
  never_says_converged = strstr(name, "never converged") != NULL; /* which model does is chosen by its name */
  return instantiate(guid, callbacks, logging, false);
}
void F(FreeSlaveInstance)(fmi1Component c) { release(c); }
void F(FreeModelInstance)(fmi1Component c) { release(c); }

fmi1Status F(InitializeSlave)(fmi1Component component, fmi1Real start, fmi1Boolean stop_defined, fmi1Real stop) {
  Instance* c = component;
  c->log(c, OK, "logEvents", "tolerance 0, stop %g", stop_defined ? stop : 0.0);
  if (enter(c, "fmiInitializeSlave", IN(INSTANTIATED)) != OK) return fmi1Error;
  c->time = start;
  c->mode = STEP;
  return (fmi1Status)definition.calculate(c);
}

/* Until nothing changes any more, as FMI 1 has it without intermediate results. */
static fmi1Status update(Instance* c, fmi1EventInfo* info) {
  StepEnd all = {0}, end;
  do {
    end = (StepEnd){0};
    if (definition.handle_event != NULL && definition.handle_event(c, &end) != OK) return fmi1Error;
    all.event = all.event || end.event;
    all.terminate = all.terminate || end.terminate;
  } while (end.again && !all.terminate);
  *info = (fmi1EventInfo){!never_says_converged, end.nominals_changed, all.event,
                          all.terminate,         end.has_next,         end.next_event};
  return fmi1OK;
}

fmi1Status F(Initialize)(fmi1Component component, fmi1Boolean tolerance_defined, fmi1Real tolerance,
                         fmi1EventInfo* info) {
  Instance* c = component;
  (void)tolerance_defined, (void)tolerance;
  if (enter(c, "fmiInitialize", IN(INSTANTIATED)) != OK) return fmi1Error;
  c->mode = EVENT;
  return definition.calculate(c) == OK ? update(c, info) : fmi1Error;
}
fmi1Status F(EventUpdate)(fmi1Component c, fmi1Boolean intermediate_results, fmi1EventInfo* info) {
  if (intermediate_results || enter(c, "fmiEventUpdate", IN(EVENT)) != OK) return fmi1Error;
  ((Instance*)c)->event_time = ((Instance*)c)->time;
  return update(c, info);
}

fmi1Status F(TerminateSlave)(fmi1Component c) {
  const Status status = enter(c, "fmiTerminateSlave", IN(STEP));
  if (status == OK) ((Instance*)c)->mode = TERMINATED;
  return (fmi1Status)status;
}
fmi1Status F(Terminate)(fmi1Component c) {
  const Status status = enter(c, "fmiTerminate", IN(EVENT));
  if (status == OK) ((Instance*)c)->mode = TERMINATED;
  return (fmi1Status)status;
}
fmi1Status F(ResetSlave)(fmi1Component c) {
  reset_instance(c);
  return fmi1OK;
}

#define ACCESS(NAME, TYPE, CTYPE)                                                    \
  fmi1Status F(Get##NAME)(fmi1Component c, const Ref* r, size_t n, CTYPE* v) {       \
    return (fmi1Status)get_values(c, "fmiGet" #NAME, TYPE, r, n, v, n);              \
  }                                                                                  \
  fmi1Status F(Set##NAME)(fmi1Component c, const Ref* r, size_t n, const CTYPE* v) { \
    return (fmi1Status)set_values(c, "fmiSet" #NAME, TYPE, r, n, v, n);              \
  }
ACCESS(Real, FLOAT64, fmi1Real)
ACCESS(Integer, INT32, fmi1Integer)
ACCESS(Boolean, BOOLEAN, fmi1Boolean)

fmi1Status F(GetString)(fmi1Component c, const Ref* r, size_t n, fmi1String* v) {
  if (definition.calculate(c) != OK) return fmi1Error;
  for (size_t i = 0; i < n; ++i) {
    const Variable* variable = find(c, "fmiGetString", STRING, r[i]);
    if (variable == NULL) return fmi1Error;
    v[i] = (char*)((Instance*)c)->values + variable->offset;
  }
  return fmi1OK;
}
fmi1Status F(SetString)(fmi1Component c, const Ref* r, size_t n, const fmi1String* v) {
  for (size_t i = 0; i < n; ++i) {
    Text text = {{0}, 0};
    text.size = strlen(v[i]) < TEXT ? strlen(v[i]) : TEXT - 1;
    memcpy(text.bytes, v[i], text.size);
    if (set_values(c, "fmiSetString", STRING, r + i, 1, &text, 1) != OK) return fmi1Error;
  }
  return fmi1OK;
}

fmi1Status F(SetRealInputDerivatives)(fmi1Component component, const Ref* r, size_t n, const fmi1Integer* orders,
                                      const fmi1Real* v) {
  Instance* c = component;
  if (definition.set_slope == NULL || enter(c, "fmiSetRealInputDerivatives", IN(STEP)) != OK) return fmi1Error;
  for (size_t i = 0; i < n; ++i) {
    if (orders[i] != 1) return fmi1Error;
    definition.set_slope(c, r[i], v[i]);
  }
  return fmi1OK;
}
fmi1Status F(GetRealOutputDerivatives)(fmi1Component c, const Ref* r, size_t n, const fmi1Integer* orders,
                                       fmi1Real* v) {
  if (definition.slope == NULL || enter(c, "fmiGetRealOutputDerivatives", IN(STEP)) != OK) return fmi1Error;
  return (fmi1Status)get_slopes(c, r, n, orders, v);
}

fmi1Status F(DoStep)(fmi1Component c, fmi1Real now, fmi1Real step, fmi1Boolean new_step) {
  StepEnd end;
  return new_step ? (fmi1Status)do_step(c, now, step, &end) : fmi1Error;
}
fmi1Status F(CancelStep)(fmi1Component c) { return (fmi1Status)enter(c, "fmiCancelStep", 0); }
fmi1Status F(GetStatus)(fmi1Component c, fmi1StatusKind kind, fmi1Status* value) {
  (void)c, (void)kind, (void)value;
  return fmi1Discard;
}
fmi1Status F(GetRealStatus)(fmi1Component c, fmi1StatusKind kind, fmi1Real* value) {
  if (kind != fmi1LastSuccessfulTime) return fmi1Discard;
  *value = ((Instance*)c)->last.reached;
  return fmi1OK;
}

fmi1Status F(SetTime)(fmi1Component c, fmi1Real time) {
  if (((Instance*)c)->mode != INSTANTIATED) return (fmi1Status)set_time(c, "fmiSetTime", time);
  ((Instance*)c)->time = time;
  return fmi1OK;
}
fmi1Status F(CompletedIntegratorStep)(fmi1Component c, fmi1Boolean* event) {
  bool wanted = false;
  *event = 0;
  if (enter(c, "fmiCompletedIntegratorStep", IN(EVENT)) != OK) return fmi1Error;
  const Status status = definition.completed == NULL ? OK : definition.completed(c, &wanted);
  *event = wanted;
  return (fmi1Status)status;
}
fmi1Status F(SetContinuousStates)(fmi1Component c, const fmi1Real* x, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi1Status)set_states(c, x) : fmi1Error;
}
fmi1Status F(GetContinuousStates)(fmi1Component c, fmi1Real* x, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi1Status)get_states(c, x) : fmi1Error;
}
fmi1Status F(GetDerivatives)(fmi1Component c, fmi1Real* dx, size_t n) {
  return n > 0 && n == count_states(c) ? (fmi1Status)get_derivatives(c, "fmiGetDerivatives", dx) : fmi1Error;
}
fmi1Status F(GetEventIndicators)(fmi1Component c, fmi1Real* z, size_t n) { return (fmi1Status)get_indicators(c, z, n); }
fmi1Status F(GetNominalContinuousStates)(fmi1Component c, fmi1Real* nominals, size_t n) {
  return (fmi1Status)get_nominals(c, nominals, n);
}
fmi1Status F(GetStateValueReferences)(fmi1Component c, fmi1ValueReference* references, size_t n) {
  (void)c;
  for (size_t i = 0; i < n; ++i) references[i] = (fmi1ValueReference)-1;
  return fmi1OK;
}
