/* A mass on a spring, with a second spring and damper to a neighbour whose motion is an input:
 *   m a = force + f - k x - c v,  f = kc (x_other - x) + dc (v_other - v)
 * Inputs are straight lines within a step when the importer gives their slopes, or asked for again at every
 * internal step where intermediate updates are offered. Classical Runge-Kutta method. */
#include <math.h>

#include "model.h"

typedef struct {
  double m, k, c, kc, dc, internal_step;
  double force, x_other, v_other;
  double x, v, a, f, der_x, der_v;
  double slopes[3]; /* of the inputs */
} Values;

enum { FORCE = 7, X_OTHER, V_OTHER, X, V, A, F, DER_X, DER_V };

static const Variable variables[] = {
    SCALAR(FLOAT64, Values, m),    SCALAR(FLOAT64, Values, k),      SCALAR(FLOAT64, Values, c),
    SCALAR(FLOAT64, Values, kc),   SCALAR(FLOAT64, Values, dc),     SCALAR(FLOAT64, Values, internal_step),
    INPUT(FLOAT64, Values, force), INPUT(FLOAT64, Values, x_other), INPUT(FLOAT64, Values, v_other),
    SCALAR(FLOAT64, Values, x),    SCALAR(FLOAT64, Values, v),      SCALAR(FLOAT64, Values, a),
    SCALAR(FLOAT64, Values, f),    SCALAR(FLOAT64, Values, der_x),  SCALAR(FLOAT64, Values, der_v),
};
static const size_t state_offsets[] = {offsetof(Values, x), offsetof(Values, v)};

static void reset(void* values) {
  Values* s = values;
  s->m = 1.0;
  s->k = 100.0;
  s->internal_step = 1e-3;
  s->x = 1.0;
}

static double coupling(const Values* s, double x, double v, double h) {
  return s->kc * (s->x_other + h * s->slopes[1] - x) + s->dc * (s->v_other + h * s->slopes[2] - v);
}

/* Acceleration at h after the time at which the inputs were set. */
static double acceleration(const Values* s, double x, double v, double h) {
  return (s->force + h * s->slopes[0] + coupling(s, x, v, h) - s->k * x - s->c * v) / s->m;
}

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  s->der_x = s->v;
  s->a = s->der_v = acceleration(s, s->x, s->v, 0.0);
  s->f = coupling(s, s->x, s->v, 0.0);
  return OK;
}

static void runge_kutta(Values* s, double since, double h) {
  const double x = s->x, v = s->v, half = 0.5 * h;
  const double a1 = acceleration(s, x, v, since);
  const double v2 = v + half * a1, a2 = acceleration(s, x + half * v, v2, since + half);
  const double v3 = v + half * a2, a3 = acceleration(s, x + half * v2, v3, since + half);
  const double v4 = v + h * a3, a4 = acceleration(s, x + h * v3, v4, since + h);
  s->x = x + h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
  s->v = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  (void)step;
  Values* s = instance->values;
  const double start = instance->time, span = end - start;
  const int count = (int)ceil(span / s->internal_step - 1e-9);
  const double h = span / (count < 1 ? 1 : count);
  for (int i = 0; i < count || i < 1; ++i) {
    if (instance->ask_inputs != NULL && i > 0) instance->ask_inputs(instance, start + i * h);
    runge_kutta(s, instance->ask_inputs != NULL ? 0.0 : i * h, h);
  }
  for (int j = 0; j < 3; ++j) { /* inputs go on as straight lines until they are set again */
    (&s->force)[j] += instance->ask_inputs == NULL ? span * s->slopes[j] : 0.0;
  }
  return OK;
}

static void derivatives(Instance* instance, double* dx) {
  const Values* s = instance->values;
  dx[0] = s->v;
  dx[1] = acceleration(s, s->x, s->v, 0.0);
}

/* d(unknown)/d(known) for the outputs and derivatives in terms of the states and inputs. */
static double partial(Instance* instance, unsigned unknown, unsigned known) {
  const Values* s = instance->values;
  if (unknown == known) return 1.0;
  if (unknown == DER_X) return known == V ? 1.0 : 0.0;
  double f = 0.0;
  if (known == X) f = -s->kc;
  if (known == V) f = -s->dc;
  if (known == X_OTHER) f = s->kc;
  if (known == V_OTHER) f = s->dc;
  if (unknown == F) return f;
  if (unknown != A && unknown != DER_V) return 0.0;
  if (known == X) f -= s->k;
  if (known == V) f -= s->c;
  if (known == FORCE) f += 1.0;
  return f / s->m;
}

static double slope(Instance* instance, unsigned output) {
  const Values* s = instance->values;
  const double a = acceleration(s, s->x, s->v, 0.0);
  const double df = s->kc * (s->slopes[1] - s->v) + s->dc * (s->slopes[2] - a);
  if (output == X) return s->v;
  if (output == V) return a;
  if (output == F) return s->dc < 0.0 ? NAN : df; /* refused, for a test */
  if (output == A) return (s->slopes[0] + df - s->k * s->v - s->c * a) / s->m;
  return 0.0;
}

static void set_slope(Instance* instance, unsigned input, double value) {
  if (input >= FORCE && input <= V_OTHER) ((Values*)instance->values)->slopes[input - FORCE] = value;
}

const Definition definition = {
    .token = "{counterpoint-test-oscillator}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .states = 2,
    .state_offsets = state_offsets,
    .reset = reset,
    .calculate = calculate,
    .advance = advance,
    .derivatives = derivatives,
    .partial = partial,
    .slope = slope,
    .set_slope = set_slope,
};
