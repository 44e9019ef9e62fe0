#include "fmi/fmu_base.hpp"

#include <algorithm>
#include <cmath>

#include "fmi/environment.hpp"
#include "fmi/only_once.hpp"
#include "fmi/refused.hpp"
#include "numbers.hpp"
#include "recipe/factory.hpp"

namespace counterpoint::fmi {
namespace {

constexpr int most_event_iterations = 1000;

int width_of(const std::vector<Port>& ports) {
  int width = 0;
  for (const Port& port : ports) width += port.width;
  return width;
}

/// Whether it matters that they change.
bool has_discrete(const std::vector<Port>& ports) {
  return std::any_of(ports.begin(), ports.end(), [](const Port& p) { return !p.continuous && p.clocks.empty(); });
}

}  // namespace

struct FmuBase::Saved final : SavedState {
  explicit Saved(std::shared_ptr<Instance> owner) : instance(std::move(owner)) { instance->note_saved_state(); }
  ~Saved() override {
    instance->note_released_state();
    instance->release(&state);
  }
  bool write(recipe::Writer& writer) const override {
    const KeepFloatingPoint keep;
    writer(memory, instance->serialize(state));
    return true;
  }
  std::shared_ptr<Instance> instance;  ///< a state cannot outlive the instance it came from
  void* state = nullptr;
  std::vector<double> memory;
};

FmuBase::FmuBase(LibraryPointer library, FmuSetup setup)
    : library_(std::move(library)),
      setup_(std::move(setup)),
      log_(std::make_shared<Log>()),
      input_width_(width_of(setup_.inputs)),
      outputs_(bundle_without_clocks(setup_.outputs)),
      y_(width_of(setup_.outputs)),
      dy_(y_.size()),
      u_discrete_(has_discrete(setup_.inputs) ? input_width_ : 0),
      clocks_(setup_.clocks),
      clocked_outputs_(clocked_ports(setup_.outputs)) {
  log_->note_logging(setup_.instance.logging);
  setup_.instance.may_restore = setup_.redo_discarded && setup_.can_save;
  bundle_inputs();
}

void FmuBase::bundle_inputs() {
  inputs_all_ = bundle(setup_.inputs);
  inputs_continuous_ = bundle_if(setup_.inputs, true);
  inputs_discrete_ = bundle_if(setup_.inputs, false);
  clocked_inputs_ = clocked_ports(setup_.inputs);
}

void FmuBase::write_input(int offset) {
  if (!mark_written(setup_.inputs, offset)) return;
  bundle_inputs();
  // Whatever comes differs from what the FMU has: a discrete input is an event.
  if (!u_discrete_.empty()) std::fill(u_discrete_.begin(), u_discrete_.end(), Polynomial::infinity);
  inputs_bundled();
}

FmuBase::~FmuBase() { FmuBase::finish(); }

Instance& FmuBase::running() const {
  if (!instance_) throw ComponentFailure("the FMU is not running");
  return *instance_;
}

void FmuBase::assign(const std::vector<Assignment>& assignments) {
  for (const Assignment& a : assignments) {
    if (a.type == Type::string || a.type == Type::binary) {
      instance_->set_texts(a.type, {a.reference}, a.texts);
    } else {
      instance_->set(a.type, {a.reference}, a.bytes.data(), a.bytes.size() / size_of(a.type));
    }
  }
}

namespace {

/// Some FMUs offer event mode and then refuse it; without clocks they handle events inside their steps as well.
std::unique_ptr<Instance> made_instance(const LibraryPointer& library, FmuSetup& setup,
                                        const std::shared_ptr<Log>& log) {
  try {
    return make_instance(setup.major, library, setup.instance, log);
  } catch (const InstanceRefused&) {
    if (!setup.instance.event_mode || !setup.clocks.empty()) throw;
  }
  setup.instance.event_mode = setup.instance.early_return = false;
  std::unique_ptr<Instance> made = make_instance(setup.major, library, setup.instance, log);
  log->add(
      1, "counterpoint",
      "the FMU refuses event mode, although its description offers it (hasEventMode); it handles its events inside "
      "its steps");
  return made;
}

}  // namespace

void FmuBase::initialize(double t) {
  finish();
  take_spare();
  log_->clear();
  log_->set_time(t);
  if (!instance_) {
    if (setup_.only_once) OnlyOnce::take(setup_.instance.token, setup_.instance.name);
    try {
      instance_ = made_instance(library_, setup_, log_);
    } catch (...) {
      if (setup_.only_once) OnlyOnce::give_back(setup_.instance.token);
      throw;
    }
  }
  start_ = time_ = t;
  inputs_set_ = has_before_ = outputs_later_ = false;
  next_event_ = Polynomial::infinity;
  if (!setup_.state.empty()) return take_over_state(t);
  if (!setup_.structure.empty()) {
    instance_->enter_configuration();
    assign(setup_.structure);
    instance_->exit_configuration();
  }
  assign(setup_.values);
  // Some FMUs forget in between what they were given.
  if (instance_->set_up_experiment(t)) assign(setup_.values);
  instance_->enter_initialization(t);
  phase_ = Phase::initializing;
}

void FmuBase::take_spare() {
  if (!setup_.spare) return;
  SpareInstance::Kept kept = setup_.spare->take(setup_.instance);
  if (!kept.instance) return;
  instance_ = std::move(kept.instance);
  log_ = std::move(kept.log);
}

/// Saved states hold the instance as well: one that has any is not kept.
void FmuBase::keep_as_spare() {
  if (!setup_.spare || setup_.only_once || instance_.use_count() > 1 || !instance_->reset()) return;
  instance_->exchange() = {};
  log_->stop_following();
  setup_.spare->put(setup_.instance, {instance_, log_});
}

/// The FMU continues where it was when its state was serialised.
void FmuBase::take_over_state(double t) {
  void* state = instance_->deserialize(setup_.state);
  try {
    instance_->restore(state);
  } catch (...) {
    instance_->release(&state);
    throw;
  }
  instance_->release(&state);
  phase_ = Phase::stepping;
  set_memory(setup_.memory);
  if (std::abs(time_ - t) <= 1e-9 * (1.0 + std::abs(t))) return;
  Text text(9);
  text << "the initial state was saved at t = " << time_ << " s, and the run begins at t = " << t
       << " s; start the run at the time of the state";
  throw ComponentFailure(text.str());
}

void FmuBase::check_memory(std::size_t given, std::size_t needed) {
  if (given != needed)
    throw ComponentFailure("the initial state does not fit this FMU; it has other inputs, states or events");
}

void FmuBase::leave_initialization(double t, Inputs& u) {
  write_inputs(u.at(t));
  clocks_.initialize(*instance_, t);
  instance_->exit_initialization();
  phase_ = Phase::stepping;
}

const double* FmuBase::initial_output(double t, Inputs& u) {
  // What others publish is not known when outputs are read for the first time: the FMU's own start values serve better.
  if (inputs_set_) write_inputs(u.at(t));
  const bool too_early = reading_initializes() && !inputs_set_;
  inputs_set_ = true;
  if (too_early || outputs_later_) return y_.data();
  try {
    read_outputs();
  } catch (const ComponentFailure& refused) {
    if (instance_->died()) throw;
    begin_without_outputs(t, refused.what());
  }
  return y_.data();
}

/// After an error FMI allows nothing but to free an instance, and some tools insist on that: it begins again. One that
/// may exist only once in a process continues.
void FmuBase::begin_without_outputs(double t, const std::string& refused) {
  if (setup_.only_once) {
    instance_->go_on_after_refusal();
  } else {
    initialize(t);
  }
  inputs_set_ = outputs_later_ = true;
  std::fill(y_.begin(), y_.end(), 0.0);
  log_->add(1, "counterpoint",
            "the FMU does not provide its outputs in initialisation mode (" + refused +
                "); others begin with 0 for them, and get them when it has left that mode");
}

void FmuBase::read_clocked_outputs() {
  for (ClockedPort& port : clocked_outputs_) {
    if (phase_ == Phase::initializing || clocks_.is_active(port.clocks)) port.values.read(*instance_, y_.data());
  }
}

void FmuBase::note_outputs_before() {
  read_outputs();
  before_ = y_;
  has_before_ = true;
}

void FmuBase::write_discrete_inputs(double t, Inputs& u) {
  if (inputs_discrete_.empty()) return;
  const double* values = u.at(t);
  for (Bundle& bundle : inputs_discrete_) bundle.write(*instance_, values);
  std::copy_n(values, u_discrete_.size(), u_discrete_.begin());
}

bool FmuBase::discrete_inputs_changed(double t, Inputs& u) {
  if (inputs_discrete_.empty()) return false;
  const double* values = u.at(t);
  for (const Bundle& bundle : inputs_discrete_) {
    for (int place : bundle.places()) {
      if (values[place] != u_discrete_[place]) return true;
    }
  }
  return false;
}

void FmuBase::write_continuous_inputs(double t, Inputs& u) {
  const double* values = u.at(t);
  for (Bundle& bundle : inputs_continuous_) bundle.write(*instance_, values);
}

DiscreteUpdate FmuBase::update_until_settled(double t, Inputs& u) {
  write_discrete_inputs(t, u);
  clocks_.tick(*instance_, t);
  for (ClockedPort& port : clocked_inputs_) {
    if (clocks_.is_active(port.clocks)) port.values.write(*instance_, u.at(t));
  }
  DiscreteUpdate all;
  for (int count = 0;; ++count) {
    clocks_.look(*instance_, t);
    read_clocked_outputs();
    const DiscreteUpdate one = instance_->update_discrete_states();
    clocks_.rest();
    if (one.terminate) end_simulation(t);
    all.nominals_changed = all.nominals_changed || one.nominals_changed;
    all.states_changed = all.states_changed || one.states_changed;
    all.has_next_event = one.has_next_event;
    all.next_event = one.next_event;
    if (!one.again) break;
    if (count == most_event_iterations) {
      // FMI 1 was asked for final results only, which one update gives: some FMUs never say that they have.
      if (setup_.major == 1 && !one.states_changed) break;
      throw ComponentFailure("its discrete states still change after " + std::to_string(most_event_iterations) +
                             " iterations of an event");
    }
  }
  clocks_.look(*instance_, t);  // the update may have begun a countdown
  clocks_.rest();
  next_event_ = std::min(all.has_next_event ? all.next_event : Polynomial::infinity, clocks_.next());
  return all;
}

void FmuBase::refuse_event(double t) const {
  Text text(17);
  text << "it asks for its next event at t = " << next_event_ << " s, which does not come after the event at t = " << t
       << " s";
  throw ComponentFailure(text.str());
}

void FmuBase::put_shared(std::vector<double>& memory) const {
  if (!u_discrete_.empty()) memory.insert(memory.end(), u_discrete_.begin(), u_discrete_.end());
  clocks_.add_memory(memory);
  if (!clocked_outputs_.empty()) memory.insert(memory.end(), y_.begin(), y_.end());
}

const double* FmuBase::take_shared(const double* memory) {
  std::copy_n(memory, u_discrete_.size(), u_discrete_.begin());
  memory += u_discrete_.size();
  clocks_.set_memory(memory);
  memory += clocks_.memory_size();
  if (!clocked_outputs_.empty()) std::copy_n(memory, y_.size(), y_.begin());
  return memory + (clocked_outputs_.empty() ? 0 : y_.size());
}

std::size_t FmuBase::shared_size() const {
  return u_discrete_.size() + clocks_.memory_size() + (clocked_outputs_.empty() ? 0 : y_.size());
}

void FmuBase::end_simulation(double t) {
  Text text(9);
  text << "the FMU \"" << setup_.instance.name << "\" ended the run at t = " << t << " s";
  const std::string words = log_->last_words();
  if (!words.empty()) text << "; it said: " << words;
  throw RunEnd(text.str(), t);
}

std::unique_ptr<SavedState> FmuBase::save() const {
  const KeepFloatingPoint keep;
  if (!setup_.can_save) return nullptr;
  running();
  auto saved = std::make_unique<Saved>(instance_);
  instance_->save(&saved->state);
  keep_memory(saved->memory);
  return saved;
}

bool FmuBase::save_again(SavedState& state) const {
  const KeepFloatingPoint keep;
  Saved& saved = static_cast<Saved&>(state);
  if (saved.instance != instance_) return false;
  running();
  instance_->save(&saved.state);
  keep_memory(saved.memory);
  return true;
}

void FmuBase::restore(const SavedState& state) {
  const KeepFloatingPoint keep;
  const Saved& saved = static_cast<const Saved&>(state);
  if (saved.instance != instance_) throw ComponentFailure("the state to restore belongs to another run");
  instance_->restore(saved.state);
  set_memory(saved.memory);
  has_before_ = false;
}

std::unique_ptr<SavedState> FmuBase::read_state(recipe::Reader& reader) const {
  const KeepFloatingPoint keep;
  running();
  auto made = std::make_unique<Saved>(instance_);
  std::vector<std::uint8_t> bytes;
  made->memory = memory();
  reader.same_sizes(made->memory);
  reader(bytes);
  made->state = instance_->deserialize(bytes);
  return made;
}

std::vector<std::uint8_t> FmuBase::serialize() {
  const KeepFloatingPoint keep;
  if (running().failed() || phase_ != Phase::stepping) throw ComponentFailure("the FMU has not begun");
  Saved saved(instance_);
  instance_->save(&saved.state);
  return instance_->serialize(saved.state);
}

void FmuBase::finish() noexcept {
  if (!instance_) return;
  const KeepFloatingPoint keep;
  try {
    instance_->release(&step_state_);
    if (phase_ == Phase::stepping && !instance_->failed()) {
      instance_->terminate();
      keep_as_spare();
    }
  } catch (const std::exception& failure) {  // the run is over and its results are there
    instance_->say_at_end(failure);
  }
  instance_.reset();
  phase_ = Phase::none;
  if (setup_.only_once) OnlyOnce::give_back(setup_.instance.token);
}

std::vector<double> FmuBase::numbers(const Port& port) {
  Bundle one(port.type);
  one.add(port, 0);
  std::vector<double> values(port.width);
  one.read(running(), values.data());
  return values;
}

std::vector<std::string> FmuBase::texts(const Port& port) {
  return running().get_texts(port.type, {port.reference}, static_cast<std::size_t>(port.width));
}

std::vector<double> FmuBase::directional_derivative(const References& unknowns, const References& knowns,
                                                    const std::vector<double>& seed, std::size_t width) {
  std::vector<double> sensitivity(width);
  running().directional_derivative(unknowns, knowns, seed.data(), seed.size(), sensitivity.data(), sensitivity.size());
  return sensitivity;
}

}  // namespace counterpoint::fmi
