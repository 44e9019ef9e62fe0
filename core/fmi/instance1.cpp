// FMI 1.0 for co-simulation and model exchange.

#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "check.hpp"
#include "coupling/subsystem.hpp"
#include "fmi/fmi1.h"
#include "fmi/held_steps.hpp"
#include "fmi/symbols.hpp"

namespace counterpoint::fmi {

namespace {

struct Functions1 {
#define DECLARE(RESULT, NAME, ARGUMENTS)             \
  struct NAME##Function : Symbol<RESULT ARGUMENTS> { \
    static constexpr const char* name = "fmi" #NAME; \
  } NAME;
  FMI1_COMMON_FUNCTIONS(DECLARE)
  FMI1_CO_SIMULATION_FUNCTIONS(DECLARE)
  FMI1_MODEL_EXCHANGE_FUNCTIONS(DECLARE)
#undef DECLARE

  Functions1(const Library& library, const std::string& identifier, Kind kind) {
    Symbols symbols(library, identifier + "_");
#define FIND(RESULT, NAME, ARGUMENTS) symbols.find(NAME);
    FMI1_COMMON_FUNCTIONS(FIND)
    FMI1_CO_SIMULATION_FUNCTIONS(FIND)
    FMI1_MODEL_EXCHANGE_FUNCTIONS(FIND)
#undef FIND
    symbols.require(GetReal);
    symbols.require(SetReal);
    if (kind == Kind::co_simulation) {
      symbols.require(InstantiateSlave);
      symbols.require(InitializeSlave);
      symbols.require(FreeSlaveInstance);
      symbols.require(DoStep);
    } else {
      symbols.require(InstantiateModel);
      symbols.require(Initialize);
      symbols.require(FreeModelInstance);
      symbols.require(SetTime);
      symbols.require(EventUpdate);
    }
    symbols.check();
  }
};

/// Whose log a message belongs to: FMI 1 gives the component, and none while it is made.
class LiveLogs {
 public:
  static LiveLogs& all() {
    static LiveLogs made;
    return made;
  }
  void add(fmi1Component c, const std::shared_ptr<Log>& log) {
    const std::lock_guard lock(mutex_);
    logs_[c] = log;
  }
  void remove(fmi1Component c) {
    const std::lock_guard lock(mutex_);
    logs_.erase(c);
  }
  /// Null when the component is not known and several could be meant.
  std::shared_ptr<Log> find(fmi1Component c) {
    const std::lock_guard lock(mutex_);
    const auto found = logs_.find(c);
    if (found != logs_.end()) return found->second;
    return logs_.size() == 1 ? logs_.begin()->second : nullptr;
  }
  static thread_local std::shared_ptr<Log> of_instantiation;

 private:
  std::mutex mutex_;
  std::map<fmi1Component, std::shared_ptr<Log>> logs_;
};

thread_local std::shared_ptr<Log> LiveLogs::of_instantiation;

extern "C" void log_message1(fmi1Component component, fmi1String, fmi1Status status, fmi1String category,
                             fmi1String message, ...) {
  std::shared_ptr<Log> log = LiveLogs::of_instantiation;
  if (log == nullptr) log = LiveLogs::all().find(component);
  if (log == nullptr || message == nullptr) return;
  std::va_list arguments;
  va_start(arguments, message);
  log->add(static_cast<int>(status), category, format_safely(message, arguments));
  va_end(arguments);
}

/// FMI 1 has no initialisation mode: start values and inputs are set, one call initialises, and only then values may be
/// read. So the first reading initialises, with the inputs known then.
class Instance1 final : public HeldSteps<Instance1> {
 public:
  Instance1(LibraryPointer library, const InstanceSettings& settings, std::shared_ptr<Log> log)
      : HeldSteps(std::move(log), library),
        library_(std::move(library)),
        f_(*library_, settings.identifier, settings.kind),
        settings_(settings) {
    code_.name = settings_.name.c_str();
    LiveLogs::of_instantiation = log_;
    if (is_slave())
      instantiate_slave();
    else
      instantiate_model();
    LiveLogs::of_instantiation = nullptr;
    if (c_ == nullptr) {
      refuse_instance(is_slave() ? f_.InstantiateSlave.name : f_.InstantiateModel.name, settings_, *log_);
    }
    LiveLogs::all().add(c_, log_);
  }
  ~Instance1() override {
    if (!code_.dead && c_ != nullptr && is_slave()) foreign_at_end(f_.FreeSlaveInstance, c_);
    if (!code_.dead && c_ != nullptr && !is_slave()) foreign_at_end(f_.FreeModelInstance, c_);
    LiveLogs::all().remove(c_);
  }

  void enter_configuration() override { throw ComponentFailure("FMI 1 has no structural parameters"); }
  void exit_configuration() override {}

  void enter_initialization(double t) override {
    start_ = t;
    if (!is_slave()) call(f_.SetTime, t);
  }
  void exit_initialization() override {
    // Inputs may have been set after the values that were read: what follows from them is found by an event update.
    // Where nothing new was set, none is due: some FMUs count every update as an event.
    initialize();
    first_update_ = !inputs_came_later_;
    has_begun_ = true;
  }
  void terminate() override {
    if (!is_initialized_) return;
    if (is_slave() && f_.TerminateSlave) call(f_.TerminateSlave);
    if (!is_slave() && f_.Terminate) call(f_.Terminate);
  }

  void get(Type type, const References& r, void* values, std::size_t count) override {
    initialize();
    if (type == Type::float64) {
      call(f_.GetReal, r.data(), r.size(), static_cast<double*>(values));
    } else if (type == Type::int32) {
      call(f_.GetInteger, r.data(), r.size(), static_cast<int*>(values));
    } else if (type == Type::boolean) {
      booleans_.assign(count, 0);
      call(f_.GetBoolean, r.data(), r.size(), booleans_.data());
      for (std::size_t k = 0; k < count; ++k) static_cast<std::uint8_t*>(values)[k] = booleans_[k] != 0;
    } else {
      unknown_type();
    }
  }

  void set(Type type, const References& r, const void* values, std::size_t count) override {
    if (is_waiting() || is_known(type, r, values, count)) return;
    if (type == Type::float64) {
      call(f_.SetReal, r.data(), r.size(), static_cast<const double*>(values));
    } else if (type == Type::int32) {
      call(f_.SetInteger, r.data(), r.size(), static_cast<const int*>(values));
    } else if (type == Type::boolean) {
      booleans_.resize(count);
      for (std::size_t k = 0; k < count; ++k) booleans_[k] = static_cast<const std::uint8_t*>(values)[k] != 0;
      call(f_.SetBoolean, r.data(), r.size(), booleans_.data());
    } else {
      unknown_type();
    }
  }

  std::vector<std::string> get_texts(Type, const References& r, std::size_t count) override {
    initialize();
    std::vector<fmi1String> texts(count, nullptr);
    call(f_.GetString, r.data(), r.size(), texts.data());
    std::vector<std::string> made;
    for (const char* text : texts) made.push_back(read_text(text, longest_string));
    return made;
  }
  void set_texts(Type, const References& r, const std::vector<std::string>& values) override {
    inputs_came_later_ = inputs_came_later_ || (is_initialized_ && !has_begun_);
    if (is_waiting()) return;
    std::vector<fmi1String> texts;
    for (const std::string& value : values) texts.push_back(value.c_str());
    call(f_.SetString, r.data(), r.size(), texts.data());
  }

  StepEnd do_step(double t, double h, const IntermediateInputs*) override {
    const int status = foreign(f_.DoStep, c_, t, h, true_);
    return is_fine(status) ? StepEnd{t + h, false, false, false} : ended(status, t, h);
  }

  void set_doubles(const Exchange& x, const double* u) {
    check(shielded_next(f_.SetReal, c_, x.inputs, x.input_count, u), f_.SetReal.name);
  }
  bool makes_step(double t, double h, StepEnd& end) {
    const int status = shielded_next(f_.DoStep, c_, t, h, true_);
    if (is_fine(status)) [[likely]]
      return true;
    end = ended(status, t, h);
    return !end.discarded;
  }
  void get_doubles(const Exchange& x, double* y) {
    check(shielded_next(f_.GetReal, c_, x.outputs, x.output_count, y), f_.GetReal.name);
  }

  bool set_input_slopes(const References& r, const double* slopes) override {
    orders_.resize(r.size(), 1);
    const auto& function = f_.SetRealInputDerivatives;
    return function && taken(foreign(function, c_, r.data(), r.size(), orders_.data(), slopes), function.name);
  }
  void get_output_slopes(const References& r, double* slopes, std::size_t) override {
    orders_.resize(r.size(), 1);
    call(f_.GetRealOutputDerivatives, r.data(), r.size(), orders_.data(), slopes);
  }
  void directional_derivative(const References&, const References&, const double*, std::size_t, double*,
                              std::size_t) override {
    throw ComponentFailure("FMI 1 has no directional derivatives");
  }

  void enter_event_mode() override {}
  DiscreteUpdate update_discrete_states() override {
    if (!std::exchange(first_update_, false)) {
      info_ = {};
      call(f_.EventUpdate, false_, &info_);
    }
    return {info_.iteration_converged == false_,      info_.terminate_simulation != false_,
            info_.state_references_changed != false_, info_.states_changed != false_,
            info_.upcoming_time_event != false_,      info_.next_event_time};
  }
  void enter_step_mode() override { internal_error("co-simulation of FMI 1 has no event mode"); }

  std::size_t state_count(std::size_t described) override { return described; }
  std::size_t indicator_count(std::size_t described) override { return described; }
  void enter_continuous_time_mode() override {}
  void set_time(double t) override { call(f_.SetTime, t); }
  bool set_states(const double* x, std::size_t n) override { return is_accepted(f_.SetContinuousStates, x, n); }
  void get_states(double* x, std::size_t n) override { call(f_.GetContinuousStates, x, n); }
  void get_nominals(double* nominals, std::size_t n) override { call(f_.GetNominalContinuousStates, nominals, n); }
  bool get_derivatives(double* dx, std::size_t n) override { return is_accepted(f_.GetDerivatives, dx, n); }
  void get_indicators(double* z, std::size_t n) override { call(f_.GetEventIndicators, z, n); }
  StepCompleted completed_step() override {
    fmi1Boolean event = false_;
    call(f_.CompletedIntegratorStep, &event);
    return {event != false_, false};
  }

  void activate_clock(ValueReference) override { no_clocks(); }
  bool is_clock_active(ValueReference) override { no_clocks(); }
  IntervalNews get_interval(ValueReference, double&) override { no_clocks(); }
  double get_shift(ValueReference) override { no_clocks(); }

  void save(void**) override { no_states(); }
  void restore(void*) override { no_states(); }
  void release(void** state) noexcept override { *state = nullptr; }
  std::vector<std::uint8_t> serialize(void*) override { no_states(); }
  void* deserialize(const std::vector<std::uint8_t>&) override { no_states(); }

 private:
  static constexpr fmi1Boolean false_ = 0;
  static constexpr fmi1Boolean true_ = 1;

  template <class Function, class... Arguments>
  void call(const Function& function, Arguments... arguments) {
    check(foreign(function, c_, arguments...), Function::name);
  }
  template <class Function, class... Arguments>
  bool is_accepted(const Function& function, Arguments... arguments) {
    return accepted(foreign(function, c_, arguments...), Function::name);
  }
  void set_may_restore(bool) override {}
  [[noreturn]] static void no_clocks() { internal_error("FMI 1 has no clocks"); }
  [[noreturn]] static void no_states() { throw ComponentFailure("FMI 1 cannot save and restore states"); }
  [[noreturn]] static void unknown_type() { internal_error("FMI 1 has no values of this type"); }

  static constexpr fmi1CallbackFunctions callbacks{log_message1, std::calloc, std::free, nullptr};

  bool is_slave() const { return settings_.kind == Kind::co_simulation; }

  /// A slave that is initialised takes inputs with its next step: outputs may not be read between setting and stepping.
  bool is_waiting() const { return is_slave() && is_initialized_ && !has_begun_; }

  void instantiate_slave() {
    const InstanceSettings& s = settings_;
    c_ = foreign(f_.InstantiateSlave, s.name.c_str(), s.token.c_str(), s.resources.c_str(),
                 "application/x-fmu-sharedlibrary", 0.0, s.visible, false_, callbacks, s.logging);
  }
  void instantiate_model() {
    const InstanceSettings& s = settings_;
    c_ = foreign(f_.InstantiateModel, s.name.c_str(), s.token.c_str(), callbacks, s.logging);
  }

  /// Between the initialisation of a model and its first step: whether it has these values already.
  bool is_known(Type type, const References& r, const void* values, std::size_t count) {
    if (is_slave() || !is_initialized_ || has_begun_) return false;
    std::vector<std::uint8_t> now(count * size_of(type));
    get(type, r, now.data(), count);
    const bool same = std::memcmp(now.data(), values, now.size()) == 0;
    inputs_came_later_ = inputs_came_later_ || !same;
    return same;
  }

  void initialize() {
    if (std::exchange(is_initialized_, true)) return;
    if (is_slave()) {
      const bool ends = std::isfinite(settings_.stop_time);
      call(f_.InitializeSlave, start_, static_cast<fmi1Boolean>(ends), ends ? settings_.stop_time : 0.0);
    } else {
      const bool controlled = settings_.tolerance > 0.0;
      call(f_.Initialize, static_cast<fmi1Boolean>(controlled), settings_.tolerance, &info_);
    }
  }

  /// How a step ended that was not made at once.
  [[gnu::noinline]] StepEnd ended(int status, double t, double h) {
    if (status == fmi1Pending) status = wait();
    if (status != fmi1Discard) check(status, f_.DoStep.name);
    if (status != fmi1Discard) return {t + h, false, false, false};
    fmi1Real reached = t;
    if (!f_.GetRealStatus || !is_fine(foreign(f_.GetRealStatus, c_, fmi1LastSuccessfulTime, &reached))) reached = t;
    return {reached, false, false, true};
  }

  int wait() {
    fmi1Status status = fmi1Pending;
    while (status == fmi1Pending) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      call(f_.GetStatus, fmi1DoStepStatus, &status);
    }
    return status;
  }

  fmi1Component c_ = nullptr;
  LibraryPointer library_;
  Functions1 f_;
  InstanceSettings settings_;
  double start_ = 0.0;  ///< s
  bool is_initialized_ = false;
  bool has_begun_ = false;
  bool inputs_came_later_ = false;  ///< than the initialisation, and with other values
  bool first_update_ = false;       ///< the initialisation has already updated discrete states
  fmi1EventInfo info_{};
  std::vector<fmi1Boolean> booleans_;
  std::vector<fmi1Integer> orders_;
};

}  // namespace

std::unique_ptr<Instance> make_instance1(const LibraryPointer& library, const InstanceSettings& settings,
                                         const std::shared_ptr<Log>& log) {
  return std::make_unique<Instance1>(library, settings, log);
}

}  // namespace counterpoint::fmi
