/* A small master for an exported FMU of FMI 2, unpacked: driver LIBRARY RESOURCES GUID STEP STEPS REFERENCE...
 * It prints a line of outputs per communication point, with all digits. It is compiled for other systems, too. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi/fmi2.h"

#if defined(_WIN32)
#include <windows.h>
static void* load(const char* path) { return (void*)LoadLibraryA(path); }
static void* find(void* library, const char* name) { return (void*)GetProcAddress((HMODULE)library, name); }
#else
#include <dlfcn.h>
static void* load(const char* path) { return dlopen(path, RTLD_NOW); }
static void* find(void* library, const char* name) { return dlsym(library, name); }
#endif

#define MOST_OUTPUTS 32

static void on_message(void* environment, fmi2String instance, fmi2Status status, fmi2String category,
                       fmi2String message, ...) {
  (void)environment;
  va_list values;
  va_start(values, message);
  fprintf(stderr, "%s: status %d, %s: ", instance, (int)status, category);
  vfprintf(stderr, message, values);
  fprintf(stderr, "\n");
  va_end(values);
}

static void check(int status, const char* what) {
  if (status == 0) return;
  fprintf(stderr, "%s: status %d\n", what, status);
  exit(1);
}

typedef fmi2Component (*Instantiate)(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions*,
                                     fmi2Boolean, fmi2Boolean);
typedef fmi2Status (*SetupExperiment)(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real);
typedef fmi2Status (*Plain)(fmi2Component);
typedef fmi2Status (*GetReal)(fmi2Component, const fmi2ValueReference*, size_t, fmi2Real*);
typedef fmi2Status (*DoStep)(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);

static void print_outputs(GetReal get, fmi2Component fmu, const fmi2ValueReference* references, int count) {
  fmi2Real values[MOST_OUTPUTS];
  check(get(fmu, references, (size_t)count, values), "fmi2GetReal");
  for (int k = 0; k < count; ++k) printf("%.17g%c", values[k], k + 1 < count ? ' ' : '\n');
}

int main(int argument_count, char** arguments) {
  if (argument_count < 7 || argument_count - 6 > MOST_OUTPUTS) return 2;
  void* library = load(arguments[1]);
  if (library == NULL) {
    fprintf(stderr, "%s: cannot be loaded\n", arguments[1]);
    return 1;
  }
  fmi2CallbackFunctions callbacks = {on_message, calloc, free, NULL, NULL};
  const double step = atof(arguments[4]);
  const int steps = atoi(arguments[5]), count = argument_count - 6;
  fmi2ValueReference references[MOST_OUTPUTS];
  for (int k = 0; k < count; ++k) references[k] = (fmi2ValueReference)atoi(arguments[6 + k]);

  fmi2Component fmu = ((Instantiate)find(library, "fmi2Instantiate"))("driven", fmi2CoSimulation, arguments[3],
                                                                      arguments[2], &callbacks, 0, 0);
  if (fmu == NULL) return 1;
  check(((SetupExperiment)find(library, "fmi2SetupExperiment"))(fmu, 0, 0.0, 0.0, 0, 0.0), "fmi2SetupExperiment");
  check(((Plain)find(library, "fmi2EnterInitializationMode"))(fmu), "fmi2EnterInitializationMode");
  check(((Plain)find(library, "fmi2ExitInitializationMode"))(fmu), "fmi2ExitInitializationMode");
  GetReal get = (GetReal)find(library, "fmi2GetReal");
  DoStep go = (DoStep)find(library, "fmi2DoStep");
  print_outputs(get, fmu, references, count);
  for (int k = 0; k < steps; ++k) {
    check(go(fmu, k * step, step, 1), "fmi2DoStep");
    print_outputs(get, fmu, references, count);
  }
  check(((Plain)find(library, "fmi2Terminate"))(fmu), "fmi2Terminate");
  ((void (*)(fmi2Component))find(library, "fmi2FreeInstance"))(fmu);
  return 0;
}
