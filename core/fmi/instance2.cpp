// FMI 2.0 for co-simulation and model exchange.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

#include "check.hpp"
#include "coupling/subsystem.hpp"
#include "fmi/callbacks.hpp"
#include "fmi/fmi2.h"
#include "fmi/held_steps.hpp"
#include "fmi/symbols.hpp"

namespace counterpoint::fmi {

namespace {

struct Functions2 {
#define DECLARE(RESULT, NAME, ARGUMENTS)             \
  struct NAME##Function : Symbol<RESULT ARGUMENTS> { \
    static constexpr const char* name = #NAME;       \
  } NAME;
  FMI2_COMMON_FUNCTIONS(DECLARE)
  FMI2_CO_SIMULATION_FUNCTIONS(DECLARE)
  FMI2_MODEL_EXCHANGE_FUNCTIONS(DECLARE)
#undef DECLARE

  Functions2(const Library& library, Kind kind) {
    Symbols symbols(library);
#define FIND(RESULT, NAME, ARGUMENTS) symbols.find(NAME);
    FMI2_COMMON_FUNCTIONS(FIND)
    FMI2_CO_SIMULATION_FUNCTIONS(FIND)
    FMI2_MODEL_EXCHANGE_FUNCTIONS(FIND)
#undef FIND
    symbols.require(fmi2Instantiate);
    symbols.require(fmi2FreeInstance);
    symbols.require(fmi2SetupExperiment);
    symbols.require(fmi2EnterInitializationMode);
    symbols.require(fmi2ExitInitializationMode);
    symbols.require(fmi2Terminate);
    symbols.require(fmi2GetReal);
    symbols.require(fmi2SetReal);
    if (kind == Kind::co_simulation) {
      symbols.require(fmi2DoStep);
    } else {
      symbols.require(fmi2EnterEventMode);
      symbols.require(fmi2NewDiscreteStates);
      symbols.require(fmi2EnterContinuousTimeMode);
      symbols.require(fmi2CompletedIntegratorStep);
      symbols.require(fmi2SetTime);
      symbols.require(fmi2SetContinuousStates);
      symbols.require(fmi2GetContinuousStates);
      symbols.require(fmi2GetDerivatives);
      symbols.require(fmi2GetEventIndicators);
      symbols.require(fmi2GetNominalsOfContinuousStates);
    }
    symbols.check();
  }
};

extern "C" void log_message2(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status, fmi2String category,
                             fmi2String message, ...) {
  std::va_list arguments;
  va_start(arguments, message);
  take_message(environment, static_cast<int>(status), category, message, &arguments);
  va_end(arguments);
}

/// Callbacks of instances. An FMU may use them after it was freed: they are used again, but never freed.
class CallbackPool {
 public:
  static fmi2CallbackFunctions* take(Environment* environment) {
    const std::lock_guard lock(pool().mutex_);
    if (pool().free_.empty()) pool().free_.push_back(new fmi2CallbackFunctions);
    fmi2CallbackFunctions* taken = pool().free_.back();
    pool().free_.pop_back();
    return new (taken) fmi2CallbackFunctions{log_message2, std::calloc, std::free, nullptr, environment};
  }
  static void give_back(fmi2CallbackFunctions* taken) {
    const std::lock_guard lock(pool().mutex_);
    pool().free_.push_back(taken);
  }

 private:
  static CallbackPool& pool() {
    static CallbackPool& made = *new CallbackPool;
    return made;
  }
  std::mutex mutex_;
  std::vector<fmi2CallbackFunctions*> free_;
};

class Instance2 final : public HeldSteps<Instance2> {
 public:
  Instance2(LibraryPointer library, const InstanceSettings& settings, std::shared_ptr<Log> log)
      : HeldSteps(std::move(log), library),
        library_(std::move(library)),
        f_(*library_, settings.kind),
        settings_(settings),
        environment_(log_) {
    code_.name = settings_.name.c_str();
    code_.environment = environment_.get();
    held_ = {f_.fmi2SetReal, f_.fmi2DoStep, f_.fmi2GetReal, !settings_.may_restore};
    const fmi2Type type = settings_.kind == Kind::co_simulation ? fmi2CoSimulation : fmi2ModelExchange;
    c_ = foreign(f_.fmi2Instantiate, settings_.name.c_str(), type, settings_.token.c_str(), settings_.resources.c_str(),
                 callbacks_.get(), settings_.visible, settings_.logging);
    if (c_ == nullptr) refuse_instance(f_.fmi2Instantiate.name, settings_, *log_);
    if (!settings_.categories.empty()) choose_categories();
  }
  ~Instance2() override {
    if (!code_.dead && c_ != nullptr) foreign_at_end(f_.fmi2FreeInstance, c_);
  }

  void enter_configuration() override { throw ComponentFailure("FMI 2 has no structural parameters"); }
  void exit_configuration() override {}

  bool set_up_experiment(double t) override {
    const bool tolerance = settings_.tolerance > 0.0;
    const bool ends = std::isfinite(settings_.stop_time);
    call(f_.fmi2SetupExperiment, tolerance, settings_.tolerance, t, ends, ends ? settings_.stop_time : 0.0);
    return true;
  }
  void enter_initialization(double) override { call(f_.fmi2EnterInitializationMode); }
  void exit_initialization() override { call(f_.fmi2ExitInitializationMode); }
  void terminate() override { call(f_.fmi2Terminate); }
  bool reset() override { return f_.fmi2Reset && is_fine(foreign(f_.fmi2Reset, c_)); }

  void get(Type type, const References& r, void* values, std::size_t count) override {
    if (type == Type::float64) {
      call(f_.fmi2GetReal, r.data(), r.size(), static_cast<double*>(values));
    } else if (type == Type::int32) {
      call(f_.fmi2GetInteger, r.data(), r.size(), static_cast<int*>(values));
    } else if (type == Type::boolean) {
      booleans_.resize(count);
      call(f_.fmi2GetBoolean, r.data(), r.size(), booleans_.data());
      for (std::size_t k = 0; k < count; ++k) static_cast<std::uint8_t*>(values)[k] = booleans_[k] != fmi2False;
    } else {
      unknown_type();
    }
  }

  void set(Type type, const References& r, const void* values, std::size_t count) override {
    if (type == Type::float64) {
      call(f_.fmi2SetReal, r.data(), r.size(), static_cast<const double*>(values));
    } else if (type == Type::int32) {
      call(f_.fmi2SetInteger, r.data(), r.size(), static_cast<const int*>(values));
    } else if (type == Type::boolean) {
      booleans_.resize(count);
      for (std::size_t k = 0; k < count; ++k) booleans_[k] = static_cast<const std::uint8_t*>(values)[k];
      call(f_.fmi2SetBoolean, r.data(), r.size(), booleans_.data());
    } else {
      unknown_type();
    }
  }

  std::vector<std::string> get_texts(Type, const References& r, std::size_t count) override {
    std::vector<fmi2String> texts(count, nullptr);
    call(f_.fmi2GetString, r.data(), r.size(), texts.data());
    std::vector<std::string> made;
    for (const char* text : texts) made.push_back(read_text(text, longest_string));
    return made;
  }
  void set_texts(Type, const References& r, const std::vector<std::string>& values) override {
    std::vector<fmi2String> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    call(f_.fmi2SetString, r.data(), r.size(), texts.data());
  }

  StepEnd do_step(double t, double h, const IntermediateInputs*) override {
    const int status = foreign(f_.fmi2DoStep, c_, t, h, held_.is_final);
    return is_fine(status) ? StepEnd{t + h, false, false, false} : ended(status, t, h);
  }

  void set_doubles(const Exchange& x, const double* u) {
    check(shielded_next(held_.set, c_, x.inputs, x.input_count, u), held_.set.name);
  }
  bool makes_step(double t, double h, StepEnd& end) {
    const int status = shielded_next(held_.step, c_, t, h, held_.is_final);
    if (is_fine(status)) [[likely]]
      return true;
    end = ended(status, t, h);
    return !end.discarded;
  }
  void get_doubles(const Exchange& x, double* y) {
    check(shielded_next(held_.get, c_, x.outputs, x.output_count, y), held_.get.name);
  }

  bool set_input_slopes(const References& r, const double* slopes) override {
    if (orders_.size() < r.size()) orders_.resize(r.size(), 1);
    const auto& function = f_.fmi2SetRealInputDerivatives;
    return function && taken(foreign(function, c_, r.data(), r.size(), orders_.data(), slopes), function.name);
  }
  void get_output_slopes(const References& r, double* slopes, std::size_t) override {
    if (orders_.size() < r.size()) orders_.resize(r.size(), 1);
    call(f_.fmi2GetRealOutputDerivatives, r.data(), r.size(), orders_.data(), slopes);
  }
  void directional_derivative(const References& unknowns, const References& knowns, const double* seed, std::size_t,
                              double* sensitivity, std::size_t) override {
    call(f_.fmi2GetDirectionalDerivative, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(), seed,
         sensitivity);
  }

  void enter_event_mode() override { call(f_.fmi2EnterEventMode); }
  DiscreteUpdate update_discrete_states() override {
    fmi2EventInfo info{};
    call(f_.fmi2NewDiscreteStates, &info);
    return {info.new_discrete_states_needed != 0, info.terminate_simulation != 0,
            info.nominals_changed != 0,           info.states_changed != 0,
            info.next_event_time_defined != 0,    info.next_event_time};
  }
  void enter_step_mode() override { internal_error("co-simulation of FMI 2 has no event mode"); }

  std::size_t state_count(std::size_t described) override { return described; }
  std::size_t indicator_count(std::size_t described) override { return described; }
  void enter_continuous_time_mode() override { call(f_.fmi2EnterContinuousTimeMode); }
  void set_time(double t) override { call(f_.fmi2SetTime, t); }
  bool set_states(const double* x, std::size_t n) override { return is_accepted(f_.fmi2SetContinuousStates, x, n); }
  void get_states(double* x, std::size_t n) override { call(f_.fmi2GetContinuousStates, x, n); }
  void get_nominals(double* nominals, std::size_t n) override {
    call(f_.fmi2GetNominalsOfContinuousStates, nominals, n);
  }
  bool get_derivatives(double* dx, std::size_t n) override { return is_accepted(f_.fmi2GetDerivatives, dx, n); }
  void get_indicators(double* z, std::size_t n) override { call(f_.fmi2GetEventIndicators, z, n); }
  StepCompleted completed_step() override {
    fmi2Boolean event = fmi2False;
    fmi2Boolean terminated = fmi2False;
    call(f_.fmi2CompletedIntegratorStep, held_.is_final, &event, &terminated);
    return {event != fmi2False, terminated != fmi2False};
  }

  void activate_clock(ValueReference) override { no_clocks(); }
  bool is_clock_active(ValueReference) override { no_clocks(); }
  IntervalNews get_interval(ValueReference, double&) override { no_clocks(); }
  double get_shift(ValueReference) override { no_clocks(); }

  void save(void** state) override { call(f_.fmi2GetFMUstate, state); }
  void restore(void* state) override { call(f_.fmi2SetFMUstate, state); }
  void release(void** state) noexcept override {
    if (*state != nullptr && !code_.dead && f_.fmi2FreeFMUstate) foreign_at_end(f_.fmi2FreeFMUstate, c_, state);
    *state = nullptr;
  }
  std::vector<std::uint8_t> serialize(void* state) override {
    std::size_t size = 0;
    call(f_.fmi2SerializedFMUstateSize, state, &size);
    std::vector<std::uint8_t> bytes = make_room(size);
    call(f_.fmi2SerializeFMUstate, state, reinterpret_cast<char*>(bytes.data()), size);
    return bytes;
  }
  void* deserialize(const std::vector<std::uint8_t>& bytes) override {
    void* state = nullptr;
    call(f_.fmi2DeSerializeFMUstate, reinterpret_cast<const char*>(bytes.data()), bytes.size(), &state);
    return state;
  }

 private:
  static constexpr fmi2Boolean fmi2False = 0;
  struct GiveBack {
    void operator()(fmi2CallbackFunctions* taken) const { CallbackPool::give_back(taken); }
  };

  /// Call a function of the FMU. Throws when its library does not have it or its status is worse than a warning.
  template <class Function, class... Arguments>
  void call(const Function& function, Arguments... arguments) {
    check(foreign(function, c_, arguments...), Function::name);
  }
  /// Likewise, but false when the FMU discarded the call.
  template <class Function, class... Arguments>
  bool is_accepted(const Function& function, Arguments... arguments) {
    return accepted(foreign(function, c_, arguments...), Function::name);
  }
  void set_may_restore(bool may) override { held_.is_final = !(may || settings_.may_restore); }
  [[noreturn]] static void no_clocks() { internal_error("FMI 2 has no clocks"); }
  [[noreturn]] static void unknown_type() { internal_error("FMI 2 has no values of this type"); }

  void choose_categories() {
    std::vector<fmi2String> names;
    for (const std::string& name : settings_.categories) names.push_back(name.c_str());
    if (!f_.fmi2SetDebugLogging) return;
    call(f_.fmi2SetDebugLogging, settings_.logging, names.size(), names.data());
  }

  /// How a step ended that was not made at once.
  [[gnu::noinline]] StepEnd ended(int status, double t, double h) {
    if (status == fmi2Pending) status = wait();
    if (status == fmi2Discard) return discarded(t);
    check(status, f_.fmi2DoStep.name);
    return {t + h, false, false, false};
  }

  /// An FMU that computes in a thread of its own is asked until it is done.
  int wait() {
    fmi2Status status = fmi2Pending;
    while (status == fmi2Pending) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      call(f_.fmi2GetStatus, fmi2DoStepStatus, &status);
    }
    return status;
  }

  StepEnd discarded(double t) {
    StepEnd end{t, false, false, true};
    fmi2Boolean terminated = fmi2False;
    if (f_.fmi2GetBooleanStatus && is_fine(foreign(f_.fmi2GetBooleanStatus, c_, fmi2Terminated, &terminated))) {
      end.terminate = terminated != fmi2False;
    }
    fmi2Real reached = t;
    if (f_.fmi2GetRealStatus && is_fine(foreign(f_.fmi2GetRealStatus, c_, fmi2LastSuccessfulTime, &reached)))
      end.reached = reached;
    return end;
  }

  /// What `step_held` calls, beside the instance.
  struct Held {
    decltype(Functions2::fmi2SetReal) set;
    decltype(Functions2::fmi2DoStep) step;
    decltype(Functions2::fmi2GetReal) get;
    fmi2Boolean is_final;  ///< no step will be taken back
  };

  fmi2Component c_ = nullptr;
  Held held_;
  LibraryPointer library_;
  Functions2 f_;
  InstanceSettings settings_;
  OwnEnvironment environment_;
  std::unique_ptr<fmi2CallbackFunctions, GiveBack> callbacks_{CallbackPool::take(environment_.get())};
  std::vector<fmi2Boolean> booleans_;
  std::vector<fmi2Integer> orders_;  ///< of derivatives: all 1, as many as were needed so far
};

}  // namespace

std::unique_ptr<Instance> make_instance2(const LibraryPointer& library, const InstanceSettings& settings,
                                         const std::shared_ptr<Log>& log) {
  return std::make_unique<Instance2>(library, settings, log);
}

}  // namespace counterpoint::fmi
