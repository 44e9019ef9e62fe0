#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "coupling/failure.hpp"
#include "fmi/foreign_call.hpp"
#include "fmi/library.hpp"
#include "fmi/log.hpp"
#include "fmi/step_length.hpp"

namespace counterpoint::fmi {

using ValueReference = std::uint32_t;
using References = std::vector<ValueReference>;

/// Types of values. An enumeration is an int32 in FMI 2 and an int64 in FMI 3; a boolean is one byte here.
enum class Type { float64, float32, int8, uint8, int16, uint16, int32, uint32, int64, uint64, boolean, string, binary };

/// What an FMU is instantiated for: with a solver of its own, or as equations that the importer integrates.
enum class Kind { co_simulation, model_exchange };

/// How to make an instance.
struct InstanceSettings {
  Kind kind = Kind::co_simulation;
  std::string name;
  std::string identifier;  ///< FMI 1: the names of its functions begin with it
  std::string token;       ///< GUID or instantiation token
  /// FMI 1: the URI of the FMU's folder; FMI 2: of its resources; FMI 3: their path with a separator at its end.
  std::string resources;
  std::string tool;  ///< the program that the FMU needs on this computer; empty: none
  bool visible = false;
  bool logging = false;
  std::vector<std::string> categories;  ///< of log messages; empty: all
  double tolerance = 0.0;               ///< relative tolerance for the FMU's own solver; 0: none given
  double stop_time = std::numeric_limits<double>::infinity();  ///< end of the run, s; infinite: not known
  bool event_mode = false;                                     ///< FMI 3: events are handled between steps
  bool early_return = false;                                   ///< FMI 3: a step may end early
  bool may_restore = false;                                    ///< states may be set back to before the current point
  References intermediate;                                     ///< FMI 3: inputs that are set inside a step

  bool operator==(const InstanceSettings&) const = default;
};

/// How a step ended.
struct StepEnd {
  double reached = 0.0;
  bool event = false;      ///< events are waiting to be handled
  bool terminate = false;  ///< the FMU asks to end the simulation
  bool discarded = false;  ///< the step was not made; `reached` is the time that the FMU could have reached
  bool cut_short = false;  ///< discarded by an FMU that cannot be set back: it was made up to `reached`
};

/// What to do in `Instance::step_held`: the doubles that are set before a step and got after it. All that every step
/// looks at comes first and close together: with many FMUs the cache is what counts.
struct Exchange {
  const ValueReference* inputs = nullptr;
  const ValueReference* outputs = nullptr;
  std::uint32_t input_count = 0;
  std::uint32_t input_width = 0;
  std::uint32_t input_offset = 0;  ///< of the first of them among all inputs
  std::uint32_t output_count = 0;
  std::uint32_t output_width = 0;
  StepLength length;
  double time = 0.0;      ///< start of the step under way, s
  References references;  ///< of inputs and outputs, in one piece
  /// Called when a step did not end where it should, instead of getting anything: `t` and `t_end` are those of the
  /// step.
  std::function<void(const StepEnd& end, double t, double t_end, const double* u, double* y)> unusual;
};

struct DiscreteUpdate {
  bool again = false;
  bool terminate = false;
  bool nominals_changed = false;
  bool states_changed = false;
  bool has_next_event = false;
  double next_event = 0.0;
};

/// What an FMU for model exchange wants after a step of the solver.
struct StepCompleted {
  bool event = false;      ///< event mode
  bool terminate = false;  ///< the end of the simulation
};

/// What an FMU knows of the next interval of a clock (FMI 3).
enum class IntervalNews { unknown, unchanged, changed };

/// Called within a step of FMI 3 when inputs may be set for time t.
using IntermediateInputs = std::function<void(double t)>;

/// One instance of an FMU: the functions of FMI 1, 2 and 3 behind one interface.
///
/// Contract:
///  1. Made in the state "instantiated"; freed by the destructor, unless it died (status fatal): then nothing is
///     called on it any more.
///  2. Every call that returns a status worse than a warning throws ComponentFailure with the function, the status and
///     the FMU's last words. A discarded step is a value, not an exception. A call that crashes, calls exit or throws
///     throws one that says so: the instance is dead as after a fatal status.
///  3. The order of calls is the caller's business (see FmuSubsystem, ModelExchangeSubsystem).
///  4. Values are in the memory layout of their type, arrays row by row.
///  5. An FMU may change the floating-point environment: callers keep theirs (KeepFloatingPoint).
class alignas(64) Instance {
 public:
  virtual ~Instance() { log_->stop_following(); }

  /// `step_held` sets doubles, makes a step and gets doubles: what most FMUs need, in one call. From here on the log
  /// has the time of its steps. Offset (of the first input) and widths are in scalars.
  void set_exchange(const References& inputs, std::size_t input_offset, std::size_t input_width,
                    const References& outputs, std::size_t output_width, double t);
  Exchange& exchange() { return exchange_; }
  /// Only inside a ForeignCall, which the caller makes for many of them.
  virtual void step_held(double t, double t_end, const double* u, double* y) = 0;
  /// The same as a function whose first argument is this instance: one call less in every step.
  using HeldFunction = void (*)(void* instance, double t, double t_end, const double* u, double* y);
  virtual HeldFunction held_function() const = 0;

  virtual void enter_configuration() = 0;
  virtual void exit_configuration() = 0;
  /// Tell when the run begins and ends; false: it is told on entering initialisation mode.
  virtual bool set_up_experiment(double /*t*/) { return false; }
  virtual void enter_initialization(double t) = 0;
  virtual void exit_initialization() = 0;
  virtual void terminate() = 0;
  /// Set it back to "instantiated", as if it had just been made; false: it cannot, and has to be freed.
  virtual bool reset() { return false; }

  virtual void get(Type type, const References& references, void* values, std::size_t count) = 0;
  virtual void set(Type type, const References& references, const void* values, std::size_t count) = 0;
  virtual std::vector<std::string> get_texts(Type type, const References& references, std::size_t count) = 0;
  virtual void set_texts(Type type, const References& references, const std::vector<std::string>& values) = 0;

  virtual StepEnd do_step(double t, double h, const IntermediateInputs* inputs) = 0;
  /// False: the FMU refuses them.
  virtual bool set_input_slopes(const References& references, const double* slopes) = 0;
  virtual void get_output_slopes(const References& references, double* slopes, std::size_t count) = 0;
  virtual void directional_derivative(const References& unknowns, const References& knowns, const double* seed,
                                      std::size_t seeds, double* sensitivity, std::size_t sensitivities) = 0;

  virtual void enter_event_mode() = 0;
  virtual DiscreteUpdate update_discrete_states() = 0;
  virtual void enter_step_mode() = 0;

  /// Model exchange. Numbers of states and event indicators: FMI 1 and 2 have them in the description only, and return
  /// what is given here.
  virtual std::size_t state_count(std::size_t described) = 0;
  virtual std::size_t indicator_count(std::size_t described) = 0;
  virtual void enter_continuous_time_mode() = 0;
  virtual void set_time(double t) = 0;
  /// False: discarded, the equations have no solution there and a smaller step may help; likewise `get_derivatives`.
  virtual bool set_states(const double* x, std::size_t count) = 0;
  virtual void get_states(double* x, std::size_t count) = 0;
  virtual void get_nominals(double* nominals, std::size_t count) = 0;
  virtual bool get_derivatives(double* dx, std::size_t count) = 0;
  virtual void get_indicators(double* z, std::size_t count) = 0;
  virtual StepCompleted completed_step() = 0;

  /// Clocks of FMI 3. An input clock is activated until the next update of discrete states.
  virtual void activate_clock(ValueReference clock) = 0;
  virtual bool is_clock_active(ValueReference clock) = 0;
  virtual IntervalNews get_interval(ValueReference clock, double& interval) = 0;
  virtual double get_shift(ValueReference clock) = 0;

  /// A state is a handle of the FMU; `*state` may be null or a state to be overwritten.
  virtual void save(void** state) = 0;
  virtual void restore(void* state) = 0;
  virtual void release(void** state) noexcept = 0;
  virtual std::vector<std::uint8_t> serialize(void* state) = 0;
  virtual void* deserialize(const std::vector<std::uint8_t>& bytes) = 0;

  /// Whether nothing may be called any more, not even to free it.
  bool died() const { return code_.dead; }
  /// Whether an error made every call but freeing it forbidden.
  bool failed() const { return failed_ || code_.dead; }
  /// It refused a call that it may have found too early, and is used all the same.
  void go_on_after_refusal() { failed_ = false; }
  ForeignCode& code() { return code_; }

  /// A saved state that it may be set back to exists from now on, or does not any more. Only as long as there is one
  /// is the FMU told that states before the current point may come back: some stay where they are then.
  void note_saved_state() { set_may_restore(++saved_states_ > 0); }
  void note_released_state() { set_may_restore(--saved_states_ > 0); }

  /// What went wrong when the run was over already: into the log, and when the FMU died, to the standard error.
  void say_at_end(const std::exception& failure) noexcept;

 protected:
  Instance(std::shared_ptr<Log> log, const LibraryPointer& library) : log_(std::move(log)) {
    code_.log = log_.get();
    code_.library = library.get();
  }

  virtual void set_may_restore(bool may) = 0;

  /// Call a function of the FMU; throws ComponentFailure when its library does not have it or it does not come back.
  template <class Function, class... Arguments>
  [[gnu::always_inline]] auto foreign(const Function& function, Arguments... arguments) {
    if (!function || code_.dead) [[unlikely]]
      refuse_call(Function::name);
    if (code_.call == nullptr) [[unlikely]]
      return in_a_call(function, arguments...);
    code_.call->turn_to(code_);
    return shielded(function, arguments...);
  }
  /// The same by itself, outside a step.
  template <class Function, class... Arguments>
  [[gnu::noinline]] auto in_a_call(const Function& function, Arguments... arguments) {
    ForeignCall call(code_);
    return call.run([&] { return shielded(function, arguments...); });
  }
  /// For the end, where nothing can be done about a failure.
  template <class Function, class... Arguments>
  void foreign_at_end(const Function& function, Arguments... arguments) noexcept {
    try {
      foreign(function, arguments...);
    } catch (const std::exception& failure) {
      say_at_end(failure);
    }
  }
  /// Functions run (`ForeignCode::function` says which); afterwards the one whose callback called them, or none.
  class Running {
   public:
    explicit Running(ForeignCode& code) : code_(code), around_(code.function) {}
    ~Running() { code_.function = around_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    ForeignCode& code_;
    const char* around_;
  };
  /// What a function of the FMU returns, inside a ForeignCall. What it throws, written in C++, ends here.
  template <class Function, class... Arguments>
  [[gnu::always_inline]] auto shielded(const Function& function, Arguments... arguments) {
    const Running running(code_);
    return shielded_next(function, arguments...);
  }
  /// The same where the caller has a `Running` for several calls in a row.
  template <class Function, class... Arguments>
  [[gnu::always_inline]] auto shielded_next(const Function& function, Arguments... arguments) {
    code_.function = Function::name;
    try {
      return function(arguments...);
    } catch (const std::exception& error) {
      refuse_exception(error.what());
    } catch (...) {
      refuse_exception("of a type that is not known");
    }
  }

  /// Throw when a status is worse than a warning, or none of FMI.
  void check(int status, const char* function) {
    if (!is_fine(status)) fail(status, function);
  }
  static bool is_fine(int status) { return static_cast<unsigned>(status) <= 1; }
  /// Likewise, but false when the FMU discarded the call.
  bool accepted(int status, const char* function) {
    if (status == 2) return false;
    check(status, function);
    return true;
  }
  /// Likewise, but false when the FMU refuses the call and may continue without it.
  bool taken(int status, const char* function) {
    if (status == 2 || status == 3) return false;
    check(status, function);
    return true;
  }
  [[noreturn]] void fail(int status, const char* function);

  Exchange exchange_;
  ForeignCode code_;
  std::shared_ptr<Log> log_;
  bool failed_ = false;

 private:
  [[noreturn]] void refuse_call(const char* function) const;
  [[noreturn]] void refuse_exception(const std::string& what);

  int saved_states_ = 0;
};

/// An instance of an FMU of FMI 1, 2 or 3.
std::unique_ptr<Instance> make_instance(int major, const LibraryPointer& library, const InstanceSettings& settings,
                                        const std::shared_ptr<Log>& log);
std::unique_ptr<Instance> make_instance1(const LibraryPointer& library, const InstanceSettings& settings,
                                         const std::shared_ptr<Log>& log);
std::unique_ptr<Instance> make_instance2(const LibraryPointer& library, const InstanceSettings& settings,
                                         const std::shared_ptr<Log>& log);
std::unique_ptr<Instance> make_instance3(const LibraryPointer& library, const InstanceSettings& settings,
                                         const std::shared_ptr<Log>& log);

/// Throw that the FMU could not be instantiated, with its last words.
[[noreturn]] void refuse_instance(const char* function, const InstanceSettings& settings, const Log& log);

/// Memory for a state of so many bytes; throws ComponentFailure when that is more than there is.
std::vector<std::uint8_t> make_room(std::size_t size);
constexpr std::size_t longest_string = std::size_t{1} << 24;  ///< bytes of a string of an FMU that are read

/// Bytes of a value.
std::size_t size_of(Type type);

}  // namespace counterpoint::fmi
