#include "export/exported_model.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

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
  std::unique_ptr<SavedState> save() const override { return std::make_unique<SavedState>(); }

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
  double next_step() const override { return Polynomial::infinity; }
  std::unique_ptr<SavedState> save() const override { return std::make_unique<SavedState>(); }

 private:
  int width_;
};

struct ExportedModel::State {
  Network::Saved network;
  std::map<recipe::Reader::Change, double> changes;
  std::vector<double> inputs, slopes, outputs;
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
    case Role::time: *values = time_; break;
    case Role::input: std::copy_n(inputs_.begin() + v.offset, v.width, values); break;
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
    throw std::invalid_argument("variable " + std::to_string(v.reference) + ": the value is not finite");
  }
  is_started_ = is_started_ && is_running_;
  if (v.role == Role::input) {
    std::copy_n(values, v.width, inputs_.begin() + v.offset);
  } else {
    is_built_ = false;
    for (int k = 0; k < v.width; ++k) changes_[{v.product, v.name, v.offset + k}] = values[k];
  }
}

void ExportedModel::set_input_slope(const Variable& v, const double* values) {
  std::copy_n(values, v.width, slopes_.begin() + v.offset);
}

void ExportedModel::output_slope(const Variable& v, double* values) {
  const Port* port = spec_.outputs.data();
  int first = 0;
  while (first + port->width <= v.offset) first += port++->width;
  if (v.offset + v.width > first + port->width) throw std::invalid_argument("a variable lies in several ports");
  Participant& p = scheduler_->network().participants[port->participant];
  if (p.subsystem->offers_derivatives() && std::abs(p.t - time_) <= spec_.tolerance) {
    const double* slopes = p.subsystem->output_derivative(p.t, *p.inputs);
    std::copy_n(slopes + port->offset + (v.offset - first), v.width, values);
    return;
  }
  // Beyond the communication point: the slope of what lies between the samples, backwards from here.
  Inputs& sink = *scheduler_->network().participants.back().inputs;
  const double interval = 1e3 * std::max(spec_.tolerance, 1e-9 * std::abs(time_));
  std::copy_n(sink.at(time_) + v.offset, v.width, values);
  const double* before = sink.at(time_ - interval) + v.offset;
  for (int k = 0; k < v.width; ++k) values[k] = (values[k] - before[k]) / interval;
}

RunSpec ExportedModel::run_spec(double start) const {
  RunSpec run;
  run.start = start;
  run.until = Polynomial::infinity;
  run.tolerance = std::max(spec_.tolerance, 16.0 * std::abs(std::nextafter(start, Polynomial::infinity) - start));
  run.initial_passes = spec_.initial_passes;
  run.torn = spec_.torn;
  run.connections = spec_.connections;
  for (const Member& member : spec_.members) {
    run.participants.push_back(member.spec);
    run.participants.back().records = false;
  }
  const int source = static_cast<int>(run.participants.size());
  const int sink = source + 1;
  ParticipantSpec outside{std::make_shared<InputSource>(*this), Polynomial::infinity, {}, {}, false, false};
  ParticipantSpec taking{std::make_shared<OutputSink>(static_cast<int>(outputs_.size())), 0.0, outputs_, {}, false, false};
  for (int i = 0; i < source; ++i) taking.waits_for.push_back(i);
  int offset = 0;
  for (const Port& port : spec_.inputs) {
    run.participants[port.participant].waits_for.push_back(source);
    run.connections.push_back({source, offset, port.width, port.participant, port.offset, port.width, port.approximation});
    offset += port.width;
  }
  offset = 0;
  for (const Port& port : spec_.outputs) {
    run.connections.push_back({port.participant, port.offset, port.width, sink, offset, port.width, port.approximation});
    offset += port.width;
  }
  run.participants.push_back(std::move(outside));
  run.participants.push_back(std::move(taking));
  return run;
}

void ExportedModel::build() {
  finish();
  scheduler_.reset();
  // Variables stay where they are: somebody may be looking at one.
  if (!is_built_) spec_.members = read_spec(body_, resources_, changes_).members;
  is_built_ = true;
  scheduler_ = std::make_unique<Scheduler>(run_spec(time_), 1);
}

void ExportedModel::start(double t) {
  time_ = t;
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

void ExportedModel::step(double t_end) {
  publish_inputs();
  scheduler_->stop_at(t_end);
  while (!scheduler_->advance(t_end, Polynomial::infinity)) forget_records();
  time_ = t_end;
  take_outputs();
  forget_records();
  std::fill(slopes_.begin(), slopes_.end(), 0.0);
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

void ExportedModel::take_outputs() {
  const double* values = scheduler_->network().participants.back().inputs->at(time_);
  std::copy_n(values, outputs_.size(), outputs_.begin());
}

/// What a run would keep for its result.
void ExportedModel::forget_records() {
  for (Participant& p : scheduler_->network().participants) {
    for (Defect& defect : p.defects) {
      if (defect.row_count() > 0) defect.take_rows();
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
  time_ = 0.0;
  std::fill(slopes_.begin(), slopes_.end(), 0.0);
  for (const Variable& v : spec_.variables) {
    if (v.role == Role::input) std::copy(v.start.begin(), v.start.end(), inputs_.begin() + v.offset);
  }
}

std::string ExportedModel::failure_place() const {
  if (!scheduler_) return "";
  const Failure& failure = scheduler_->network().failure;
  if (failure.subsystem < 0 || failure.subsystem >= static_cast<int>(spec_.members.size())) return "";
  std::ostringstream text;
  text.precision(9);
  const Member& member = spec_.members[failure.subsystem];
  text << member.name;
  if (failure.end > failure.start) {
    text << ": step from t = " << failure.start << " s to " << failure.end << " s failed: ";
  } else {
    text << ": start at t = " << failure.start << " s failed: ";
  }
  if (failure.kind == Failure::Kind::not_finite) text << "output \"" << scalar_name(member.outputs, failure.output) << "\" is ";
  if (failure.kind == Failure::Kind::signal && failure.output >= 0) text << "input \"" << scalar_name(member.inputs, failure.output) << "\" is ";
  return text.str();
}

std::shared_ptr<const ExportedModel::State> ExportedModel::save() const {
  auto state = std::make_shared<State>();
  if (is_running_ && !scheduler_->network().save(state->network)) throw std::runtime_error("a subsystem cannot save its state");
  state->changes = changes_;
  state->inputs = inputs_;
  state->slopes = slopes_;
  state->outputs = outputs_;
  state->time = time_;
  state->is_running = is_running_;
  return state;
}

void ExportedModel::restore(const State& state) {
  const bool is_same_run = is_running_ && changes_ == state.changes;
  inputs_ = state.inputs;
  time_ = state.time;
  if (!is_same_run || !state.is_running) {
    is_built_ = is_built_ && changes_ == state.changes;
    changes_ = state.changes;
    start(time_);
    if (state.is_running) begin();
  }
  if (state.is_running) {
    scheduler_->network().restore(state.network);
    scheduler_->look_again();
  }
  slopes_ = state.slopes;
  outputs_ = state.outputs;
}

}  // namespace counterpoint::exported
