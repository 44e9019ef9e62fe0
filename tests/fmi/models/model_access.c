/* What both shims share: instances, access to the table of variables, and a strict watch over the order of calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

Instance* make_instance(const char* token) {
  if (token == NULL || strcmp(token, definition.token) != 0) return NULL;
  Instance* instance = calloc(1, sizeof *instance);
  instance->values = calloc(1, definition.size);
  reset_instance(instance);
  return instance;
}

void free_instance(Instance* instance) {
  if (instance == NULL) return;
  if (instance->mode == FAILED) abort(); /* after a fatal error nothing may be called, not even this */
  if (definition.freed != NULL) definition.freed(instance);
  free(instance->values);
  free(instance);
}

void reset_instance(Instance* instance) {
  instance->mode = INSTANTIATED;
  instance->time = 0.0;
  instance->event_time = -INFINITY;
  instance->inputs_changed = false;
  memset(&instance->last, 0, sizeof instance->last);
  memset(instance->values, 0, definition.size);
  definition.reset(instance->values);
}

Status enter(Instance* instance, const char* function, unsigned allowed_modes) {
  static const char* const names[] = {"instantiated", "configuration",   "initialization", "step",
                                      "event",        "continuous-time", "terminated",     "failed"};
  if (allowed_modes & IN(instance->mode)) return OK;
  if (instance->mode == FAILED) abort();
  instance->log(instance, ERROR, "logStatusError", "%s must not be called in the mode %s", function,
                names[instance->mode]);
  return ERROR;
}

Status access_variable(Instance* instance, const char* function, unsigned reference) {
  const bool running = instance->mode == STEP || instance->mode == EVENT || instance->mode == CONTINUOUS;
  if (!running || definition.accessible == NULL || definition.accessible(instance, reference)) return OK;
  instance->log(instance, ERROR, "logStatusError", "%s: no clock of the value reference %u is active", function,
                reference);
  return ERROR;
}

size_t size_of(Type type) {
  static const size_t sizes[] = {8, 4, 1, 1, 2, 2, 4, 4, 8, 8, sizeof(bool), sizeof(Text), sizeof(Text), sizeof(bool)};
  return sizes[type];
}

size_t count_of(const Instance* instance, const Variable* variable) {
  if (variable->count_offset == 0) return variable->count;
  const uint64_t count = *(const uint64_t*)((const char*)instance->values + variable->count_offset);
  return count < variable->count ? (size_t)count : variable->count;
}

const Variable* find(Instance* instance, const char* function, Type type, unsigned reference) {
  if (reference >= 1 && reference <= definition.variable_count) {
    const Variable* variable = &definition.variables[reference - 1];
    if (variable->type == type) return variable;
  }
  instance->log(instance, ERROR, "logStatusError", "%s: no variable of this type has the value reference %u", function,
                reference);
  return NULL;
}

Status get_values(Instance* instance, const char* function, Type type, const unsigned* references, size_t n, void* out,
                  size_t count) {
  const unsigned modes = IN(INITIALIZATION) | IN(STEP) | IN(EVENT) | IN(CONTINUOUS) | IN(TERMINATED);
  if (enter(instance, function, modes) != OK) return ERROR;
  if (instance->mode == STEP && instance->inputs_changed) {
    instance->log(instance, ERROR, "logStatusError", "%s: inputs were set since the last step; make a step first",
                  function);
    return ERROR;
  }
  if (instance->mode != TERMINATED && definition.calculate(instance) != OK) return ERROR;
  char* place = out;
  for (size_t i = 0; i < n; ++i) {
    if (references[i] == 0 && type == FLOAT64) {
      memcpy(place, &instance->time, sizeof(double));
      place += sizeof(double);
      continue;
    }
    const Variable* variable = find(instance, function, type, references[i]);
    if (variable == NULL || access_variable(instance, function, references[i]) != OK) return ERROR;
    const size_t bytes = size_of(type) * count_of(instance, variable);
    if (place + bytes > (char*)out + count * size_of(type)) return ERROR;
    memcpy(place, (char*)instance->values + variable->offset, bytes);
    place += bytes;
  }
  return place == (char*)out + count * size_of(type) ? OK : ERROR;
}

Status set_values(Instance* instance, const char* function, Type type, const unsigned* references, size_t n,
                  const void* in, size_t count) {
  const unsigned modes =
      IN(INSTANTIATED) | IN(CONFIGURATION) | IN(INITIALIZATION) | IN(STEP) | IN(EVENT) | IN(CONTINUOUS);
  if (enter(instance, function, modes) != OK) return ERROR;
  const char* place = in;
  for (size_t i = 0; i < n; ++i) {
    const Variable* variable = find(instance, function, type, references[i]);
    if (variable == NULL || access_variable(instance, function, references[i]) != OK) return ERROR;
    const bool running = instance->mode == STEP || instance->mode == EVENT || instance->mode == CONTINUOUS;
    if (running && !variable->is_input) {
      instance->log(instance, ERROR, "logStatusError", "%s: value reference %u is no input", function, references[i]);
      return ERROR;
    }
    const bool is_discrete = variable->is_discrete || (type != FLOAT64 && type != FLOAT32);
    if (is_discrete && (instance->mode == CONTINUOUS || (instance->mode == STEP && instance->event_mode))) {
      instance->log(instance, ERROR, "logStatusError",
                    "%s: value reference %u is discrete; it may be set in event mode only", function, references[i]);
      return ERROR;
    }
    const size_t bytes = size_of(type) * count_of(instance, variable);
    if (place + bytes > (const char*)in + count * size_of(type)) return ERROR;
    memcpy((char*)instance->values + variable->offset, place, bytes);
    place += bytes;
    instance->inputs_changed = instance->mode == STEP;
    if (definition.set_slope != NULL && variable->is_input) definition.set_slope(instance, references[i], 0.0);
  }
  return OK;
}

Status do_step(Instance* instance, double now, double step, StepEnd* end) {
  if (enter(instance, "DoStep", IN(STEP)) != OK) return ERROR;
  if (fabs(now - instance->time) > 1e-9 * (1.0 + fabs(now)) || !(step > 0.0)) {
    instance->log(instance, ERROR, "logStatusError", "the step from %.17g by %g does not continue at %.17g", now, step,
                  instance->time);
    return ERROR;
  }
  instance->time = now;
  instance->length = step;
  *end = (StepEnd){.reached = now + step};
  instance->inputs_changed = false;
  const Status status = definition.advance(instance, now + step, end);
  if (status == OK || status == WARNING) instance->time = end->reached;
  if (status >= FATAL) instance->mode = FAILED;
  instance->last = *end;
  return status;
}

Status set_time(Instance* instance, const char* function, double time) {
  if (enter(instance, function, IN(CONTINUOUS) | IN(EVENT)) != OK) return ERROR;
  if (time < instance->event_time) {
    instance->log(instance, ERROR, "logStatusError", "%s: %.17g is before the last event at %.17g", function, time,
                  instance->event_time);
    return ERROR;
  }
  instance->time = time;
  return OK;
}

Status get_derivatives(Instance* instance, const char* function, double* derivatives) {
  if (enter(instance, function, IN(INITIALIZATION) | IN(CONTINUOUS) | IN(EVENT)) != OK) return ERROR;
  const Status status = definition.evaluable == NULL ? OK : definition.evaluable(instance);
  if (status == OK) definition.derivatives(instance, derivatives);
  if (status >= FATAL) instance->mode = FAILED;
  return status;
}

size_t count_states(Instance* instance) {
  return definition.state_count == NULL ? definition.states : definition.state_count(instance);
}

void choose_categories(Instance* instance, bool on, size_t n, const char* const* categories) {
  instance->logging = on;
  instance->category_count = 0;
  for (size_t i = 0; i < n && i < 8; ++i) {
    strncpy(instance->categories[instance->category_count++], categories[i], sizeof instance->categories[0] - 1);
  }
}

bool is_logged(const Instance* instance, Status status, const char* category) {
  if (status >= ERROR) return true;
  if (!instance->logging) return false;
  for (size_t i = 0; i < instance->category_count; ++i) {
    if (strcmp(instance->categories[i], category) == 0) return true;
  }
  return instance->category_count == 0;
}

Status get_states(Instance* instance, double* states) {
  for (size_t i = 0, n = count_states(instance); i < n; ++i) {
    memcpy(&states[i], (char*)instance->values + definition.state_offsets[i], sizeof(double));
  }
  return OK;
}

Status set_states(Instance* instance, const double* states) {
  for (size_t i = 0, n = count_states(instance); i < n; ++i) {
    memcpy((char*)instance->values + definition.state_offsets[i], &states[i], sizeof(double));
  }
  return OK;
}

/* As many FMUs do, those without states or event indicators refuse to be asked for them. */
Status get_nominals(Instance* instance, double* nominals, size_t n) {
  if (n == 0 || n != count_states(instance)) return ERROR;
  for (size_t i = 0; i < n; ++i) nominals[i] = 1.0;
  if (definition.nominals != NULL) definition.nominals(instance, nominals);
  return OK;
}

Status get_indicators(Instance* instance, double* indicators, size_t n) {
  if (n == 0 || n != definition.indicators) return ERROR;
  definition.indicate(instance, indicators);
  return OK;
}

Status get_slopes(Instance* instance, const unsigned* references, size_t n, const int* orders, double* slopes) {
  for (size_t i = 0; i < n; ++i) {
    if (orders[i] != 1) return ERROR;
    slopes[i] = definition.slope(instance, references[i]);
    if (isnan(slopes[i])) return ERROR; /* the model does not know this one */
  }
  return OK;
}

typedef struct {
  double time, event_time;
  Mode mode;
  StepEnd last;
  bool inputs_changed;
  char values[];
} Saved;

size_t size_of_state(void) { return sizeof(Saved) + definition.size; }

Status save_state(Instance* instance, void** state) {
  if (definition.save != NULL && definition.save(instance) != OK) return ERROR;
  if (*state == NULL) *state = calloc(1, size_of_state()); /* padding is serialised, too */
  Saved* saved = *state;
  saved->time = instance->time;
  saved->event_time = instance->event_time;
  saved->mode = instance->mode;
  saved->last = instance->last;
  saved->inputs_changed = instance->inputs_changed;
  memcpy(saved->values, instance->values, definition.size);
  return OK;
}

Status restore_state(Instance* instance, const void* state) {
  const Saved* saved = state;
  instance->time = saved->time;
  instance->event_time = saved->event_time;
  instance->mode = saved->mode;
  instance->last = saved->last;
  instance->inputs_changed = saved->inputs_changed;
  memcpy(instance->values, saved->values, definition.size);
  return OK;
}

Status free_state(void** state) {
  free(*state);
  *state = NULL;
  return OK;
}

Status read_state(const void* bytes, size_t size, void** state) {
  *state = malloc(size);
  memcpy(*state, bytes, size);
  return OK;
}
