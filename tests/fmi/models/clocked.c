/* Clocks of FMI 3, one of each kind; each counts its ticks in a clocked variable.
 *   a  constant, 0.1 s from 0.05 s on: samples the clocked input u
 *   b  fixed, its interval is a parameter
 *   c  changing: ticks after 0.1 s, then 0.2 s, 0.3 s, ...
 *   d  countdown: 0.02 s after every third tick of a
 *   e  output: ticks with every second tick of b
 * Clocked variables may be read and set only while one of their clocks is active. */
#include <math.h>

#include "model.h"

typedef struct {
  double interval_b;
  double u, held;
  int32_t a, b, c, d, e; /* ticks */
  double last[4];        /* tick of a to d */
  bool active[5];
  bool counting; /* the countdown has begun and was not told yet */
} Values;

enum { U = 2, HELD, COUNT_A, COUNT_E = COUNT_A + 4, CLOCK_A, CLOCK_E = CLOCK_A + 4, LAST_A, LAST_D = LAST_A + 3 };

static const Variable variables[] = {
    SCALAR(FLOAT64, Values, interval_b),
    DISCRETE_INPUT(FLOAT64, Values, u),
    SCALAR(FLOAT64, Values, held),
    SCALAR(INT32, Values, a),
    SCALAR(INT32, Values, b),
    SCALAR(INT32, Values, c),
    SCALAR(INT32, Values, d),
    SCALAR(INT32, Values, e),
    SCALAR(CLOCK, Values, active[0]),
    SCALAR(CLOCK, Values, active[1]),
    SCALAR(CLOCK, Values, active[2]),
    SCALAR(CLOCK, Values, active[3]),
    SCALAR(CLOCK, Values, active[4]),
    SCALAR(FLOAT64, Values, last[0]),
    SCALAR(FLOAT64, Values, last[1]),
    SCALAR(FLOAT64, Values, last[2]),
    SCALAR(FLOAT64, Values, last[3]),
};

static void reset(void* values) { ((Values*)values)->interval_b = 0.25; }

static Status calculate(Instance* instance) {
  (void)instance;
  return OK;
}

static bool accessible(Instance* instance, unsigned reference) {
  const Values* s = instance->values;
  if (reference == U || reference == HELD) return s->active[0];
  if (reference >= COUNT_A && reference <= COUNT_E) return s->active[reference - COUNT_A];
  return true;
}

static Status set_clock(Instance* instance, unsigned reference) {
  Values* s = instance->values;
  if (reference < CLOCK_A || reference >= CLOCK_E) return ERROR;
  const unsigned k = reference - CLOCK_A;
  if (s->active[k]) return ERROR;
  s->active[k] = true;
  (&s->a)[k] += 1;
  s->last[k] = instance->time;
  if (reference == CLOCK_A && s->a % 3 == 0) s->counting = true;
  if (reference == CLOCK_A + 1 && s->b % 2 == 0) {
    s->active[4] = true;
    s->e += 1;
  }
  return OK;
}

/* 0: not yet known, 1: unchanged, 2: changed */
static int get_interval(Instance* instance, unsigned reference, double* interval) {
  Values* s = instance->values;
  if (reference == CLOCK_A + 1) *interval = s->interval_b;
  if (reference == CLOCK_A + 2) *interval = 0.1 * (s->c + 1);
  if (reference != CLOCK_A + 3) return 2;
  *interval = 0.02;
  const bool begins = s->counting;
  s->counting = false;
  return begins ? 2 : 0;
}

static double get_shift(Instance* instance, unsigned reference) {
  (void)instance, (void)reference;
  return 0.0;
}

static Status handle_event(Instance* instance, StepEnd* end) {
  (void)end;
  Values* s = instance->values;
  if (s->active[0]) s->held = s->u;
  for (int k = 0; k < 5; ++k) s->active[k] = false;
  return OK;
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  (void)instance, (void)end, (void)step;
  return OK;
}

const Definition definition = {
    .token = "{counterpoint-test-clocked}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .reset = reset,
    .calculate = calculate,
    .advance = advance,
    .handle_event = handle_event,
    .accessible = accessible,
    .set_clock = set_clock,
    .get_interval = get_interval,
    .get_shift = get_shift,
};
