/* A model that does what it should not, in the step that reaches a time: which fault is a parameter. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(_WIN32)
#include <direct.h>
#include <io.h>
#define chdir _chdir
#define close _close
#else
#include <unistd.h>
#endif

#include "model.h"

typedef struct {
  int32_t fault;
  double fault_time;
  double u, y;
} Values;

enum {
  NONE,
  DISCARDS,
  ERRS,
  DIES_FATALLY,
  GIVES_NAN,
  SEGFAULTS,
  HANGS,
  ABORTS,
  PRINTS,
  EXITS,
  GIVES_INFINITY,
  RETURNS_42,
  CLOSES_STDOUT,
  ROUNDS_UP,
  CHANGES_DIRECTORY,
  OVERFLOWS_STACK,
  LOGS_FORMATS,
  REFUSES_STATE,
  LEAKS,
  FLOODS_LOG,
  TERMINATES,
  LOGS_BAD_UTF8,
  TAKES_SIGNALS,
  DISCARDS_LONG_STEPS,
  FORKS_FOREVER,
  STARTS_A_PROCESS,
  PRINTS_AND_SEGFAULTS,
  SLEEPS,
  FORGETS,
  ENABLES_TRAPS
};

static const Variable variables[] = {SCALAR(INT32, Values, fault), SCALAR(FLOAT64, Values, fault_time),
                                     INPUT(FLOAT64, Values, u), SCALAR(FLOAT64, Values, y)};

static void reset(void* values) { ((Values*)values)->fault_time = 0.5; }

static Status calculate(Instance* instance) {
  (void)instance;
  return OK;
}

static Status instantiated(Instance* instance) {
  const char* licence = getenv("TEST_FMU_LICENCE");
  if (licence == NULL || strcmp(licence, "refuse") != 0) return OK;
  instance->log(instance, ERROR, "logStatusError", "no licence for this model at port@server");
  return ERROR;
}

static Status save(Instance* instance) {
  const Values* s = instance->values;
  if (s->fault != REFUSES_STATE) return OK;
  instance->log(instance, ERROR, "logStatusError", "the state cannot be saved now");
  return ERROR;
}

static double outside_the_state;
static int* volatile nowhere;
static volatile int depth;
static int overflow(volatile char* above) { /* not a tail call: the caller's frame is needed afterwards */
  volatile char frame[4096];
  frame[0] = above[0];
  return ++depth < 0 ? 0 : overflow(frame) + frame[0];
}

static Status quietly(Instance* instance, Values* s) {
  switch (s->fault) {
    case GIVES_NAN:
      s->y = NAN;
      break;
    case GIVES_INFINITY:
      s->y = INFINITY;
      break;
    case PRINTS:
      printf("printed by the model\n"), fflush(stdout);
      break;
    case CLOSES_STDOUT:
      close(1);
      break;
    case ROUNDS_UP:
      fesetround(FE_UPWARD);
      break;
#if defined(__GLIBC__)
    case ENABLES_TRAPS:
      feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
      break;
#endif
    case CHANGES_DIRECTORY:
      return chdir("..") == 0 ? OK : ERROR;
    case TAKES_SIGNALS:
      signal(SIGINT, SIG_IGN);
      break;
    case LOGS_FORMATS:
      instance->log(instance, ERROR, "logStatusError", "100 %%s of %%n %%d");
      break;
    case LOGS_BAD_UTF8:
      instance->log(instance, ERROR, "logStatusError", "bad \xff\xfe bytes \x1b[31m and \n lines");
      break;
    case LEAKS:
      for (int i = 0; i < 4096; ++i) memset(malloc(1 << 20), 1, 1 << 20);
      break;
    case FLOODS_LOG:
      for (int i = 0; i < 100000; ++i) instance->log(instance, ERROR, "logStatusError", "message %d of a flood", i);
      break;
    default:
      break;
  }
  return OK;
}

static Status misbehave(Instance* instance, Values* s, StepEnd* step) {
  switch (s->fault) {
    case DISCARDS:
      step->reached = s->fault_time;
      instance->log(instance, DISCARD, "logStatusDiscard", "cannot go beyond %g", s->fault_time);
      return DISCARD;
    case ERRS:
      instance->log(instance, ERROR, "logStatusError", "the valve is stuck at t = %g", s->fault_time);
      return ERROR;
    case DIES_FATALLY:
      instance->log(instance, FATAL, "logStatusFatal", "memory is corrupt");
      return FATAL;
    case RETURNS_42:
      return (Status)42;
    case TERMINATES:
      step->terminate = true;
      step->reached = s->fault_time;
      return OK;
    case SEGFAULTS:
      *nowhere = 1;
      return OK;
    case ABORTS:
      abort();
    case EXITS:
      exit(7);
    case PRINTS_AND_SEGFAULTS:
      printf("about to touch address 0\n"), fflush(stdout);
      instance->log(instance, ERROR, "logStatusError", "something is wrong with the pointer");
      *nowhere = 1;
      return OK;
#if !defined(_WIN32)
    case FORKS_FOREVER:
      while (true) fork();
    case STARTS_A_PROCESS:
      s->y = fork();
      if (s->y == 0.0) pause();
      return OK;
    case SLEEPS:
      sleep(1000);
      return OK;
#endif
    case OVERFLOWS_STACK:
      return overflow((volatile char*)s) ? OK : ERROR;
    case HANGS:
      for (volatile int i = 0;; ++i) continue;
    default:
      return quietly(instance, s);
  }
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  Values* s = instance->values;
  if (s->fault == DISCARDS_LONG_STEPS && end - instance->time > 0.011) {
    step->reached = instance->time + 0.01;
    return DISCARD;
  }
  s->y += (end - instance->time) * (1.0 + s->u);
  if (s->fault == FORGETS) s->y += 1e-3 * ++outside_the_state;
  const bool due = instance->time < s->fault_time && end >= s->fault_time - 1e-9;
  return due && s->fault != NONE ? misbehave(instance, s, step) : OK;
}

const Definition definition = {
    .token = "{counterpoint-test-misbehaving}",
    .size = sizeof(Values),
    .variables = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .reset = reset,
    .calculate = calculate,
    .advance = advance,
    .instantiated = instantiated,
    .save = save,
};
