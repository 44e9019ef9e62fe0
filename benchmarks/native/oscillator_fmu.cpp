// A mass on a spring that is tied to the mass before it, as an FMU of FMI 2 and of FMI 3:
//   a = kc (x_other - x) + dc (v_other - v) - k x - c v
// A step is three of the classical Runge-Kutta method; with its calls that costs some 55 ns. It does what the calls of
// the benchmark need, as lean as a good exporter would write it; what is left out is in unsupported.cpp.

#include <cstdlib>
#include <cstring>

#include "../../core/fmi/fmi2.h"
#include "../../core/fmi/fmi3.h"

namespace {

constexpr const char* token = "{counterpoint-benchmark-oscillator}";

constexpr int inner_steps = 3;

struct Oscillator {
  double values[10] = {0.0, 100.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0};  // by value reference
  double slopes[2] = {0.0, 0.0};                                             // of the inputs
};
enum { TIME, K, C, KC, DC, X_OTHER, V_OTHER, X, V, COUNT };

int set(void* instance, const unsigned* references, std::size_t count, const double* from) {
  Oscillator& o = *static_cast<Oscillator*>(instance);
  for (std::size_t i = 0; i < count; ++i) {
    if (references[i] < K || references[i] >= COUNT) return fmi2Error;
    o.values[references[i]] = from[i];
    if (references[i] == X_OTHER || references[i] == V_OTHER) o.slopes[references[i] - X_OTHER] = 0.0;
  }
  return fmi2OK;
}

int get(void* instance, const unsigned* references, std::size_t count, double* to) {
  const Oscillator& o = *static_cast<Oscillator*>(instance);
  for (std::size_t i = 0; i < count; ++i) {
    if (references[i] >= COUNT) return fmi2Error;
    to[i] = o.values[references[i]];
  }
  return fmi2OK;
}

/// One step of the classical Runge-Kutta method; inputs are `since` older than its start.
void runge_kutta(Oscillator& o, double since, double h) {
  double* const y = o.values;
  const double stiffness = y[K] + y[KC], damping = y[C] + y[DC], half = 0.5 * h, sixth = h * (1.0 / 6.0);
  const double force = y[KC] * y[X_OTHER] + y[DC] * y[V_OTHER];
  const double trend = y[KC] * o.slopes[0] + y[DC] * o.slopes[1];
  const auto acceleration = [&](double x, double v, double after) {
    return force + (since + after) * trend - stiffness * x - damping * v;
  };
  const double x = y[X], v = y[V];
  const double a1 = acceleration(x, v, 0.0);
  const double v2 = v + half * a1, a2 = acceleration(x + half * v, v2, half);
  const double v3 = v + half * a2, a3 = acceleration(x + half * v2, v3, half);
  const double v4 = v + h * a3, a4 = acceleration(x + h * v3, v4, h);
  y[X] = x + sixth * (v + 2.0 * (v2 + v3) + v4);
  y[V] = v + sixth * (a1 + 2.0 * (a2 + a3) + a4);
}

int step(void* instance, double now, double h) {
  Oscillator& o = *static_cast<Oscillator*>(instance);
  const double inner = h / inner_steps;
  for (int i = 0; i < inner_steps; ++i) runge_kutta(o, i * inner, inner);
  o.values[TIME] = now + h;
  return fmi2OK;
}

void* make(const char* asked) { return std::strcmp(asked, token) == 0 ? new Oscillator : nullptr; }

/// A state that was kept before is written again.
int keep(void* instance, void** state) {
  if (*state == nullptr) *state = new Oscillator;
  *static_cast<Oscillator*>(*state) = *static_cast<Oscillator*>(instance);
  return fmi2OK;
}
int bring_back(void* instance, const void* state) {
  *static_cast<Oscillator*>(instance) = *static_cast<const Oscillator*>(state);
  return fmi2OK;
}
int forget(void** state) {
  delete static_cast<Oscillator*>(*state);
  *state = nullptr;
  return fmi2OK;
}

}  // namespace

extern "C" {

#define FMI2(NAME, ...) fmi2Status fmi2##NAME(fmi2Component c __VA_OPT__(, ) __VA_ARGS__)
#define FMI3(NAME, ...) fmi3Status fmi3##NAME(fmi3Instance c __VA_OPT__(, ) __VA_ARGS__)

const char* fmi2GetVersion() { return "2.0"; }
const char* fmi2GetTypesPlatform() { return "default"; }
fmi2Component fmi2Instantiate(fmi2String, fmi2Type, fmi2String guid, fmi2String, const fmi2CallbackFunctions*,
                              fmi2Boolean, fmi2Boolean) {
  return make(guid);
}
void fmi2FreeInstance(fmi2Component c) { delete static_cast<Oscillator*>(c); }
FMI2(SetDebugLogging, fmi2Boolean, std::size_t, const fmi2String*) { return c != nullptr ? fmi2OK : fmi2Error; }
FMI2(SetupExperiment, fmi2Boolean, fmi2Real, fmi2Real start, fmi2Boolean, fmi2Real) {
  static_cast<Oscillator*>(c)->values[TIME] = start;
  return fmi2OK;
}
FMI2(EnterInitializationMode) { return c != nullptr ? fmi2OK : fmi2Error; }
FMI2(ExitInitializationMode) { return c != nullptr ? fmi2OK : fmi2Error; }
FMI2(Terminate) { return c != nullptr ? fmi2OK : fmi2Error; }
FMI2(SetReal, const unsigned* r, std::size_t n, const double* values) {
  return static_cast<fmi2Status>(set(c, r, n, values));
}
FMI2(GetReal, const unsigned* r, std::size_t n, double* values) {
  return static_cast<fmi2Status>(get(c, r, n, values));
}
FMI2(SetRealInputDerivatives, const unsigned* r, std::size_t n, const int* orders, const double* values) {
  for (std::size_t i = 0; i < n; ++i) {
    if ((r[i] != X_OTHER && r[i] != V_OTHER) || orders[i] != 1) return fmi2Error;
    static_cast<Oscillator*>(c)->slopes[r[i] - X_OTHER] = values[i];
  }
  return fmi2OK;
}
FMI2(DoStep, double now, double h, fmi2Boolean) { return static_cast<fmi2Status>(step(c, now, h)); }
FMI2(GetFMUstate, fmi2FMUstate* state) { return static_cast<fmi2Status>(keep(c, state)); }
FMI2(SetFMUstate, fmi2FMUstate state) { return static_cast<fmi2Status>(bring_back(c, state)); }
FMI2(FreeFMUstate, fmi2FMUstate* state) { return c != nullptr ? static_cast<fmi2Status>(forget(state)) : fmi2Error; }

const char* fmi3GetVersion() { return "3.0"; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String asked, fmi3String, fmi3Boolean, fmi3Boolean,
                                         fmi3Boolean, fmi3Boolean, const fmi3ValueReference*, std::size_t,
                                         fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                         fmi3IntermediateUpdateCallback) {
  return make(asked);
}
void fmi3FreeInstance(fmi3Instance c) { delete static_cast<Oscillator*>(c); }
FMI3(SetDebugLogging, fmi3Boolean, std::size_t, const fmi3String*) { return c != nullptr ? fmi3OK : fmi3Error; }
FMI3(EnterInitializationMode, fmi3Boolean, double, double start, fmi3Boolean, double) {
  static_cast<Oscillator*>(c)->values[TIME] = start;
  return fmi3OK;
}
FMI3(ExitInitializationMode) { return c != nullptr ? fmi3OK : fmi3Error; }
FMI3(Terminate) { return c != nullptr ? fmi3OK : fmi3Error; }
FMI3(SetFloat64, const unsigned* r, std::size_t n, const double* values, std::size_t) {
  return static_cast<fmi3Status>(set(c, r, n, values));
}
FMI3(GetFloat64, const unsigned* r, std::size_t n, double* values, std::size_t) {
  return static_cast<fmi3Status>(get(c, r, n, values));
}
FMI3(DoStep, double now, double h, fmi3Boolean, fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
     double* reached) {
  *event = *terminate = *early = false;
  *reached = now + h;
  return static_cast<fmi3Status>(step(c, now, h));
}
FMI3(GetFMUState, fmi3FMUState* state) { return static_cast<fmi3Status>(keep(c, state)); }
FMI3(SetFMUState, fmi3FMUState state) { return static_cast<fmi3Status>(bring_back(c, state)); }
FMI3(FreeFMUState, fmi3FMUState* state) { return c != nullptr ? static_cast<fmi3Status>(forget(state)) : fmi3Error; }

}  // extern "C"
