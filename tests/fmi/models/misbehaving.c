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
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "model.h"

typedef struct {
  int32_t fault;
  double fault_time;
  double u, y;
  double slope; /* dy/dt */
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
  ENABLES_TRAPS,
  DIVIDES_BY_ZERO,
  READS_BEYOND_A_FILE,
  TRAPS,
  EXITS_WITH_0,
  EXITS_AT_ONCE,
  EXITS_QUICKLY,
  RETURNS_MINUS_1,
  CRASHES_WHEN_FREED,
  CRASHES_IN_A_THREAD,
  FREES_TWICE,
  LOGS_WITH_BAD_POINTERS,
  LOGS_AFTER_IT_WAS_FREED,
  STAYS_WHILE_STATES_MAY_COME_BACK,
  STANDS_STILL,
  TELLS_OUTPUTS_LATE,
  COUNTS_NANOSECONDS,
  LEAVES_ITS_OUTPUT_UNDEFINED,
  GOES_ON_BEFORE_THE_END,
  FORBIDS_ALL_AFTER_EARLY_READING,
  STOPS_ON_ITS_OWN_GRID,
  REFUSES_ENDS_OFF_ITS_GRID
};

static const Variable variables[] = {SCALAR(INT32, Values, fault), SCALAR(FLOAT64, Values, fault_time),
                                     INPUT(FLOAT64, Values, u), SCALAR(FLOAT64, Values, y),
                                     SCALAR(FLOAT64, Values, slope)};

static void reset(void* values) { ((Values*)values)->fault_time = 0.5; }

static Status calculate(Instance* instance) {
  Values* s = instance->values;
  if (s->fault == LEAVES_ITS_OUTPUT_UNDEFINED) s->y = NAN;
  const bool late = s->fault == TELLS_OUTPUTS_LATE || s->fault == FORBIDS_ALL_AFTER_EARLY_READING;
  if (!late || instance->mode != INITIALIZATION) return OK;
  instance->log(instance, ERROR, "logStatusError", "illegal call sequence");
  if (s->fault == FORBIDS_ALL_AFTER_EARLY_READING) instance->mode = TERMINATED; /* only to be freed */
  return ERROR;
}

static Status instantiated(Instance* instance) {
  const char* licence = getenv("TEST_FMU_LICENCE");
  if (licence == NULL || strncmp(licence, "refuse", 6) != 0) return OK;
  if (strcmp(licence, "refuse event mode") == 0 && !instance->event_mode) return OK;
  if (strcmp(licence, "refuse silently") == 0 && !instance->logging) return ERROR;
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
#if !defined(_WIN32)
static void* crash_in_thread(void* nothing) {
  *nowhere = 1;
  return nothing;
}
#endif
static volatile int depth;
static int overflow(volatile char* above) { /* not a tail call: the caller's frame is needed afterwards */
  volatile char frame[256];                 /* far below a page: it must not step over the guard into another stack */
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

static volatile int zero, thousand = 1000;
static Status crash(Instance* instance, const Values* s) {
  (void)instance;
  switch (s->fault) {
    case DIVIDES_BY_ZERO:
      return thousand / zero ? OK : ERROR;
    case TRAPS:
      __builtin_trap();
    case EXITS_WITH_0:
      exit(0);
#if !defined(_WIN32)
    case READS_BEYOND_A_FILE: {
      FILE* file = tmpfile();
      const volatile char* mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
      return mapped[0] ? OK : ERROR;
    }
    case EXITS_AT_ONCE:
      _exit(0);
    case EXITS_QUICKLY:
      quick_exit(0);
    case CRASHES_IN_A_THREAD: {
      pthread_t thread;
      pthread_create(&thread, NULL, crash_in_thread, NULL);
      pthread_join(thread, NULL);
      return OK;
    }
#endif
    case FREES_TWICE: {
      void* volatile block = malloc(5000), * volatile guard = malloc(5000);
      free(block), free(block), free(guard);
      return OK;
    }
    default:
      return OK;
  }
}

static void log_badly(Instance* instance) {
  void* const callback = instance->callbacks[0];
  instance->log_raw((void*)0x1234, callback, "logStatusError", "from an environment that is none");
  instance->log_raw(NULL, callback, NULL, "without an environment and a category");
  instance->log_raw(instance->environment, callback, (const char*)0x10, "with a category that cannot be read");
  instance->log_raw(instance->environment, callback, "\xff", NULL);
  instance->log_raw(instance->environment, callback, "logStatusError", (const char*)0x10);
}

static struct {
  void *environment, *callback;
  void (*log_raw)(void*, void*, const char*, const char*);
} kept;
static void freed(Instance* instance) {
  const Values* s = instance->values;
  if (s->fault == CRASHES_WHEN_FREED) *nowhere = 1;
  if (s->fault != LOGS_AFTER_IT_WAS_FREED) return;
  kept.environment = instance->environment;
  kept.callback = instance->callbacks[0];
  kept.log_raw = instance->log_raw;
}
#if !defined(_WIN32)
__attribute__((destructor)) static void unloaded(void) {
  if (kept.log_raw != NULL) kept.log_raw(kept.environment, kept.callback, "logStatusError", "too late");
}
#endif

/* Tests that interrupt a hanging run wait for this file. */
static void say_that_it_hangs(void) {
  const char* path = getenv("COUNTERPOINT_TEST_HANGS");
  FILE* file = path == NULL ? NULL : fopen(path, "w");
  if (file != NULL) fclose(file);
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
    case RETURNS_MINUS_1:
      return (Status)-1;
    case LOGS_WITH_BAD_POINTERS:
      log_badly(instance);
      return OK;
    case DIVIDES_BY_ZERO:
    case READS_BEYOND_A_FILE:
    case TRAPS:
    case EXITS_WITH_0:
    case EXITS_AT_ONCE:
    case EXITS_QUICKLY:
    case CRASHES_IN_A_THREAD:
    case FREES_TWICE:
      return crash(instance, s);
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
      say_that_it_hangs();
      for (volatile int i = 0;; ++i) continue;
    default:
      return quietly(instance, s);
  }
}

/* Steps of its own, of the length fault_time: what is left of a step of the importer is discarded. It has either gone
 * as far as it can (FMI 1 and 2), or done nothing (FMI 3). */
static Status go_in_own_steps(Instance* instance, Values* s, double end, StepEnd* step) {
  const double reached = floor(end / s->fault_time + 1e-9) * s->fault_time;
  const bool whole = end - reached < 1e-9 * end;
  if (!whole) step->reached = reached;
  if (!whole && s->fault == REFUSES_ENDS_OFF_ITS_GRID) return DISCARD;
  s->y += step->reached - instance->time;
  if (whole) return OK;
  instance->time = reached;
  return DISCARD;
}

static Status advance(Instance* instance, double end, StepEnd* step) {
  Values* s = instance->values;
  if (s->fault == STOPS_ON_ITS_OWN_GRID || s->fault == REFUSES_ENDS_OFF_ITS_GRID)
    return go_in_own_steps(instance, s, end, step);
  if (s->fault == DISCARDS_LONG_STEPS && end - instance->time > 0.011) {
    step->reached = instance->time + 0.01;
    return DISCARD;
  }
  if (s->fault == COUNTS_NANOSECONDS && (long long)(s->fault_time * 1e9) % (long long)(instance->length * 1e9) != 0) {
    step->reached = instance->time;
    instance->log(instance, DISCARD, "logStatusDiscard", "its period is no multiple of the step");
    return DISCARD;
  }
  if (s->fault == GOES_ON_BEFORE_THE_END) { /* y: steps of its own, of the length fault_time */
    while (s->y * s->fault_time < end) s->y += 1.0;
    return OK;
  }
  if (s->fault == STAYS_WHILE_STATES_MAY_COME_BACK && instance->may_be_restored) return OK;
  s->slope = 1.0 + s->u;
  if (s->fault == STANDS_STILL) return OK;
  s->y += (end - instance->time) * s->slope;
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
    .freed = freed,
};
