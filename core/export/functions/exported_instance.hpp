#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "export/exported_model.hpp"

namespace counterpoint::exported {

/// As FMI 2 and FMI 3 number them.
enum class Status { ok, warning, discard, error };

/// One instance of the FMU: what FMI 2 and FMI 3 have in common. All that goes wrong becomes a status and a log
/// message.
///
///     instantiated --enter_initialization--> initializing --exit_initialization--> stepping --terminate--> terminated
///          ^------------------------------------- reset -------------------------------------------|
///     within a step, in an intermediate update: updating, where inputs can be set and values read
///     an error in a step: failed; then only reset, setting a state, terminate and freeing help
class ExportedInstance {
 public:
  using Log = std::function<void(Status, const char* category, const std::string& text)>;

  /// The recipe lies in the folder `resources`; `token` must be the one in it. Null, after a message, when it cannot be
  /// made.
  static std::unique_ptr<ExportedInstance> make(const std::string& resources, const std::string& token, Log log);

  /// Time at which initialization mode will begin, s.
  Status set_start(double time);
  Status enter_initialization();
  Status exit_initialization();
  /// Called at the end of every step inside (`ExportedModel::Between`), from the next step on.
  void look_between(ExportedModel::Between between);
  /// From `now`, which must be the time of the instance, over `length`, s.
  Status step(double now, double length);
  Status terminate();
  Status reset();

  Status get(const std::uint32_t* references, std::size_t count, double* values, std::size_t value_count);
  Status set(const std::uint32_t* references, std::size_t count, const double* values, std::size_t value_count);
  Status output_slopes(const std::uint32_t* references, std::size_t count, const int* orders, double* values,
                       std::size_t value_count);
  /// d(outputs)/d(inputs; in initialization mode parameters as well) times a seed.
  Status directional_derivative(const std::uint32_t* unknowns, std::size_t unknown_count, const std::uint32_t* knowns,
                                std::size_t known_count, const double* seed, std::size_t seed_count, double* values,
                                std::size_t value_count);
  Status set_input_slopes(const std::uint32_t* references, std::size_t count, const int* orders, const double* values);

  Status save(void** state);
  Status restore(void* state);
  Status forget(void** state);
  /// A state as bytes, which another instance of the FMU can take over, in another process as well.
  Status size_of_state(void* state, std::size_t* size);
  Status serialize(void* state, char* bytes, std::size_t size);
  Status deserialize(const char* bytes, std::size_t size, void** state);

  /// For a function that this FMU does not offer.
  Status refuse(const char* what);

  double time() const { return model_->time(); }
  bool has_ended() const { return has_ended_; }
  /// Whether the last step ended early because an intermediate update asked for it.
  bool returned_early() const { return returned_early_; }

 private:
  enum class Phase { instantiated, initializing, stepping, terminated, failed, updating };
  using Phases = std::initializer_list<Phase>;
  static constexpr Phases all_but_failed = {Phase::instantiated, Phase::initializing, Phase::stepping,
                                            Phase::terminated};
  static constexpr Phases any = {Phase::instantiated, Phase::initializing, Phase::stepping, Phase::terminated,
                                 Phase::failed};
  static constexpr Phases any_or_updating = {Phase::instantiated, Phase::initializing, Phase::stepping,
                                             Phase::terminated,   Phase::failed,       Phase::updating};
  struct State {
    ExportedModel::StatePointer model;
    Phase phase;
    double start;
    bool has_ended;
  };

  ExportedInstance(std::unique_ptr<ExportedModel> model, Log log) : model_(std::move(model)), log_(std::move(log)) {}

  /// Do it if the phase is one of those given; errors become messages.
  Status during(Phases phases, const char* what, const std::function<void()>& work);
  Status complain(const std::string& text);
  bool is_before_begin() const { return phase_ == Phase::instantiated || phase_ == Phase::initializing; }
  const Variable& find(std::uint32_t reference) const;
  /// Keep a state for the master, where it says or in a new place.
  void keep(State state, void** place);
  const State& known(void* state) const;
  std::string bytes_of(const State& state) const;

  std::unique_ptr<ExportedModel> model_;
  Log log_;
  Phase phase_ = Phase::instantiated;
  double start_ = 0.0;
  bool returned_early_ = false;
  bool has_ended_ = false;  ///< a block ended the run
  ExportedModel::Between between_;
  std::set<State*> states_;

 public:
  ~ExportedInstance();
};

}  // namespace counterpoint::exported
