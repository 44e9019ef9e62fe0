/* A rod of n cells, both ends at zero: T_i' = k (T_{i-1} - 2 T_i + T_{i+1}) + q. The temperatures are one array, a
 * state of FMI 3 whose length is a structural parameter. */
#include "model.h"

enum { LONGEST = 64 };

typedef struct {
  double unused; /* an offset of 0 would mean a fixed number of elements */
  uint64_t n;
  double k, q;
  double T[LONGEST], der_T[LONGEST];
  double mean;
} Values;

static const Variable variables[] = {
    SCALAR(UINT64, Values, n),
    SCALAR(FLOAT64, Values, k),
    INPUT(FLOAT64, Values, q),
    {FLOAT64, offsetof(Values, T), LONGEST, offsetof(Values, n), false, false},
    {FLOAT64, offsetof(Values, der_T), LONGEST, offsetof(Values, n), false, false},
    SCALAR(FLOAT64, Values, mean),
};

static size_t offsets[LONGEST];

static void reset(void* values) {
  Values* s = values;
  s->n = 4;
  s->k = 1.0;
  for (int i = 0; i < LONGEST; ++i) {
    s->T[i] = 1.0;
    offsets[i] = offsetof(Values, T) + i * sizeof(double);
  }
}

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  s->mean = 0.0;
  for (uint64_t i = 0; i < s->n; ++i) {
    const double left = i > 0 ? s->T[i - 1] : 0.0, right = i + 1 < s->n ? s->T[i + 1] : 0.0;
    s->der_T[i] = s->k * (left - 2.0 * s->T[i] + right) + s->q;
    s->mean += s->T[i] / (double)s->n;
  }
  return OK;
}

static void derivatives(Instance* instance, double* dx) {
  calculate(instance);
  const Values* s = instance->values;
  for (uint64_t i = 0; i < s->n; ++i) dx[i] = s->der_T[i];
}

static size_t state_count(Instance* instance) { return (size_t)((const Values*)instance->values)->n; }

/* d(mean)/dT_i; this model knows no other */
static double partial(Instance* instance, unsigned unknown, unsigned known) {
  (void)unknown, (void)known;
  return 1.0 / (double)((const Values*)instance->values)->n;
}

const Definition definition = {
    .token = "{counterpoint-test-rod}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .state_count = state_count,
    .state_offsets = offsets,
    .reset = reset,
    .calculate = calculate,
    .derivatives = derivatives,
    .partial = partial,
};
