/* A function of time and nothing else, as a source of signals: no states, no inputs, no events. */
#include <math.h>

#include "model.h"

typedef struct {
  double unused;    /* an offset of 0 would mean a fixed number of elements */
  double frequency; /* Hz */
  double y;
} Values;

static const Variable variables[] = {
    SCALAR(FLOAT64, Values, frequency),
    SCALAR(FLOAT64, Values, y),
};

static void reset(void* values) { ((Values*)values)->frequency = 1.0; }

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  s->y = sin(6.283185307179586 * s->frequency * instance->time);
  return OK;
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  (void)step;
  instance->time = end;
  return calculate(instance);
}

const Definition definition = {
    .token = "{counterpoint-test-wave}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .reset = reset,
    .calculate = calculate,
    .advance = advance,
};
