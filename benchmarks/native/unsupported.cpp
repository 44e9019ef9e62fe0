// All functions of FMI 2 and FMI 3, each an error: some importers ask for every symbol, whether they call it or not.
// Weak: those that the FMU does have take their place.

#include "../../core/fmi/fmi2.h"
#include "../../core/fmi/fmi3.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define UNSUPPORTED(RESULT, NAME, ARGUMENTS) \
  __attribute__((weak)) RESULT NAME ARGUMENTS { return (RESULT)3; /* an error */ }

extern "C" {
FMI2_COMMON_FUNCTIONS(UNSUPPORTED)
FMI2_CO_SIMULATION_FUNCTIONS(UNSUPPORTED)
FMI3_COMMON_FUNCTIONS(UNSUPPORTED)
FMI3_CO_SIMULATION_FUNCTIONS(UNSUPPORTED)
FMI3_MODEL_EXCHANGE_FUNCTIONS(UNSUPPORTED)
FMI3_SCHEDULED_EXECUTION_FUNCTIONS(UNSUPPORTED)
}
