#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "export/exported_model.hpp"

namespace counterpoint::exported {

/// As FMI 2 and FMI 3 number them.
enum class Status { ok, warning, discard, error };

/// One instance of the FMU: what FMI 2 and FMI 3 have in common. All that goes wrong becomes a status and a log message.
///
///     instantiated --enter_initialization--> initializing --exit_initialization--> stepping --terminate--> terminated
///          ^------------------------------------- reset -------------------------------------------|
///     an error in a step: failed; then only reset, setting a state, terminate and freeing help
class Instance {
 public:
  using Log = std::function<void(Status, const char* category, const std::string& text)>;

  /// The recipe lies in the folder `resources`; `token` must be the one in it. Null, after a message, when it cannot be made.
  static std::unique_ptr<Instance> make(const std::string& resources, const std::string& token, Log log);

  /// Time at which initialization mode will begin, s.
  Status set_start(double time);
  Status enter_initialization();
  Status exit_initialization();
  /// From `now`, which must be where the instance stands, over `length`, s.
  Status step(double now, double length);
  Status terminate();
  Status reset();

  Status get(const std::uint32_t* references, std::size_t count, double* values, std::size_t value_count);
  Status set(const std::uint32_t* references, std::size_t count, const double* values, std::size_t value_count);
  Status output_slopes(const std::uint32_t* references, std::size_t count, const int* orders, double* values, std::size_t value_count);
  Status set_input_slopes(const std::uint32_t* references, std::size_t count, const int* orders, const double* values);

  Status save(void** state);
  Status restore(void* state);
  Status forget(void** state);

  /// For a function that this FMU does not offer.
  Status refuse(const char* what);

  double time() const { return model_->time(); }
  bool has_ended() const { return has_ended_; }

 private:
  enum class Phase { instantiated, initializing, stepping, terminated, failed };
  using StatePointer = std::shared_ptr<const ExportedModel::State>;

  Instance(std::unique_ptr<ExportedModel> model, Log log) : model_(std::move(model)), log_(std::move(log)) {}

  /// Do it if the phase is one of those given; errors become messages.
  Status during(std::initializer_list<Phase> phases, const char* what, const std::function<void()>& work);
  Status complain(const std::string& text);
  const Variable& find(std::uint32_t reference) const;

  std::unique_ptr<ExportedModel> model_;
  Log log_;
  Phase phase_ = Phase::instantiated;
  double start_ = 0.0;
  bool has_ended_ = false;  ///< a block ended the run
  std::set<StatePointer*> states_;

 public:
  ~Instance();
};

}  // namespace counterpoint::exported
