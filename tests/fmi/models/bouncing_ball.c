/* A ball that falls and bounces; between impacts its motion is known in closed form, so that events are exact.
 * With events left to the importer a step ends at the impact (early return), and the bounce happens in event mode. */
#include <math.h>

#include "model.h"

typedef struct {
  double g, e, v_min;
  double h, v, der_h, der_v;
  int32_t bounces;
  bool at_rest;
  bool careless; /* leaves the height at an impact as it is, a little below the floor */
} Values;

static const Variable variables[] = {
    SCALAR(FLOAT64, Values, g),        SCALAR(FLOAT64, Values, e),     SCALAR(FLOAT64, Values, v_min),
    SCALAR(FLOAT64, Values, h),        SCALAR(FLOAT64, Values, v),     SCALAR(FLOAT64, Values, der_h),
    SCALAR(FLOAT64, Values, der_v),    SCALAR(INT32, Values, bounces), SCALAR(BOOLEAN, Values, at_rest),
    SCALAR(BOOLEAN, Values, careless),
};
static const size_t state_offsets[] = {offsetof(Values, h), offsetof(Values, v)};

static void reset(void* values) {
  Values* s = values;
  s->g = -9.81;
  s->e = 0.7;
  s->v_min = 0.1;
  s->h = 1.0;
}

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  s->der_h = s->at_rest ? 0.0 : s->v;
  s->der_v = s->at_rest ? 0.0 : s->g;
  return OK;
}

static void bounce(Values* s) {
  if (!s->careless) s->h = 0.0;
  s->v = -s->e * s->v;
  s->bounces += 1;
  if (s->v < s->v_min) {
    s->v = 0.0;
    s->at_rest = true;
  }
}

static Status handle_event(Instance* instance, StepEnd* end) {
  Values* s = instance->values;
  if (!s->at_rest && s->h <= 1e-9 && s->v < 0.0) {
    bounce(s);
    end->event = true;
  }
  return calculate(instance);
}

static void fall(Values* s, double time) {
  s->h += time * (s->v + 0.5 * s->g * time);
  s->v += time * s->g;
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  Values* s = instance->values;
  double now = instance->time;
  while (!s->at_rest) {
    const double impact = now + (-s->v - sqrt(s->v * s->v - 2.0 * s->g * s->h)) / s->g;
    if (impact > end) break;
    fall(s, impact - now);
    s->h = 0.0;
    now = impact;
    if (instance->event_mode) {
      step->event = true;
      step->early = instance->early_return && impact < end;
      if (step->early) {
        step->reached = impact;
        return OK;
      }
    }
    bounce(s);
  }
  if (!s->at_rest) fall(s, end - now);
  return OK;
}

static void derivatives(Instance* instance, double* dx) {
  const Values* s = instance->values;
  dx[0] = s->at_rest ? 0.0 : s->v;
  dx[1] = s->at_rest ? 0.0 : s->g;
}

static void indicate(Instance* instance, double* z) {
  const Values* s = instance->values;
  z[0] = s->at_rest ? 1.0 : s->h + (s->h == 0.0 && s->v > 0.0 ? 1e-12 : 0.0);
}

static double slope(Instance* instance, unsigned output) {
  double dx[2];
  derivatives(instance, dx);
  return output == 4 ? dx[0] : output == 5 ? dx[1] : 0.0;
}

const Definition definition = {
    .token = "{counterpoint-test-bouncing-ball}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .states = 2,
    .indicators = 1,
    .state_offsets = state_offsets,
    .reset = reset,
    .calculate = calculate,
    .advance = advance,
    .handle_event = handle_event,
    .derivatives = derivatives,
    .indicate = indicate,
    .slope = slope,
};
