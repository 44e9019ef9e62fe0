#include "export/exported_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "check.hpp"
#include "coupling/written_network.hpp"

namespace counterpoint::exported {
namespace {

/// As results call the scalar at this place: "force" or "position[2]".
std::string scalar_name(const std::vector<Names>& ports, int place) {
  for (const Names& port : ports) {
    if (place < port.width) return port.width == 1 ? port.name : port.name + "[" + std::to_string(place) + "]";
    place -= port.width;
  }
  return "?";
}

/// State of what has none.
struct Nothing final : SavedState {
  bool write(recipe::Writer&) const override { return true; }
};

}  // namespace

/// Publishes what was set from outside.
class ExportedModel::InputSource final : public Subsystem {
 public:
  explicit InputSource(const ExportedModel& model) : model_(model) {}
  int input_width() const override { return 0; }
  int output_width() const override { return static_cast<int>(model_.inputs_.size()); }
  void start(double) override {}
  double step(double, double t_end, Inputs&) override { return t_end; }
  const double* output(double, Inputs&) override { return model_.inputs_.data(); }
  bool offers_derivatives() const override { return true; }
  const double* output_derivative(double, Inputs&) override { return model_.slopes_.data(); }
  std::unique_ptr<SavedState> save() const override { return std::make_unique<Nothing>(); }
  std::unique_ptr<SavedState> read_state(recipe::Reader&) const override { return std::make_unique<Nothing>(); }

 private:
  const ExportedModel& model_;
};

/// Shows what comes in, at the communication points.
class ExportedModel::OutputSink final : public Subsystem {
 public:
  explicit OutputSink(int width) : width_(width) {}
  int input_width() const override { return width_; }
  int output_width() const override { return width_; }
  void start(double) override {}
  double step(double, double t_end, Inputs&) override { return t_end; }
  const double* output(double t, Inputs& u) override { return u.at(t); }
  double preferred_step() const override { return Polynomial::infinity; }
  std::unique_ptr<SavedState> save() const override { return std::make_unique<Nothing>(); }
  std::unique_ptr<SavedState> read_state(recipe::Reader&) const override { return std::make_unique<Nothing>(); }

 private:
  int width_;
};

struct ExportedModel::State {
  Network::Saved network;
  std::string written;  ///< the network as bytes instead; only one that has begun can read it
  std::map<recipe::Reader::Change, double> changes;
  std::vector<double> inputs, slopes, outputs;
  double start = 0.0;
  double time = 0.0;
  bool is_running = false;  ///< otherwise there is no network yet
};

ExportedModel::ExportedModel(std::string body, std::string resources)
    : body_(std::move(body)), resources_(std::move(resources)), spec_(read_spec(body_, resources_)) {
  for (std::size_t k = 0; k < spec_.variables.size(); ++k) places_[spec_.variables[k].reference] = k;
  std::size_t inputs = 0, outputs = 0;
  for (const Port& port : spec_.inputs) inputs += port.width;
  for (const Port& port : spec_.outputs) outputs += port.width;
  inputs_.resize(inputs);
  slopes_.resize(inputs);
  outputs_.resize(outputs);
  reset();
}

ExportedModel::~ExportedModel() { finish(); }

const Variable* ExportedModel::find(std::uint32_t reference) const {
  const auto found = places_.find(reference);
  return found == places_.end() ? nullptr : &spec_.variables[found->second];
}

void ExportedModel::get(const Variable& v, double* values) {
  switch (v.role) {
    case Role::time:
      *values = time_;
      break;
    case Role::input:
      std::copy_n(inputs_.begin() + v.offset, v.width, values);
      break;
    case Role::output:
      if (!is_running_) initial_outputs();
      std::copy_n(outputs_.begin() + v.offset, v.width, values);
      break;
    case Role::parameter:
      for (int k = 0; k < v.width; ++k) {
        const auto changed = changes_.find({v.product, v.name, v.offset + k});
        values[k] = changed == changes_.end() ? v.start[k] : changed->second;
      }
      break;
  }
}

void ExportedModel::set(const Variable& v, const double* values) {
  if (!std::all_of(values, values + v.width, [](double value) { return std::isfinite(value); })) {
    throw UserError("variable " + std::to_string(v.reference) + ": the value is not finite");
  }
  is_started_ = is_started_ && is_running_;
  if (v.role == Role::input) {
    std::copy_n(values, v.width, inputs_.begin() + v.offset);
    are_inputs_new_ = true;
  } else {
    is_built_ = false;
    for (int k = 0; k < v.width; ++k) changes_[{v.product, v.name, v.offset + k}] = values[k];
  }
}

void ExportedModel::set_input_slope(const Variable& v, const double* values) {
  std::copy_n(values, v.width, slopes_.begin() + v.offset);
}

RunSpec ExportedModel::run_spec(double start) const {
  RunSpec run;
  run.start = start;
  run.until = Polynomial::infinity;
  run.tolerance = std::max(spec_.tolerance, 16.0 * std::abs(std::nextafter(start, Polynomial::infinity) - start));
  run.initial_passes = spec_.initial_passes;
  run.torn = spec_.torn;
  run.connections = spec_.connections;
  for (const ExportedParticipant& participant : spec_.participants) {
    run.participants.push_back(participant.spec);
    run.participants.back().records = false;
  }
  const int source = static_cast<int>(run.participants.size());
  const int sink = source + 1;
  ParticipantSpec outside{std::make_shared<InputSource>(*this), Polynomial::infinity, {}, {}, false, false};
  ParticipantSpec taking{
      std::make_shared<OutputSink>(static_cast<int>(outputs_.size())), 0.0, outputs_, {}, false, false};
  for (int i = 0; i < source; ++i) taking.waits_for.push_back(i);
  int offset = 0;
  for (const Port& port : spec_.inputs) {
    run.participants[port.participant].waits_for.push_back(source);
    run.connections.push_back(
        {source, offset, port.width, port.participant, port.offset, port.width, port.approximation});
    offset += port.width;
  }
  offset = 0;
  for (const Port& port : spec_.outputs) {
    run.connections.push_back(
        {port.participant, port.offset, port.width, sink, offset, port.width, port.approximation});
    offset += port.width;
  }
  run.participants.push_back(std::move(outside));
  run.participants.push_back(std::move(taking));
  return run;
}

void ExportedModel::build() {
  finish();
  scheduler_.reset();
  // Variables stay where they are: a caller may hold a reference to one.
  if (!is_built_) spec_.participants = read_spec(body_, resources_, changes_).participants;
  is_built_ = true;
  scheduler_ = std::make_unique<Scheduler>(run_spec(start_), 1);
}

void ExportedModel::start(double t) {
  start_ = time_ = t;
  is_started_ = is_running_ = false;
  scheduler_.reset();
}

void ExportedModel::initial_outputs() {
  if (is_started_) return;
  build();
  scheduler_->network().start();
  take_outputs();
  is_started_ = true;
}

void ExportedModel::begin() {
  build();
  scheduler_->start();
  take_outputs();
  is_started_ = is_running_ = true;
}

void ExportedModel::step(double t_end, const Between& between) {
  publish_inputs();
  scheduler_->stop_at(t_end);
  while (between) {
    const double next = next_end();
    if (next >= t_end - scheduler_->network().tolerance) break;
    scheduler_->network().participants.back().stop_at(next);
    scheduler_->look_again();
    advance(next);
    are_inputs_new_ = false;
    const double end = std::clamp(between(next), next, t_end);
    if (are_inputs_new_) publish_inputs();
    if (end <= next) return std::fill(slopes_.begin(), slopes_.end(), 0.0);
    scheduler_->stop_at(t_end = end);
  }
  advance(t_end);
  std::fill(slopes_.begin(), slopes_.end(), 0.0);
}

/// Advance all to `time`, and read their outputs there.
void ExportedModel::advance(double time) {
  while (!scheduler_->advance(time, Polynomial::infinity)) forget_records();
  time_ = time;
  take_outputs();
  forget_records();
}

/// When the first of the steps that come next will end.
double ExportedModel::next_end() const {
  const Network& network = scheduler_->network();
  double end = Polynomial::infinity;
  for (std::size_t i = 0; i < spec_.participants.size(); ++i) {
    const Participant& p = network.participants[i];
    end = std::min(end, p.t > time_ + network.tolerance ? p.t : p.t_next);
  }
  return end;
}

void ExportedModel::publish_inputs() {
  Network& network = scheduler_->network();
  const int index = static_cast<int>(network.participants.size()) - 2;
  Participant& source = network.participants[index];
  History& history = source.history;
  if (history.time(history.end() - 1) < time_ - network.tolerance) {
    if (history.room() < 2) network.make_room(index, 64);
    history.append(time_, inputs_.data(), slopes_.data());
    source.t = time_;
    history.commit();
  } else {
    std::copy(inputs_.begin(), inputs_.end(), history.last_value());
    if (history.has_derivatives()) std::copy(slopes_.begin(), slopes_.end(), history.last_derivative());
  }
  for (Participant& p : network.participants) p.inputs->forget_polynomials_of(index);
}

/// What a master continues with: at a jump, the values after it.
void ExportedModel::take_outputs() {
  Inputs& sink = *scheduler_->network().participants.back().inputs;
  sink.begin_at(time_);
  const double* values = sink.at(time_);
  std::copy_n(values, outputs_.size(), outputs_.begin());
}

/// What a run would keep for its result.
void ExportedModel::forget_records() {
  for (Participant& p : scheduler_->network().participants) {
    for (Comparison& comparison : p.comparisons) {
      if (comparison.defect.row_count() > 0) comparison.defect.take_rows();
    }
  }
}

void ExportedModel::finish() noexcept {
  if (scheduler_) scheduler_->network().finish();
}

void ExportedModel::reset() {
  finish();
  scheduler_.reset();
  is_built_ = is_built_ && changes_.empty();
  changes_.clear();
  is_started_ = is_running_ = false;
  start_ = time_ = 0.0;
  std::fill(slopes_.begin(), slopes_.end(), 0.0);
  for (const Variable& v : spec_.variables) {
    if (v.role == Role::input) std::copy(v.start.begin(), v.start.end(), inputs_.begin() + v.offset);
  }
}

std::string ExportedModel::explain(const std::exception& error) {
  if (!scheduler_) return error.what();
  const Failure failure = std::exchange(scheduler_->network().failure, {});  // the next error is another one
  if (failure.participant < 0 || failure.participant >= static_cast<int>(spec_.participants.size()))
    return error.what();
  const ExportedParticipant& participant = spec_.participants[failure.participant];
  const auto& ports = failure.kind == Failure::Kind::signal ? participant.inputs : participant.outputs;
  return failure.sentence(participant.name, failure.port < 0 ? "" : scalar_name(ports, failure.port));
}

ExportedModel::StatePointer ExportedModel::save() const {
  auto state = std::make_shared<State>();
  if (is_running_ && !scheduler_->network().save(state->network))
    throw std::runtime_error("a subsystem cannot save its state");
  state->changes = changes_;
  state->inputs = inputs_;
  state->slopes = slopes_;
  state->outputs = outputs_;
  state->start = start_;
  state->time = time_;
  state->is_running = is_running_;
  return state;
}

void ExportedModel::restore(const State& state) {
  const bool is_same_run = is_running_ && changes_ == state.changes;
  inputs_ = state.inputs;
  if (!is_same_run || start_ != state.start || !state.is_running) {
    is_built_ = is_built_ && changes_ == state.changes;
    changes_ = state.changes;
    start(state.start);
    if (state.is_running) begin();
  }
  if (state.is_running) {
    Network& network = scheduler_->network();
    if (state.written.empty()) {
      network.restore(state.network);
    } else {
      recipe::Reader reader(state.written, "state");
      network.restore(read_network(network, state.time, reader));
    }
    scheduler_->look_again();
  }
  time_ = state.time;
  slopes_ = state.slopes;
  outputs_ = state.outputs;
}

void ExportedModel::write(const State& state, recipe::Writer& writer) const {
  recipe::Writer network;
  if (state.is_running && state.written.empty()) write_network(state.network, network);
  writer(state.changes.size());
  for (const auto& [change, value] : state.changes)
    writer(std::get<0>(change), std::get<1>(change), std::get<2>(change), value);
  writer(state.inputs, state.slopes, state.outputs, state.start, state.time, state.is_running,
         state.written.empty() ? network.bytes() : state.written);
}

ExportedModel::StatePointer ExportedModel::read_state(recipe::Reader& reader) const {
  auto state = std::make_shared<State>();
  std::size_t changes = 0;
  reader(changes);
  for (; changes > 0; --changes) {
    std::uint32_t product = 0, place = 0;
    std::string name;
    double value = 0.0;
    reader(product, name, place, value);
    state->changes[{product, name, place}] = value;
  }
  state->inputs = inputs_;
  state->slopes = slopes_;
  state->outputs = outputs_;
  reader.same_sizes(state->inputs, state->slopes, state->outputs);
  reader(state->start, state->time, state->is_running, state->written);
  if (!std::isfinite(state->start) || !std::isfinite(state->time)) reader.fail("its time is not finite");
  if (state->is_running == state->written.empty()) reader.fail("the states of the subsystems are missing");
  return state;
}

}  // namespace counterpoint::exported
