#include "export/functions/exported_instance.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "diagram/execution.hpp"
#include "export/sealed_state.hpp"
#include "numbers.hpp"
#include "recipe/writer.hpp"

namespace counterpoint::exported {
namespace {

constexpr const char* error_category = "logStatusError";
constexpr const char* warning_category = "logStatusWarning";

}  // namespace

std::unique_ptr<ExportedInstance> ExportedInstance::make(const std::string& resources, const std::string& token,
                                                         Log log) {
  try {
    auto model = std::make_unique<ExportedModel>(from_file(resources + "/counterpoint.recipe"), resources);
    if (model->token() != token) {
      log(Status::error, error_category,
          "the token \"" + token + "\" is not that of the model, \"" + model->token() +
              "\"; the description belongs to another FMU");
      return nullptr;
    }
    return std::unique_ptr<ExportedInstance>(new ExportedInstance(std::move(model), log));
  } catch (const std::exception& error) {
    log(Status::error, error_category, error.what());
    return nullptr;
  }
}

ExportedInstance::~ExportedInstance() {
  for (State* state : states_) delete state;
}

Status ExportedInstance::complain(const std::string& text) {
  log_(Status::error, error_category, text);
  return Status::error;
}

Status ExportedInstance::refuse(const char* what) {
  return complain(std::string(what) + ": is not offered, as the description says");
}

Status ExportedInstance::during(Phases phases, const char* what, const std::function<void()>& work) {
  static const char* const names[] = {"instantiated", "in initialization mode",     "in step mode", "terminated",
                                      "failed",       "in intermediate update mode"};
  if (std::find(phases.begin(), phases.end(), phase_) == phases.end()) {
    return complain(std::string(what) + ": cannot be called while the instance is " + names[static_cast<int>(phase_)]);
  }
  try {
    work();
    return Status::ok;
  } catch (const RunEnd& end) {
    has_ended_ = true;
    log_(Status::warning, warning_category, std::string("the model ends the simulation: ") + end.what());
    return Status::discard;
  } catch (const std::exception& error) {
    return complain(model_->explain(error));
  }
}

const Variable& ExportedInstance::find(std::uint32_t reference) const {
  const Variable* found = model_->find(reference);
  if (found == nullptr) throw UserError("no variable has the value reference " + std::to_string(reference));
  return *found;
}

Status ExportedInstance::set_start(double time) {
  return during({Phase::instantiated}, "the start time", [&] {
    if (!std::isfinite(time)) throw UserError("the start time is not finite");
    start_ = time;
  });
}

Status ExportedInstance::enter_initialization() {
  return during({Phase::instantiated}, "EnterInitializationMode", [&] {
    model_->start(start_);
    phase_ = Phase::initializing;
  });
}

Status ExportedInstance::exit_initialization() {
  return during({Phase::initializing}, "ExitInitializationMode", [&] {
    model_->begin();
    phase_ = Phase::stepping;
  });
}

Status ExportedInstance::step(double now, double length) {
  returned_early_ = false;
  return during({Phase::stepping}, "DoStep", [&] {
    if (!std::isfinite(now) || !std::isfinite(length) || length < 0.0)
      throw UserError("DoStep: a step of " + number_text(length) + " s cannot be made");
    const double tolerance = std::max(model_->tolerance(), 1e-9 * std::max(length, std::abs(now)));
    if (std::abs(now - model_->time()) > tolerance) {
      throw UserError("DoStep: begins at " + number_text(now, 9) + " s, but the instance is at " +
                      number_text(model_->time(), 9) + " s");
    }
    if (length == 0.0) return;
    const Phase before = std::exchange(phase_, Phase::failed);
    model_->step(now + length, between_);
    returned_early_ = model_->time() < now + length;
    phase_ = before;
  });
}

void ExportedInstance::look_between(ExportedModel::Between between) {
  between_ = [this, between = std::move(between)](double t) {
    const Phase outside = std::exchange(phase_, Phase::updating);
    const double end = between(t);
    phase_ = outside;
    return end;
  };
}

Status ExportedInstance::terminate() {
  return during({Phase::stepping, Phase::failed}, "Terminate", [&] {
    model_->finish();
    phase_ = Phase::terminated;
  });
}

Status ExportedInstance::reset() {
  return during(any, "Reset", [&] {
    model_->reset();
    start_ = 0.0;
    has_ended_ = false;
    phase_ = Phase::instantiated;
  });
}

Status ExportedInstance::get(const std::uint32_t* references, std::size_t count, double* values,
                             std::size_t value_count) {
  return during(any_or_updating, "Get", [&] {
    for (std::size_t k = 0; k < count; ++k) {
      const Variable& variable = find(references[k]);
      const auto width = static_cast<std::size_t>(variable.width);
      if (width > value_count) throw UserError("Get: the array is too short for all values");
      model_->get(variable, values);
      values += width;
      value_count -= width;
    }
  });
}

Status ExportedInstance::set(const std::uint32_t* references, std::size_t count, const double* values,
                             std::size_t value_count) {
  return during({Phase::instantiated, Phase::initializing, Phase::stepping, Phase::updating}, "Set", [&] {
    for (std::size_t k = 0; k < count; ++k) {
      const Variable& variable = find(references[k]);
      const auto width = static_cast<std::size_t>(variable.width);
      if (width > value_count) throw UserError("Set: too few values");
      const bool may_change = variable.role == Role::input || (variable.role == Role::parameter && is_before_begin());
      if (!may_change)
        throw UserError("variable " + std::to_string(variable.reference) +
                        " cannot be set now: it is an output, or a fixed parameter after initialization");
      model_->set(variable, values);
      values += width;
      value_count -= width;
    }
  });
}

Status ExportedInstance::output_slopes(const std::uint32_t* references, std::size_t count, const int* orders,
                                       double* values, std::size_t value_count) {
  return during({Phase::stepping, Phase::terminated}, "GetOutputDerivatives", [&] {
    for (std::size_t k = 0; k < count; ++k) {
      const Variable& variable = find(references[k]);
      const auto width = static_cast<std::size_t>(variable.width);
      if (variable.role != Role::output || orders[k] != 1)
        throw UserError("only first derivatives of outputs are known");
      if (width > value_count) throw UserError("GetOutputDerivatives: the array is too short for all values");
      model_->output_slope(variable, values);
      values += width;
      value_count -= width;
    }
  });
}

Status ExportedInstance::directional_derivative(const std::uint32_t* unknowns, std::size_t unknown_count,
                                                const std::uint32_t* knowns, std::size_t known_count,
                                                const double* seed, std::size_t seed_count, double* values,
                                                std::size_t value_count) {
  return during({Phase::initializing, Phase::stepping}, "GetDirectionalDerivative", [&] {
    std::vector<ExportedModel::Direction> directions;
    for (std::size_t k = 0; k < known_count; ++k) {
      const Variable& known = find(knowns[k]);
      const auto width = static_cast<std::size_t>(known.width);
      const bool is_known = known.role == Role::input || (known.role == Role::parameter && is_before_begin());
      if (!is_known)
        throw UserError("variable " + std::to_string(known.reference) +
                        " is not known: knowns are inputs and, in initialization mode, parameters");
      if (width > seed_count || !std::all_of(seed, seed + width, [](double value) { return std::isfinite(value); })) {
        throw UserError("GetDirectionalDerivative: expected a seed with a finite number per known");
      }
      directions.push_back({&known, seed});
      seed += width;
      seed_count -= width;
    }
    const std::vector<double> slopes = model_->directional_derivative(directions);
    for (std::size_t k = 0; k < unknown_count; ++k) {
      const Variable& unknown = find(unknowns[k]);
      const auto width = static_cast<std::size_t>(unknown.width);
      if (unknown.role != Role::output)
        throw UserError("variable " + std::to_string(unknown.reference) + " is not unknown: unknowns are outputs");
      if (width > value_count) throw UserError("GetDirectionalDerivative: the array is too short for all values");
      values = std::copy_n(slopes.begin() + unknown.offset, width, values);
      value_count -= width;
    }
  });
}

Status ExportedInstance::set_input_slopes(const std::uint32_t* references, std::size_t count, const int* orders,
                                          const double* values) {
  bool all_used = true;
  const Status status = during({Phase::initializing, Phase::stepping}, "SetRealInputDerivatives", [&] {
    for (std::size_t k = 0; k < count; ++k) {
      const Variable& variable = find(references[k]);
      if (variable.role != Role::input || !std::isfinite(values[k]))
        throw UserError("only inputs have derivatives that can be set, to finite numbers");
      if (orders[k] == 1) model_->set_input_slope(variable, values + k);
      all_used = all_used && orders[k] == 1;
    }
  });
  if (status != Status::ok || all_used) return status;
  log_(Status::warning, warning_category, "SetRealInputDerivatives: only first derivatives are used");
  return Status::warning;
}

Status ExportedInstance::save(void** state) {
  return during(all_but_failed, "GetFMUState", [&] { keep({model_->save(), phase_, start_, has_ended_}, state); });
}

void ExportedInstance::keep(State state, void** place) {
  auto* known = static_cast<State*>(*place);
  if (known != nullptr && states_.count(known) > 0) {
    *known = std::move(state);
    return;
  }
  auto made = std::make_unique<State>(std::move(state));
  states_.insert(made.get());
  *place = made.release();
}

const ExportedInstance::State& ExportedInstance::known(void* state) const {
  auto* found = static_cast<State*>(state);
  if (states_.count(found) == 0) throw UserError("the state does not belong to this instance");
  return *found;
}

Status ExportedInstance::restore(void* state) {
  return during(any, "SetFMUState", [&] {
    const State& found = known(state);
    phase_ = Phase::failed;  // what ran is left, whether the state fits or not
    model_->restore(*found.model);
    start_ = found.start;
    has_ended_ = found.has_ended;
    phase_ = found.phase;
  });
}

Status ExportedInstance::forget(void** state) {
  auto* known = static_cast<State*>(*state);
  if (known == nullptr) return Status::ok;
  if (states_.erase(known) == 0) return complain("FreeFMUState: the state does not belong to this instance");
  delete known;
  *state = nullptr;
  return Status::ok;
}

std::string ExportedInstance::bytes_of(const State& state) const {
  recipe::Writer writer;
  writer(model_->token(), static_cast<int>(state.phase), state.start, state.has_ended);
  model_->write(*state.model, writer);
  return seal(writer.bytes());
}

Status ExportedInstance::size_of_state(void* state, std::size_t* size) {
  return during(any, "SerializedFMUStateSize", [&] { *size = bytes_of(known(state)).size(); });
}

Status ExportedInstance::serialize(void* state, char* bytes, std::size_t size) {
  return during(any, "SerializeFMUState", [&] {
    const std::string made = bytes_of(known(state));
    if (made.size() > size) throw UserError("the array is too short for all bytes");
    std::copy(made.begin(), made.end(), bytes);
  });
}

Status ExportedInstance::deserialize(const char* bytes, std::size_t size, void** state) {
  return during(any, "DeserializeFMUState", [&] {
    const std::string body = unseal({bytes, size});
    recipe::Reader reader(body, "state");
    std::string token;
    int phase = 0;
    State read{};
    reader(token, phase, read.start, read.has_ended);
    if (token != model_->token())
      throw UserError("the state belongs to another FMU (" + token + "; this one is " + model_->token() + ")");
    if (phase < 0 || phase > static_cast<int>(Phase::terminated)) reader.fail("no such phase");
    read.phase = static_cast<Phase>(phase);
    read.model = model_->read_state(reader);
    reader.expect_end();
    keep(std::move(read), state);
  });
}

}  // namespace counterpoint::exported
