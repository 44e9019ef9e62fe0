// FMI 3.0 for co-simulation and model exchange.

#include <cmath>
#include <exception>
#include <utility>

#include "check.hpp"
#include "coupling/subsystem.hpp"
#include "fmi/callbacks.hpp"
#include "fmi/fmi3.h"
#include "fmi/held_steps.hpp"
#include "fmi/symbols.hpp"

namespace counterpoint::fmi {

namespace {

struct Functions3 {
#define DECLARE(RESULT, NAME, ARGUMENTS)             \
  struct NAME##Function : Symbol<RESULT ARGUMENTS> { \
    static constexpr const char* name = #NAME;       \
  } NAME;
  FMI3_COMMON_FUNCTIONS(DECLARE)
  FMI3_CO_SIMULATION_FUNCTIONS(DECLARE)
  FMI3_MODEL_EXCHANGE_FUNCTIONS(DECLARE)
#undef DECLARE

  Functions3(const Library& library, Kind kind) {
    Symbols symbols(library);
#define FIND(RESULT, NAME, ARGUMENTS) symbols.find(NAME);
    FMI3_COMMON_FUNCTIONS(FIND)
    FMI3_CO_SIMULATION_FUNCTIONS(FIND)
    FMI3_MODEL_EXCHANGE_FUNCTIONS(FIND)
#undef FIND
    if (kind == Kind::co_simulation)
      symbols.require(fmi3InstantiateCoSimulation);
    else
      symbols.require(fmi3InstantiateModelExchange);
    symbols.require(fmi3FreeInstance);
    symbols.require(fmi3EnterInitializationMode);
    symbols.require(fmi3ExitInitializationMode);
    symbols.require(fmi3Terminate);
    symbols.require(fmi3GetFloat64);
    symbols.require(fmi3SetFloat64);
    if (kind == Kind::co_simulation) {
      symbols.require(fmi3DoStep);
    } else {
      symbols.require(fmi3EnterEventMode);
      symbols.require(fmi3UpdateDiscreteStates);
      symbols.require(fmi3EnterContinuousTimeMode);
      symbols.require(fmi3CompletedIntegratorStep);
      symbols.require(fmi3SetTime);
      symbols.require(fmi3SetContinuousStates);
      symbols.require(fmi3GetContinuousStates);
      symbols.require(fmi3GetContinuousStateDerivatives);
      symbols.require(fmi3GetEventIndicators);
      symbols.require(fmi3GetNominalsOfContinuousStates);
      symbols.require(fmi3GetNumberOfEventIndicators);
      symbols.require(fmi3GetNumberOfContinuousStates);
    }
    symbols.check();
  }
};

extern "C" void log_message3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                             fmi3String message) {
  take_message(environment, static_cast<int>(status), category, message, nullptr);
}

extern "C" void intermediate_update3(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set_requested,
                                     fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean* early_return_requested,
                                     fmi3Float64* early_return_time) {
  if (early_return_requested != nullptr) *early_return_requested = false;
  if (early_return_time != nullptr) *early_return_time = time;
  const std::shared_ptr<Environment> known = environment_of(environment);
  if (!set_requested || !known || known->inputs == nullptr || known->error) return;
  const OwnWork work;
  try {
    (*known->inputs)(time);
  } catch (...) {
    known->error = std::current_exception();
  }
}

class Instance3 final : public HeldSteps<Instance3> {
 public:
  Instance3(LibraryPointer library, const InstanceSettings& settings, std::shared_ptr<Log> log)
      : HeldSteps(std::move(log), library),
        library_(std::move(library)),
        f_(*library_, settings.kind),
        settings_(settings),
        environment_(log_) {
    code_.name = settings_.name.c_str();
    code_.environment = environment_.get();
    held_ = {f_.fmi3SetFloat64, f_.fmi3DoStep, f_.fmi3GetFloat64, !settings_.may_restore};
    if (settings_.kind == Kind::co_simulation)
      instantiate_co_simulation();
    else
      instantiate_model_exchange();
    if (!settings_.categories.empty()) choose_categories();
  }
  ~Instance3() override {
    if (!code_.dead && c_ != nullptr) foreign_at_end(f_.fmi3FreeInstance, c_);
  }

  void enter_configuration() override { call(f_.fmi3EnterConfigurationMode); }
  void exit_configuration() override { call(f_.fmi3ExitConfigurationMode); }
  void enter_initialization(double t) override {
    const bool ends = std::isfinite(settings_.stop_time);
    call(f_.fmi3EnterInitializationMode, settings_.tolerance > 0.0, settings_.tolerance, t, ends,
         ends ? settings_.stop_time : 0.0);
  }
  void exit_initialization() override { call(f_.fmi3ExitInitializationMode); }
  void terminate() override { call(f_.fmi3Terminate); }
  bool reset() override { return f_.fmi3Reset && is_fine(foreign(f_.fmi3Reset, c_)); }

  void get(Type type, const References& r, void* values, std::size_t count) override {
#define GET(TYPE, NAME) \
  case Type::TYPE:      \
    return call(f_.fmi3Get##NAME, r.data(), r.size(), static_cast<fmi3##NAME*>(values), count)
    switch (type) {
      GET(float64, Float64);
      GET(float32, Float32);
      GET(int8, Int8);
      GET(uint8, UInt8);
      GET(int16, Int16);
      GET(uint16, UInt16);
      GET(int32, Int32);
      GET(uint32, UInt32);
      GET(int64, Int64);
      GET(uint64, UInt64);
      GET(boolean, Boolean);
      default:
        internal_error("texts are got by get_texts");
    }
#undef GET
  }

  void set(Type type, const References& r, const void* values, std::size_t count) override {
#define SET(TYPE, NAME) \
  case Type::TYPE:      \
    return call(f_.fmi3Set##NAME, r.data(), r.size(), static_cast<const fmi3##NAME*>(values), count)
    switch (type) {
      SET(float64, Float64);
      SET(float32, Float32);
      SET(int8, Int8);
      SET(uint8, UInt8);
      SET(int16, Int16);
      SET(uint16, UInt16);
      SET(int32, Int32);
      SET(uint32, UInt32);
      SET(int64, Int64);
      SET(uint64, UInt64);
      SET(boolean, Boolean);
      default:
        internal_error("texts are set by set_texts");
    }
#undef SET
  }

  std::vector<std::string> get_texts(Type type, const References& r, std::size_t count) override {
    std::vector<std::string> made;
    if (type == Type::string) {
      std::vector<fmi3String> texts(count, nullptr);
      call(f_.fmi3GetString, r.data(), r.size(), texts.data(), count);
      for (const char* text : texts) made.push_back(read_text(text, longest_string));
      return made;
    }
    std::vector<std::size_t> sizes(count);
    std::vector<fmi3Binary> values(count, nullptr);
    call(f_.fmi3GetBinary, r.data(), r.size(), sizes.data(), values.data(), count);
    for (std::size_t k = 0; k < count; ++k) made.push_back(read_bytes(values[k], sizes[k]));
    return made;
  }

  void set_texts(Type type, const References& r, const std::vector<std::string>& values) override {
    if (type == Type::string) {
      std::vector<fmi3String> texts;
      for (const std::string& value : values) texts.push_back(value.c_str());
      return call(f_.fmi3SetString, r.data(), r.size(), texts.data(), texts.size());
    }
    std::vector<std::size_t> sizes;
    std::vector<fmi3Binary> bytes;
    for (const std::string& value : values) {
      sizes.push_back(value.size());
      bytes.push_back(reinterpret_cast<fmi3Binary>(value.data()));
    }
    call(f_.fmi3SetBinary, r.data(), r.size(), sizes.data(), bytes.data(), bytes.size());
  }

  StepEnd do_step(double t, double h, const IntermediateInputs* inputs) override {
    bool event = false;
    bool terminate = false;
    bool early = false;
    double reached = t + h;
    environment_->inputs = inputs;
    const int status = foreign(f_.fmi3DoStep, c_, t, h, held_.is_final, &event, &terminate, &early, &reached);
    environment_->inputs = nullptr;
    if (environment_->error) std::rethrow_exception(std::exchange(environment_->error, nullptr));
    if (status == fmi3Discard) return {reached, false, terminate, true};
    check(status, f_.fmi3DoStep.name);
    return {early || terminate ? reached : t + h, event, terminate, false};
  }

  void set_doubles(const Exchange& x, const double* u) {
    check(shielded_next(held_.set, c_, x.inputs, x.input_count, u, x.input_width), held_.set.name);
  }
  bool makes_step(double t, double h, StepEnd& end) {
    bool event = false, terminate = false, early = false;
    double reached = t + h;
    const int status = shielded_next(held_.step, c_, t, h, held_.is_final, &event, &terminate, &early, &reached);
    if (is_fine(status) && !terminate && !early) return true;
    const bool discarded = status == fmi3Discard;
    if (!discarded) check(status, f_.fmi3DoStep.name);
    end = {reached, event, terminate, discarded};
    return reached == t + h && !terminate && !discarded;
  }
  void get_doubles(const Exchange& x, double* y) {
    check(shielded_next(held_.get, c_, x.outputs, x.output_count, y, x.output_width), held_.get.name);
  }

  bool set_input_slopes(const References&, const double*) override {
    throw ComponentFailure("FMI 3 has no input derivatives");
  }
  void get_output_slopes(const References& r, double* slopes, std::size_t count) override {
    orders_.resize(r.size(), 1);
    call(f_.fmi3GetOutputDerivatives, r.data(), r.size(), orders_.data(), slopes, count);
  }
  void directional_derivative(const References& unknowns, const References& knowns, const double* seed,
                              std::size_t seeds, double* sensitivity, std::size_t sensitivities) override {
    call(f_.fmi3GetDirectionalDerivative, unknowns.data(), unknowns.size(), knowns.data(), knowns.size(), seed, seeds,
         sensitivity, sensitivities);
  }

  void enter_event_mode() override { call(f_.fmi3EnterEventMode); }
  DiscreteUpdate update_discrete_states() override {
    DiscreteUpdate u;
    call(f_.fmi3UpdateDiscreteStates, &u.again, &u.terminate, &u.nominals_changed, &u.states_changed, &u.has_next_event,
         &u.next_event);
    return u;
  }
  void enter_step_mode() override { call(f_.fmi3EnterStepMode); }

  std::size_t state_count(std::size_t) override {
    std::size_t n = 0;
    call(f_.fmi3GetNumberOfContinuousStates, &n);
    return n;
  }
  std::size_t indicator_count(std::size_t) override {
    std::size_t n = 0;
    call(f_.fmi3GetNumberOfEventIndicators, &n);
    return n;
  }
  void enter_continuous_time_mode() override { call(f_.fmi3EnterContinuousTimeMode); }
  void set_time(double t) override { call(f_.fmi3SetTime, t); }
  bool set_states(const double* x, std::size_t n) override { return is_accepted(f_.fmi3SetContinuousStates, x, n); }
  void get_states(double* x, std::size_t n) override { call(f_.fmi3GetContinuousStates, x, n); }
  void get_nominals(double* nominals, std::size_t n) override {
    call(f_.fmi3GetNominalsOfContinuousStates, nominals, n);
  }
  bool get_derivatives(double* dx, std::size_t n) override {
    return is_accepted(f_.fmi3GetContinuousStateDerivatives, dx, n);
  }
  void get_indicators(double* z, std::size_t n) override { call(f_.fmi3GetEventIndicators, z, n); }
  StepCompleted completed_step() override {
    StepCompleted done;
    call(f_.fmi3CompletedIntegratorStep, held_.is_final, &done.event, &done.terminate);
    return done;
  }

  void activate_clock(ValueReference clock) override {
    const bool active = true;
    call(f_.fmi3SetClock, &clock, 1, &active);
  }
  bool is_clock_active(ValueReference clock) override {
    bool active = false;
    call(f_.fmi3GetClock, &clock, 1, &active);
    return active;
  }
  IntervalNews get_interval(ValueReference clock, double& interval) override {
    fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
    call(f_.fmi3GetIntervalDecimal, &clock, 1, &interval, &qualifier);
    return qualifier == fmi3IntervalChanged     ? IntervalNews::changed
           : qualifier == fmi3IntervalUnchanged ? IntervalNews::unchanged
                                                : IntervalNews::unknown;
  }
  double get_shift(ValueReference clock) override {
    double shift = 0.0;
    call(f_.fmi3GetShiftDecimal, &clock, 1, &shift);
    return shift;
  }

  void save(void** state) override { call(f_.fmi3GetFMUState, state); }
  void restore(void* state) override { call(f_.fmi3SetFMUState, state); }
  void release(void** state) noexcept override {
    if (*state != nullptr && !code_.dead && f_.fmi3FreeFMUState) foreign_at_end(f_.fmi3FreeFMUState, c_, state);
    *state = nullptr;
  }
  std::vector<std::uint8_t> serialize(void* state) override {
    std::size_t size = 0;
    call(f_.fmi3SerializedFMUStateSize, state, &size);
    std::vector<std::uint8_t> bytes = make_room(size);
    call(f_.fmi3SerializeFMUState, state, bytes.data(), size);
    return bytes;
  }
  void* deserialize(const std::vector<std::uint8_t>& bytes) override {
    void* state = nullptr;
    call(f_.fmi3DeserializeFMUState, bytes.data(), bytes.size(), &state);
    return state;
  }

 private:
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

  void instantiate_co_simulation() {
    const InstanceSettings& s = settings_;
    const bool intermediate = !s.intermediate.empty();
    c_ = foreign(f_.fmi3InstantiateCoSimulation, s.name.c_str(), s.token.c_str(), s.resources.c_str(), s.visible,
                 s.logging, s.event_mode, s.early_return, s.intermediate.data(), s.intermediate.size(),
                 environment_.get(), log_message3, intermediate ? intermediate_update3 : nullptr);
    if (c_ == nullptr) refuse_instance(f_.fmi3InstantiateCoSimulation.name, settings_, *log_);
  }
  void instantiate_model_exchange() {
    const InstanceSettings& s = settings_;
    c_ = foreign(f_.fmi3InstantiateModelExchange, s.name.c_str(), s.token.c_str(), s.resources.c_str(), s.visible,
                 s.logging, environment_.get(), log_message3);
    if (c_ == nullptr) refuse_instance(f_.fmi3InstantiateModelExchange.name, settings_, *log_);
  }

  void choose_categories() {
    std::vector<fmi3String> names;
    for (const std::string& name : settings_.categories) names.push_back(name.c_str());
    if (!f_.fmi3SetDebugLogging) return;
    call(f_.fmi3SetDebugLogging, settings_.logging, names.size(), names.data());
  }

  /// What `step_held` calls, beside the instance.
  struct Held {
    decltype(Functions3::fmi3SetFloat64) set;
    decltype(Functions3::fmi3DoStep) step;
    decltype(Functions3::fmi3GetFloat64) get;
    fmi3Boolean is_final;  ///< no step will be taken back
  };

  fmi3Instance c_ = nullptr;
  Held held_;
  LibraryPointer library_;
  Functions3 f_;
  InstanceSettings settings_;
  OwnEnvironment environment_;
  std::vector<fmi3Int32> orders_;
};

}  // namespace

std::unique_ptr<Instance> make_instance3(const LibraryPointer& library, const InstanceSettings& settings,
                                         const std::shared_ptr<Log>& log) {
  return std::make_unique<Instance3>(library, settings, log);
}

}  // namespace counterpoint::fmi
