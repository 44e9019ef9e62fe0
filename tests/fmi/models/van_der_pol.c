/* Van der Pol's oscillator, stiff for large mu: x' = v, v' = mu (1 - x^2) v - x + u. It asks for a step event after
 * every `every` completed steps (0: never), and cannot be evaluated where |x| > limit (negative: where x < -limit; 0:
 * everywhere it can): it returns `status` then. Its states are given in a unit of their own: both are multiplied by
 * `unit`, which is their nominal value, too. */
#include <math.h>

#include "model.h"

typedef struct {
  double mu, limit, unit;
  int32_t every, status;
  double u;
  double x, v, der_x, der_v;
  int32_t completed, events;
  double nominal; /* as told last */
} Values;

static const Variable variables[] = {
    SCALAR(FLOAT64, Values, mu),      SCALAR(FLOAT64, Values, limit), SCALAR(FLOAT64, Values, unit),
    SCALAR(INT32, Values, every),     INPUT(FLOAT64, Values, u),      SCALAR(FLOAT64, Values, x),
    SCALAR(FLOAT64, Values, v),       SCALAR(FLOAT64, Values, der_x), SCALAR(FLOAT64, Values, der_v),
    SCALAR(INT32, Values, completed), SCALAR(INT32, Values, events),  SCALAR(INT32, Values, status),
};
static const size_t state_offsets[] = {offsetof(Values, x), offsetof(Values, v)};

static void reset(void* values) {
  Values* s = values;
  s->mu = 1.0;
  s->unit = 1.0;
  s->status = DISCARD;
  s->x = 2.0;
  s->nominal = 1.0;
}

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  const double x = s->x / s->unit, v = s->v / s->unit;
  s->der_x = s->v;
  s->der_v = s->unit * (s->mu * (1.0 - x * x) * v - x + s->u);
  return OK;
}

static Status evaluable(Instance* instance) {
  const Values* s = instance->values;
  if (s->limit == 0.0 || (s->limit > 0.0 ? fabs(s->x) <= s->limit : s->x >= -s->limit)) return OK;
  instance->log(instance, (Status)s->status, "logStatusDiscard", "x = %g is beyond the limit", s->x);
  return (Status)s->status;
}

static Status completed(Instance* instance, bool* event) {
  Values* s = instance->values;
  s->completed += 1;
  *event = s->every > 0 && s->completed % s->every == 0;
  return OK;
}

static Status handle_event(Instance* instance, StepEnd* end) {
  Values* s = instance->values;
  s->events += 1;
  end->nominals_changed = s->nominal != s->unit;
  s->nominal = s->unit;
  return calculate(instance);
}

static void derivatives(Instance* instance, double* dx) {
  calculate(instance);
  dx[0] = ((const Values*)instance->values)->der_x;
  dx[1] = ((const Values*)instance->values)->der_v;
}

static void nominals(Instance* instance, double* values) {
  values[0] = values[1] = ((const Values*)instance->values)->nominal;
}

const Definition definition = {
    .token = "{counterpoint-test-van-der-pol}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .states = 2,
    .state_offsets = state_offsets,
    .reset = reset,
    .calculate = calculate,
    .handle_event = handle_event,
    .derivatives = derivatives,
    .evaluable = evaluable,
    .completed = completed,
    .nominals = nominals,
};
