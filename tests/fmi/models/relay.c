/* A relay that pushes a mass without inertia back: x' = -rate when x was above the band, +rate when it was below. Its
 * motion is a triangle of amplitude `band`; without a band it chatters. The disturbance u moves the band. */
#include "model.h"

typedef struct {
  double rate, band;
  double u;
  double x, der_x;
  bool falls;
  int32_t switches;
} Values;

static const Variable variables[] = {
    SCALAR(FLOAT64, Values, rate),   SCALAR(FLOAT64, Values, band),  INPUT(FLOAT64, Values, u),
    SCALAR(FLOAT64, Values, x),      SCALAR(FLOAT64, Values, der_x), SCALAR(BOOLEAN, Values, falls),
    SCALAR(INT32, Values, switches),
};
static const size_t state_offsets[] = {offsetof(Values, x)};

static void reset(void* values) {
  Values* s = values;
  s->rate = 1.0;
  s->band = 0.1;
}

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  s->der_x = s->falls ? -s->rate : s->rate;
  return OK;
}

/* Positive as long as the relay stays as it is. */
static double margin(const Values* s) { return s->falls ? s->x - s->u + s->band : s->u + s->band - s->x; }

static Status handle_event(Instance* instance, StepEnd* end) {
  Values* s = instance->values;
  if (margin(s) <= 0.0) {
    s->falls = !s->falls;
    s->switches += 1;
    end->again = true; /* look once more: the input may have jumped by more than the band */
  }
  return calculate(instance);
}

static void derivatives(Instance* instance, double* dx) {
  calculate(instance);
  dx[0] = ((const Values*)instance->values)->der_x;
}
static void indicate(Instance* instance, double* z) { z[0] = margin(instance->values); }

const Definition definition = {
    .token = "{counterpoint-test-relay}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .states = 1,
    .indicators = 1,
    .state_offsets = state_offsets,
    .reset = reset,
    .calculate = calculate,
    .handle_event = handle_event,
    .derivatives = derivatives,
    .indicate = indicate,
};
