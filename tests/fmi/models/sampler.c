/* Samples an input at its own times and integrates what it holds: x' = held. Every sample is a time event; `shrink`
 * makes each period shorter than the one before. Discrete inputs: `enable` (if false, samples are zero) and `bias`. */
#include <math.h>

#include "model.h"

typedef struct {
  double period, shrink;
  int32_t stop_after; /* samples after which the simulation shall end; 0: never */
  bool late;          /* asks for events that are over */
  bool exact;         /* knows an event only at its very time: one that comes later by rounding is none */
  double u, bias;
  bool enable;
  double x, held, der_x;
  int32_t samples;
  double next, length; /* of the next sample: its time, and the period that follows it */
} Values;

static const Variable variables[] = {
    SCALAR(FLOAT64, Values, period),       SCALAR(FLOAT64, Values, shrink), SCALAR(INT32, Values, stop_after),
    SCALAR(BOOLEAN, Values, late),         INPUT(FLOAT64, Values, u),       INPUT(BOOLEAN, Values, enable),
    DISCRETE_INPUT(FLOAT64, Values, bias), SCALAR(FLOAT64, Values, x),      SCALAR(FLOAT64, Values, held),
    SCALAR(FLOAT64, Values, der_x),        SCALAR(INT32, Values, samples),  SCALAR(BOOLEAN, Values, exact),
};
static const size_t state_offsets[] = {offsetof(Values, x)};

static void reset(void* values) {
  Values* s = values;
  s->period = 0.1;
  s->shrink = 1.0;
  s->enable = true;
  s->next = -INFINITY;
}

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  s->der_x = s->held;
  return OK;
}

static void sample(Values* s, double time) {
  if (isinf(s->next)) {
    s->next = time;
    s->length = s->period;
  }
  s->held = s->enable ? s->u + s->bias : 0.0;
  s->samples += 1;
  s->next += s->length;
  s->length *= s->shrink;
}

static Status handle_event(Instance* instance, StepEnd* end) {
  Values* s = instance->values;
  if (s->exact && isfinite(s->next) ? instance->time == s->next : instance->time >= s->next) {
    sample(s, instance->time);
    instance->log(instance, OK, "logEvents", "sample %d at %g", s->samples, instance->time);
  }
  end->has_next = true;
  end->next_event = s->late ? instance->time : s->next;
  end->terminate = s->stop_after > 0 && s->samples > s->stop_after;
  return calculate(instance);
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  Values* s = instance->values;
  double now = instance->time;
  if (!instance->event_mode && isinf(s->next)) sample(s, now);
  while (s->next <= end) {
    s->x += (s->next - now) * s->held;
    now = s->next;
    if (instance->event_mode) {
      step->event = true;
      step->early = now < end;
      step->reached = now;
      return !step->early || instance->early_return ? OK : ERROR;
    }
    sample(s, now);
  }
  s->x += (end - now) * s->held;
  return OK;
}

static void derivatives(Instance* instance, double* dx) { dx[0] = ((const Values*)instance->values)->held; }

const Definition definition = {
    .token = "{counterpoint-test-sampler}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .states = 1,
    .state_offsets = state_offsets,
    .reset = reset,
    .calculate = calculate,
    .advance = advance,
    .handle_event = handle_event,
    .derivatives = derivatives,
};
