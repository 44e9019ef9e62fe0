// A ring of oscillator FMUs by hand: the calls of FMI that a run with inputs from the FMU before it needs, and nothing
// else. Each keeps a table of rows (t, x, v); the rows of one are the inputs of the next.

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "../../core/fmi/fmi2.h"
#include "../../core/fmi/fmi3.h"

namespace {

constexpr const char* token = "{counterpoint-benchmark-oscillator}";
constexpr unsigned parameters[] = {1, 2, 3};  // k, c, kc
constexpr unsigned inputs[] = {5, 6};         // x_other, v_other
constexpr unsigned outputs[] = {7, 8};        // x, v
constexpr int first_order[] = {1, 1};
constexpr int columns = 3;

void ignore2(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...) {}
void ignore3(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String) {}
const fmi2CallbackFunctions callbacks = {ignore2, std::calloc, std::free, nullptr, nullptr};

#define DECLARE(RESULT, NAME, ARGUMENTS) RESULT(*NAME) ARGUMENTS;
#define FIND(RESULT, NAME, ARGUMENTS) f.NAME = reinterpret_cast<decltype(f.NAME)>(dlsym(library, #NAME));

struct Functions2 {
  FMI2_COMMON_FUNCTIONS(DECLARE)
  FMI2_CO_SIMULATION_FUNCTIONS(DECLARE)
};
struct Functions3 {
  FMI3_COMMON_FUNCTIONS(DECLARE)
  FMI3_CO_SIMULATION_FUNCTIONS(DECLARE)
};

struct Fmu2 {
  Functions2 f;
  void* c = nullptr;

  bool start(void* library, const double* values) {
    FMI2_COMMON_FUNCTIONS(FIND)
    FMI2_CO_SIMULATION_FUNCTIONS(FIND)
    c = f.fmi2Instantiate("ring", fmi2CoSimulation, token, "", &callbacks, false, false);
    return c != nullptr && f.fmi2SetReal(c, parameters, 3, values) <= fmi2Warning &&
           f.fmi2SetupExperiment(c, false, 0.0, 0.0, false, 0.0) <= fmi2Warning &&
           f.fmi2EnterInitializationMode(c) <= fmi2Warning;
  }
  bool begin() { return f.fmi2ExitInitializationMode(c) <= fmi2Warning; }
  bool set(const double* u) { return f.fmi2SetReal(c, inputs, 2, u) <= fmi2Warning; }
  bool set_slopes(const double* slopes) {
    return f.fmi2SetRealInputDerivatives(c, inputs, 2, first_order, slopes) <= fmi2Warning;
  }
  bool step(double t, double h) { return f.fmi2DoStep(c, t, h, true) <= fmi2Warning; }
  bool get(double* y) { return f.fmi2GetReal(c, outputs, 2, y) <= fmi2Warning; }
  bool save(void** state) { return f.fmi2GetFMUstate(c, state) <= fmi2Warning; }
  bool restore(void* state) { return f.fmi2SetFMUstate(c, state) <= fmi2Warning; }
  void release(void** state) { f.fmi2FreeFMUstate(c, state); }
  void finish() { f.fmi2Terminate(c), f.fmi2FreeInstance(c); }
};

struct Fmu3 {
  Functions3 f;
  void* c = nullptr;

  bool start(void* library, const double* values) {
    FMI3_COMMON_FUNCTIONS(FIND)
    FMI3_CO_SIMULATION_FUNCTIONS(FIND)
    c = f.fmi3InstantiateCoSimulation("ring", token, "", false, false, false, false, nullptr, 0, nullptr, ignore3,
                                      nullptr);
    return c != nullptr && f.fmi3SetFloat64(c, parameters, 3, values, 3) <= fmi3Warning &&
           f.fmi3EnterInitializationMode(c, false, 0.0, 0.0, false, 0.0) <= fmi3Warning;
  }
  bool begin() { return f.fmi3ExitInitializationMode(c) <= fmi3Warning; }
  bool set(const double* u) { return f.fmi3SetFloat64(c, inputs, 2, u, 2) <= fmi3Warning; }
  bool set_slopes(const double*) { return false; }
  bool step(double t, double h) {
    bool event, terminate, early;
    double reached;
    return f.fmi3DoStep(c, t, h, true, &event, &terminate, &early, &reached) <= fmi3Warning && !terminate && !early;
  }
  bool get(double* y) { return f.fmi3GetFloat64(c, outputs, 2, y, 2) <= fmi3Warning; }
  bool save(void** state) { return f.fmi3GetFMUState(c, state) <= fmi3Warning; }
  bool restore(void* state) { return f.fmi3SetFMUState(c, state) <= fmi3Warning; }
  void release(void** state) { f.fmi3FreeFMUState(c, state); }
  void finish() { f.fmi3Terminate(c), f.fmi3FreeInstance(c); }
};

template <class Fmu>
struct Ring {
  std::vector<Fmu> fmus;

  Ring(void* library, int count, const double* values) : fmus(count) {
    for (int i = 0; i < count; ++i) {
      if (!fmus[i].start(library, values + 3 * i)) std::abort();
    }
  }
  ~Ring() {
    for (Fmu& fmu : fmus) fmu.finish();
  }

  bool begin(double* const* rows) {
    bool good = true;
    const int count = static_cast<int>(fmus.size());
    for (int i = 0; i < count; ++i) {
      rows[i][0] = 0.0;
      good = good && fmus[i].get(rows[i] + 1);
    }
    for (int i = 0; i < count; ++i) {
      good = good && fmus[i].set(rows[i == 0 ? count - 1 : i - 1] + 1) && fmus[i].begin();
    }
    return good;
  }

  // Returns the number of steps made.
  template <bool lines>
  std::int64_t run(std::int64_t steps, double h, double* const* rows) {
    const int count = static_cast<int>(fmus.size());
    for (std::int64_t n = 0; n < steps; ++n) {
      const double t = static_cast<double>(n) * h;
      for (int i = 0; i < count; ++i) {
        const double* u = rows[i == 0 ? count - 1 : i - 1] + columns * n + 1;
        double* row = rows[i] + columns * (n + 1);
        bool good = fmus[i].set(u);
        if constexpr (lines) {
          const double* before = n > 0 ? u - columns : u;
          const double slopes[] = {(u[0] - before[0]) / h, (u[1] - before[1]) / h};
          good = good && fmus[i].set_slopes(slopes);
        }
        good = good && fmus[i].step(t, h) && fmus[i].get(row + 1);
        row[0] = static_cast<double>(n + 1) * h;
        if (!good) return n;
      }
    }
    return steps;
  }
};

template <class Fmu>
std::int64_t save_and_restore(void* ring, std::int64_t times) {
  Ring<Fmu>& made = *static_cast<Ring<Fmu>*>(ring);
  std::vector<void*> states(made.fmus.size());
  std::int64_t good = 0;
  for (std::int64_t n = 0; n < times; ++n) {
    bool all = true;
    for (std::size_t i = 0; i < states.size(); ++i) all = made.fmus[i].save(&states[i]) && all;
    for (std::size_t i = 0; i < states.size(); ++i) all = made.fmus[i].restore(states[i]) && all;
    good += all ? 1 : 0;
  }
  for (std::size_t i = 0; i < states.size(); ++i) made.fmus[i].release(&states[i]);
  return good;
}

template <class Fmu>
std::int64_t run(void* ring, std::int64_t steps, double h, bool lines, double* const* rows) {
  Ring<Fmu>& made = *static_cast<Ring<Fmu>*>(ring);
  if (!made.begin(rows)) return -1;
  return lines ? made.template run<true>(steps, h, rows) : made.template run<false>(steps, h, rows);
}

}  // namespace

// `values`: k, c, kc of each.
extern "C" void* fmu_ring_new(int version, const char* path, int count, const double* values) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  if (version == 2) return new Ring<Fmu2>(library, count, values);
  return new Ring<Fmu3>(library, count, values);
}

// `rows[i]`: room for steps + 1 rows of FMU i. Returns the number of steps made.
extern "C" std::int64_t fmu_ring_run(int version, void* ring, std::int64_t steps, double h, int lines,
                                     double* const* rows) {
  return version == 2 ? run<Fmu2>(ring, steps, h, lines != 0, rows) : run<Fmu3>(ring, steps, h, lines != 0, rows);
}

// Save and restore all, so many times; returns how often that went well.
extern "C" std::int64_t fmu_ring_save_and_restore(int version, void* ring, std::int64_t times) {
  return version == 2 ? save_and_restore<Fmu2>(ring, times) : save_and_restore<Fmu3>(ring, times);
}

extern "C" void fmu_ring_delete(int version, void* ring) {
  if (version == 2) {
    delete static_cast<Ring<Fmu2>*>(ring);
  } else {
    delete static_cast<Ring<Fmu3>*>(ring);
  }
}
