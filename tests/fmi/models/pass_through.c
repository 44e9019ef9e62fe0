/* Outputs equal inputs, in every type; a vector whose length is a structural parameter and a matrix. */
#include <stdio.h>
#include <string.h>

#include "model.h"

enum { LONGEST = 8 };

typedef struct {
  double unused; /* an offset of 0 would mean a fixed number of elements */
  uint64_t n;
  double gain; /* of float64_out */
  double float64_in, float64_out;
  float float32_in, float32_out;
  int8_t int8_in, int8_out;
  uint8_t uint8_in, uint8_out;
  int16_t int16_in, int16_out;
  uint16_t uint16_in, uint16_out;
  int32_t int32_in, int32_out;
  uint32_t uint32_in, uint32_out;
  int64_t int64_in, int64_out;
  uint64_t uint64_in, uint64_out;
  bool boolean_in, boolean_out;
  Text string_in, string_out;
  Text binary_in, binary_out;
  int32_t mode2_in, mode2_out; /* enumerations: 32 bits in FMI 2, 64 in FMI 3 */
  int64_t mode3_in, mode3_out;
  double vector_in[LONGEST], vector_out[LONGEST];
  double matrix_in[4], matrix_out[4];
  Text note;   /* what the file of that name among the resources says */
  double bias; /* calculated from the gain: an initial unknown that is no output */
} Values;

#define PAIR(TYPE, NAME) INPUT(TYPE, Values, NAME##_in), SCALAR(TYPE, Values, NAME##_out)
static const Variable variables[] = {
    SCALAR(UINT64, Values, n),
    DISCRETE_INPUT(FLOAT64, Values, gain), /* tunable: may be set between steps, as an input */
    PAIR(FLOAT64, float64),
    PAIR(FLOAT32, float32),
    PAIR(INT8, int8),
    PAIR(UINT8, uint8),
    PAIR(INT16, int16),
    PAIR(UINT16, uint16),
    PAIR(INT32, int32),
    PAIR(UINT32, uint32),
    PAIR(INT64, int64),
    PAIR(UINT64, uint64),
    PAIR(BOOLEAN, boolean),
    PAIR(STRING, string),
    PAIR(BINARY, binary),
    PAIR(INT32, mode2),
    PAIR(INT64, mode3),
    {FLOAT64, offsetof(Values, vector_in), LONGEST, offsetof(Values, n), true, false},
    {FLOAT64, offsetof(Values, vector_out), LONGEST, offsetof(Values, n), false, false},
    {FLOAT64, offsetof(Values, matrix_in), 4, 0, true, false},
    {FLOAT64, offsetof(Values, matrix_out), 4, 0, false, false},
    SCALAR(FLOAT64, Values, bias),
    SCALAR(STRING, Values, note),
};

static void reset(void* values) {
  Values* s = values;
  s->n = 3;
  s->gain = 1.0;
  s->mode2_in = s->mode3_in = 1;
  for (int i = 0; i < LONGEST; ++i) s->vector_in[i] = i + 1;
  for (int i = 0; i < 4; ++i) s->matrix_in[i] = i + 1;
  strcpy(s->string_in.bytes, "set me");
  s->string_in.size = 6;
  s->binary_in.size = 2;
  memcpy(s->binary_in.bytes, "\xCA\xFE", 2);
}

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  s->bias = 2.0 * s->gain;
  s->float64_out = s->gain * s->float64_in;
  s->float32_out = s->float32_in;
  s->int8_out = s->int8_in;
  s->uint8_out = s->uint8_in;
  s->int16_out = s->int16_in;
  s->uint16_out = s->uint16_in;
  s->int32_out = s->int32_in;
  s->uint32_out = s->uint32_in;
  s->int64_out = s->int64_in;
  s->uint64_out = s->uint64_in;
  s->boolean_out = s->boolean_in;
  s->string_out = s->string_in;
  s->binary_out = s->binary_in;
  s->mode2_out = s->mode2_in;
  s->mode3_out = s->mode3_in;
  if (s->n > LONGEST) {
    instance->log(instance, ERROR, "logStatusError", "n = %u; at most %d", (unsigned)s->n, LONGEST);
    return ERROR;
  }
  memcpy(s->vector_out, s->vector_in, sizeof s->vector_in);
  memcpy(s->matrix_out, s->matrix_in, sizeof s->matrix_in);
  return OK;
}

static Status instantiated(Instance* instance) {
  Values* s = instance->values;
  char path[1100];
  snprintf(path, sizeof path, "%snote.txt", instance->resources);
  FILE* file = fopen(path, "r");
  if (file == NULL) return OK;
  s->note.size = fread(s->note.bytes, 1, TEXT - 1, file);
  fclose(file);
  return OK;
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  (void)end, (void)step;
  return calculate(instance);
}

const Definition definition = {
    .token = "{counterpoint-test-pass-through}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .reset = reset,
    .calculate = calculate,
    .advance = advance,
    .instantiated = instantiated,
};
