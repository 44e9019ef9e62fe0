// FMI 2.0 for co-simulation and model exchange.

#include <chrono>
#include <cstdlib>
#include <thread>

#include "check.hpp"
#include "coupling/subsystem.hpp"
#include "fmi/fmi2.h"
#include "fmi/instance.hpp"
#include "fmi/symbols.hpp"

namespace counterpoint::fmi {

namespace {

struct Functions {
#define DECLARE(RESULT, NAME, ARGUMENTS) RESULT(*NAME) ARGUMENTS = nullptr;
  FMI2_COMMON_FUNCTIONS(DECLARE)
  FMI2_CO_SIMULATION_FUNCTIONS(DECLARE)
  FMI2_MODEL_EXCHANGE_FUNCTIONS(DECLARE)
#undef DECLARE

  Functions(const Library& library, Kind kind) {
    Symbols symbols(library);
#define FIND(RESULT, NAME, ARGUMENTS) symbols.find(NAME, #NAME);
    FMI2_COMMON_FUNCTIONS(FIND)
    FMI2_CO_SIMULATION_FUNCTIONS(FIND)
    FMI2_MODEL_EXCHANGE_FUNCTIONS(FIND)
#undef FIND
#define REQUIRE(NAME) symbols.require(NAME, #NAME)
    REQUIRE(fmi2Instantiate);
    REQUIRE(fmi2FreeInstance);
    REQUIRE(fmi2SetupExperiment);
    REQUIRE(fmi2EnterInitializationMode);
    REQUIRE(fmi2ExitInitializationMode);
    REQUIRE(fmi2Terminate);
    REQUIRE(fmi2GetReal);
    REQUIRE(fmi2SetReal);
    if (kind == Kind::co_simulation) {
      REQUIRE(fmi2DoStep);
    } else {
      REQUIRE(fmi2EnterEventMode);
      REQUIRE(fmi2NewDiscreteStates);
      REQUIRE(fmi2EnterContinuousTimeMode);
      REQUIRE(fmi2CompletedIntegratorStep);
      REQUIRE(fmi2SetTime);
      REQUIRE(fmi2SetContinuousStates);
      REQUIRE(fmi2GetContinuousStates);
      REQUIRE(fmi2GetDerivatives);
      REQUIRE(fmi2GetEventIndicators);
      REQUIRE(fmi2GetNominalsOfContinuousStates);
    }
#undef REQUIRE
    symbols.check();
  }
};

extern "C" void log_message2(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status, fmi2String category,
                             fmi2String message, ...) {
  Log* log = static_cast<Log*>(environment);
  if (log == nullptr) return;
  std::va_list arguments;
  va_start(arguments, message);
  log->add(static_cast<int>(status), category, format_safely(message, arguments));
  va_end(arguments);
}

class Instance2 final : public Instance {
 public:
  Instance2(LibraryPointer library, const InstanceSettings& settings, std::shared_ptr<Log> log)
      : Instance(std::move(log)), library_(std::move(library)), f_(*library_, settings.kind), settings_(settings) {
    held_ = {f_.fmi2SetReal, f_.fmi2DoStep, f_.fmi2GetReal, !settings_.may_restore};
    callbacks_ = {log_message2, std::calloc, std::free, nullptr, log_.get()};
    const fmi2Type type = settings_.kind == Kind::co_simulation ? fmi2CoSimulation : fmi2ModelExchange;
    c_ = f_.fmi2Instantiate(settings_.name.c_str(), type, settings_.token.c_str(), settings_.resources.c_str(),
                            &callbacks_, settings_.visible, settings_.logging);
    if (c_ == nullptr) refuse_instance("fmi2Instantiate", settings_, *log_);
    if (!settings_.categories.empty()) choose_categories();
  }
  ~Instance2() override {
    if (!dead_ && c_ != nullptr) f_.fmi2FreeInstance(c_);
  }

  void enter_configuration() override { throw ComponentFailure("FMI 2 has no structural parameters"); }
  void exit_configuration() override {}

  void enter_initialization(double t) override {
    const bool tolerance = settings_.tolerance > 0.0;
    check(f_.fmi2SetupExperiment(c_, tolerance, settings_.tolerance, t, false, 0.0), "fmi2SetupExperiment");
    check(f_.fmi2EnterInitializationMode(c_), "fmi2EnterInitializationMode");
  }
  void exit_initialization() override { check(f_.fmi2ExitInitializationMode(c_), "fmi2ExitInitializationMode"); }
  void terminate() override { check(f_.fmi2Terminate(c_), "fmi2Terminate"); }

  void get(Type type, const References& r, void* values, std::size_t count) override {
    if (type == Type::float64) {
      check(f_.fmi2GetReal(c_, r.data(), r.size(), static_cast<double*>(values)), "fmi2GetReal");
    } else if (type == Type::int32) {
      check(call(f_.fmi2GetInteger, "fmi2GetInteger")(c_, r.data(), r.size(), static_cast<int*>(values)),
            "fmi2GetInteger");
    } else if (type == Type::boolean) {
      booleans_.resize(count);
      check(call(f_.fmi2GetBoolean, "fmi2GetBoolean")(c_, r.data(), r.size(), booleans_.data()), "fmi2GetBoolean");
      for (std::size_t k = 0; k < count; ++k) static_cast<std::uint8_t*>(values)[k] = booleans_[k] != fmi2False;
    } else {
      unknown_type();
    }
  }

  void set(Type type, const References& r, const void* values, std::size_t count) override {
    if (type == Type::float64) {
      check(f_.fmi2SetReal(c_, r.data(), r.size(), static_cast<const double*>(values)), "fmi2SetReal");
    } else if (type == Type::int32) {
      check(call(f_.fmi2SetInteger, "fmi2SetInteger")(c_, r.data(), r.size(), static_cast<const int*>(values)),
            "fmi2SetInteger");
    } else if (type == Type::boolean) {
      booleans_.resize(count);
      for (std::size_t k = 0; k < count; ++k) booleans_[k] = static_cast<const std::uint8_t*>(values)[k];
      check(call(f_.fmi2SetBoolean, "fmi2SetBoolean")(c_, r.data(), r.size(), booleans_.data()), "fmi2SetBoolean");
    } else {
      unknown_type();
    }
  }

  std::vector<std::string> get_texts(Type, const References& r, std::size_t count) override {
    std::vector<fmi2String> texts(count, nullptr);
    check(call(f_.fmi2GetString, "fmi2GetString")(c_, r.data(), r.size(), texts.data()), "fmi2GetString");
    std::vector<std::string> made;
    for (const char* text : texts) made.emplace_back(text == nullptr ? "" : text);
    return made;
  }
  void set_texts(Type, const References& r, const std::vector<std::string>& values) override {
    std::vector<fmi2String> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    check(call(f_.fmi2SetString, "fmi2SetString")(c_, r.data(), r.size(), texts.data()), "fmi2SetString");
  }

  StepEnd do_step(double t, double h, const IntermediateInputs*) override {
    const int status = f_.fmi2DoStep(c_, t, h, !settings_.may_restore);
    return status <= fmi2Warning ? StepEnd{t + h, false, false, false} : ended(status, t, h);
  }

  HeldFunction held_function() const override {
    return [](void* instance, double t, double t_end, const double* u, double* y) {
      static_cast<Instance2*>(static_cast<Instance*>(instance))->step_held(t, t_end, u, y);
    };
  }
  void step_held(double t, double t_end, const double* u, double* y) override {
    Exchange& x = exchange_;
    x.time = t;
    const double h = x.length > 0.0 ? x.length : t_end - t;
    if (x.input_count > 0) check(held_.set(c_, x.inputs, x.input_count, u), "fmi2SetReal");
    const int status = held_.step(c_, t, h, held_.is_final);
    if (status > fmi2Warning) {
      const StepEnd end = ended(status, t, h);
      if (end.discarded) return x.unusual(end, t, t_end, u, y);
    }
    if (x.output_count > 0) check(held_.get(c_, x.outputs, x.output_count, y), "fmi2GetReal");
  }

  void set_input_slopes(const References& r, const double* slopes) override {
    orders_.assign(r.size(), 1);
    check(call(f_.fmi2SetRealInputDerivatives, "fmi2SetRealInputDerivatives")(c_, r.data(), r.size(), orders_.data(),
                                                                              slopes),
          "fmi2SetRealInputDerivatives");
  }
  void get_output_slopes(const References& r, double* slopes, std::size_t) override {
    orders_.assign(r.size(), 1);
    check(call(f_.fmi2GetRealOutputDerivatives, "fmi2GetRealOutputDerivatives")(c_, r.data(), r.size(), orders_.data(),
                                                                                slopes),
          "fmi2GetRealOutputDerivatives");
  }
  void directional_derivative(const References& unknowns, const References& knowns, const double* seed, std::size_t,
                              double* sensitivity, std::size_t) override {
    check(call(f_.fmi2GetDirectionalDerivative, "fmi2GetDirectionalDerivative")(
              c_, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(), seed, sensitivity),
          "fmi2GetDirectionalDerivative");
  }

  void enter_event_mode() override { check(f_.fmi2EnterEventMode(c_), "fmi2EnterEventMode"); }
  DiscreteUpdate update_discrete_states() override {
    fmi2EventInfo info{};
    check(f_.fmi2NewDiscreteStates(c_, &info), "fmi2NewDiscreteStates");
    return {info.new_discrete_states_needed != 0, info.terminate_simulation != 0,
            info.nominals_changed != 0,           info.states_changed != 0,
            info.next_event_time_defined != 0,    info.next_event_time};
  }
  void enter_step_mode() override { internal_error("co-simulation of FMI 2 has no event mode"); }

  std::size_t state_count(std::size_t described) override { return described; }
  std::size_t indicator_count(std::size_t described) override { return described; }
  void enter_continuous_time_mode() override {
    check(f_.fmi2EnterContinuousTimeMode(c_), "fmi2EnterContinuousTimeMode");
  }
  void set_time(double t) override { check(f_.fmi2SetTime(c_, t), "fmi2SetTime"); }
  bool set_states(const double* x, std::size_t n) override {
    return accepted(f_.fmi2SetContinuousStates(c_, x, n), "fmi2SetContinuousStates");
  }
  void get_states(double* x, std::size_t n) override {
    check(f_.fmi2GetContinuousStates(c_, x, n), "fmi2GetContinuousStates");
  }
  void get_nominals(double* nominals, std::size_t n) override {
    check(f_.fmi2GetNominalsOfContinuousStates(c_, nominals, n), "fmi2GetNominalsOfContinuousStates");
  }
  bool get_derivatives(double* dx, std::size_t n) override {
    return accepted(f_.fmi2GetDerivatives(c_, dx, n), "fmi2GetDerivatives");
  }
  void get_indicators(double* z, std::size_t n) override {
    check(f_.fmi2GetEventIndicators(c_, z, n), "fmi2GetEventIndicators");
  }
  StepCompleted completed_step() override {
    fmi2Boolean event = fmi2False;
    fmi2Boolean terminated = fmi2False;
    check(f_.fmi2CompletedIntegratorStep(c_, !settings_.may_restore, &event, &terminated),
          "fmi2CompletedIntegratorStep");
    return {event != fmi2False, terminated != fmi2False};
  }

  void activate_clock(ValueReference) override { no_clocks(); }
  bool is_clock_active(ValueReference) override { no_clocks(); }
  IntervalNews get_interval(ValueReference, double&) override { no_clocks(); }
  double get_shift(ValueReference) override { no_clocks(); }

  void save(void** state) override { check(call(f_.fmi2GetFMUstate, "fmi2GetFMUstate")(c_, state), "fmi2GetFMUstate"); }
  void restore(void* state) override {
    check(call(f_.fmi2SetFMUstate, "fmi2SetFMUstate")(c_, state), "fmi2SetFMUstate");
  }
  void release(void** state) noexcept override {
    if (*state != nullptr && !dead_ && f_.fmi2FreeFMUstate != nullptr) f_.fmi2FreeFMUstate(c_, state);
    *state = nullptr;
  }
  std::vector<std::uint8_t> serialize(void* state) override {
    std::size_t size = 0;
    check(call(f_.fmi2SerializedFMUstateSize, "fmi2SerializedFMUstateSize")(c_, state, &size),
          "fmi2SerializedFMUstateSize");
    std::vector<std::uint8_t> bytes(size);
    check(
        call(f_.fmi2SerializeFMUstate, "fmi2SerializeFMUstate")(c_, state, reinterpret_cast<char*>(bytes.data()), size),
        "fmi2SerializeFMUstate");
    return bytes;
  }
  void* deserialize(const std::vector<std::uint8_t>& bytes) override {
    void* state = nullptr;
    check(call(f_.fmi2DeSerializeFMUstate, "fmi2DeSerializeFMUstate")(c_, reinterpret_cast<const char*>(bytes.data()),
                                                                      bytes.size(), &state),
          "fmi2DeSerializeFMUstate");
    return state;
  }

 private:
  static constexpr fmi2Boolean fmi2False = 0;

  template <class Function>
  static Function* call(Function* function, const char* name) {
    if (function == nullptr) throw ComponentFailure(std::string("its library has no ") + name);
    return function;
  }
  [[noreturn]] static void no_clocks() { internal_error("FMI 2 has no clocks"); }
  [[noreturn]] static void unknown_type() { internal_error("FMI 2 has no values of this type"); }

  void choose_categories() {
    std::vector<fmi2String> names;
    for (const std::string& name : settings_.categories) names.push_back(name.c_str());
    if (f_.fmi2SetDebugLogging == nullptr) return;
    check(f_.fmi2SetDebugLogging(c_, settings_.logging, names.size(), names.data()), "fmi2SetDebugLogging");
  }

  /// How a step ended that was not made at once.
  [[gnu::noinline]] StepEnd ended(int status, double t, double h) {
    if (status == fmi2Pending) status = wait();
    if (status == fmi2Discard) return discarded(t);
    check(status, "fmi2DoStep");
    return {t + h, false, false, false};
  }

  /// An FMU that computes in a thread of its own is asked until it is done.
  int wait() {
    fmi2Status status = fmi2Pending;
    while (status == fmi2Pending) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      check(call(f_.fmi2GetStatus, "fmi2GetStatus")(c_, fmi2DoStepStatus, &status), "fmi2GetStatus");
    }
    return status;
  }

  StepEnd discarded(double t) {
    StepEnd end{t, false, false, true};
    fmi2Boolean terminated = fmi2False;
    if (f_.fmi2GetBooleanStatus != nullptr && f_.fmi2GetBooleanStatus(c_, fmi2Terminated, &terminated) <= fmi2Warning) {
      end.terminate = terminated != fmi2False;
    }
    fmi2Real reached = t;
    if (f_.fmi2GetRealStatus != nullptr && f_.fmi2GetRealStatus(c_, fmi2LastSuccessfulTime, &reached) <= fmi2Warning)
      end.reached = reached;
    return end;
  }

  /// What `step_held` calls, beside the instance.
  struct Held {
    decltype(Functions::fmi2SetReal) set;
    decltype(Functions::fmi2DoStep) step;
    decltype(Functions::fmi2GetReal) get;
    fmi2Boolean is_final;  ///< no step will be taken back
  };

  fmi2Component c_ = nullptr;
  Held held_;
  LibraryPointer library_;
  Functions f_;
  InstanceSettings settings_;
  fmi2CallbackFunctions callbacks_;
  std::vector<fmi2Boolean> booleans_;
  std::vector<fmi2Integer> orders_;
};

}  // namespace

std::unique_ptr<Instance> make_instance2(const LibraryPointer& library, const InstanceSettings& settings,
                                         const std::shared_ptr<Log>& log) {
  return std::make_unique<Instance2>(library, settings, log);
}

}  // namespace counterpoint::fmi
