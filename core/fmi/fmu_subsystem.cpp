#include "fmi/fmu_subsystem.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <sstream>

#include "coupling/participant.hpp"
#include "fmi/environment.hpp"

namespace counterpoint::fmi {

namespace {

constexpr int most_event_iterations = 1000;
/// Where a line meets the input: the two nodes of Gauss in a step. What differs from it then is orthogonal to all lines,
/// so that a step is right up to order 4 although the FMU knows no more than a line. (Between the ends: order 2.)
constexpr double first_node = 0.21132486540518712;  ///< (3 - sqrt 3) / 6, in shares of the step
constexpr double second_node = 1.0 - first_node;
constexpr double smallest_share = 1.0 / 1024;  ///< of a step that is tried again

/// FMUs that allow one instance a process: those that have it.
class OnlyOnce {
 public:
  static void take(const std::string& token, const std::string& name) {
    const std::lock_guard lock(mutex());
    if (!taken().insert(token).second) {
      throw ComponentFailure("this FMU allows one instance a process (canBeInstantiatedOnlyOncePerProcess), and another one of it is "
                             "running; " + name + " has to run in a process of its own");
    }
  }
  static void give_back(const std::string& token) {
    const std::lock_guard lock(mutex());
    taken().erase(token);
  }

 private:
  static std::mutex& mutex() {
    static std::mutex made;
    return made;
  }
  static std::set<std::string>& taken() {
    static std::set<std::string> made;
    return made;
  }
};

int width_of(const std::vector<Port>& ports) {
  int width = 0;
  for (const Port& port : ports) width += port.width;
  return width;
}

/// The doubles among continuous ports: those that have slopes.
Bundle with_slopes(const std::vector<Port>& ports) {
  Bundle made(Type::float64);
  int offset = 0;
  for (const Port& port : ports) {
    if (port.type == Type::float64 && port.continuous) made.add(port, offset);
    offset += port.width;
  }
  return made;
}

}  // namespace

struct FmuSubsystem::Saved final : SavedState {
  explicit Saved(std::shared_ptr<Instance> owner) : instance(std::move(owner)) {}
  ~Saved() override { instance->release(&state); }
  std::shared_ptr<Instance> instance;  ///< a state cannot outlive the instance it came from
  void* state = nullptr;
  double next_event = 0.0;
  double inner_length = 0.0;
};

FmuSubsystem::FmuSubsystem(LibraryPointer library, FmuSetup setup)
    : library_(std::move(library)),
      setup_(std::move(setup)),
      log_(std::make_shared<Log>()),
      input_width_(width_of(setup_.inputs)),
      inputs_all_(bundle(setup_.inputs)),
      inputs_continuous_(bundle_if(setup_.inputs, true)),
      inputs_discrete_(bundle_if(setup_.inputs, false)),
      outputs_(bundle(setup_.outputs)),
      slopes_in_(with_slopes(setup_.inputs)),
      slopes_out_(with_slopes(setup_.outputs)),
      u_(input_width_),
      u_first_(input_width_),
      slopes_(std::max(slopes_in_.count(), slopes_out_.count())),
      y_(width_of(setup_.outputs)),
      dy_(y_.size()) {
  setup_.instance.may_restore = setup_.can_save;
  if (setup_.input_style == InputStyle::intermediate) {
    intermediate_ = [this](double t) { set_intermediate_inputs(t); };
  }
}

FmuSubsystem::~FmuSubsystem() { finish(); }

Instance& FmuSubsystem::running() const {
  if (!instance_) throw ComponentFailure("the FMU is not running");
  return *instance_;
}

void FmuSubsystem::assign(const std::vector<Assignment>& assignments) {
  for (const Assignment& a : assignments) {
    if (a.type == Type::string || a.type == Type::binary) {
      instance_->set_texts(a.type, {a.reference}, a.texts);
    } else {
      instance_->set(a.type, {a.reference}, a.bytes.data(), a.bytes.size() / size_of(a.type));
    }
  }
}

void FmuSubsystem::start(double t) {
  const KeepFloatingPoint keep;
  finish();
  log_->clear();
  log_->set_time(t);
  if (setup_.only_once) OnlyOnce::take(setup_.instance.token, setup_.instance.name);
  try {
    instance_ = setup_.major == 2 ? make_instance2(library_, setup_.instance, log_) : make_instance3(library_, setup_.instance, log_);
  } catch (...) {
    if (setup_.only_once) OnlyOnce::give_back(setup_.instance.token);
    throw;
  }
  if (!setup_.structure.empty()) {
    instance_->enter_configuration();
    assign(setup_.structure);
    instance_->exit_configuration();
  }
  assign(setup_.values);
  instance_->enter_initialization(t);
  phase_ = Phase::initializing;
  start_ = t;
  inputs_set_ = false;
  next_event_ = Polynomial::infinity;
  first_length_ = 0.0;
  inner_length_ = 0.0;
}

const double* FmuSubsystem::output(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  Instance& instance = running();
  if (phase_ == Phase::initializing) {
    // What others publish is not known when outputs are read for the first time: the FMU's own start values serve better.
    if (inputs_set_) write_inputs(u.at(t));
    inputs_set_ = true;
  }
  for (Bundle& bundle : outputs_) bundle.read(instance, y_.data());
  return y_.data();
}

const double* FmuSubsystem::output_derivative(double, Inputs&) {
  const KeepFloatingPoint keep;
  if (phase_ != Phase::stepping) return dy_.data();  // read again when the FMU has begun; zero until then
  running().get_output_slopes(slopes_out_.references(), slopes_.data(), slopes_out_.count());
  for (std::size_t k = 0; k < slopes_out_.count(); ++k) dy_[slopes_out_.places()[k]] = slopes_[k];
  return dy_.data();
}

bool FmuSubsystem::begin(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  Instance& instance = running();
  if (phase_ != Phase::initializing) return false;
  write_inputs(u.at(t));
  instance.exit_initialization();
  phase_ = Phase::stepping;
  if (setup_.instance.event_mode) handle_events(t, u);
  return true;
}

void FmuSubsystem::write_inputs(const double* u) {
  for (Bundle& bundle : inputs_all_) bundle.write(*instance_, u);
}

void FmuSubsystem::set_inputs(double t, double t_end, Inputs& u) {
  if (inputs_all_.empty()) return;
  switch (setup_.input_style) {
    case InputStyle::start: return write_inputs(u.at(t));
    case InputStyle::middle:
      write_discrete_inputs(t, u);
      return write_continuous_inputs(0.5 * (t + t_end), u);
    case InputStyle::intermediate:
      write_discrete_inputs(t, u);
      inner_start_ = t;
      inner_end_ = t_end;
      return write_continuous_inputs(t + 0.5 * std::min(inner_length_, t_end - t), u);
    case InputStyle::slope: break;
  }
  const double h = t_end - t;
  if (slopes_in_.count() < u_.size()) std::copy_n(u.at(t), u_.size(), u_.begin());
  std::copy_n(u.at(t + first_node * h), u_first_.size(), u_first_.begin());
  const double* second = u.at(t + second_node * h);
  for (std::size_t k = 0; k < slopes_in_.count(); ++k) {
    const int place = slopes_in_.places()[k];
    slopes_[k] = (second[place] - u_first_[place]) / ((second_node - first_node) * h);
    u_[place] = u_first_[place] - first_node * h * slopes_[k];
  }
  write_inputs(u_.data());
  if (slopes_in_.count() > 0) instance_->set_input_slopes(slopes_in_.references(), slopes_.data());
}

void FmuSubsystem::write_discrete_inputs(double t, Inputs& u) {
  if (inputs_discrete_.empty()) return;
  const double* values = u.at(t);
  for (Bundle& bundle : inputs_discrete_) bundle.write(*instance_, values);
}

void FmuSubsystem::write_continuous_inputs(double t, Inputs& u) {
  const double* values = u.at(t);
  for (Bundle& bundle : inputs_continuous_) bundle.write(*instance_, values);
}

/// Called by the FMU within a step: an inner step begins at t.
void FmuSubsystem::set_intermediate_inputs(double t) {
  if (t > inner_start_) inner_length_ = t - inner_start_;
  inner_start_ = t;
  write_continuous_inputs(t + 0.5 * std::clamp(inner_length_, 0.0, std::max(inner_end_ - t, 0.0)), *inputs_);
}

/// The length of a step. Steps that have to be equal are equal to the bit: ends on a grid are not.
double FmuSubsystem::length(double t, double t_end) {
  const double h = t_end - t;
  if (!setup_.equal_steps) return h;
  if (first_length_ == 0.0) first_length_ = h;
  if (std::abs(h - first_length_) > 1e-6 * first_length_) {
    std::ostringstream text;
    text << "a step of " << h << " s after steps of " << first_length_
         << " s; this FMU needs steps of equal length (canHandleVariableCommunicationStepSize = false): let the run end on a multiple of its step";
    throw ComponentFailure(text.str());
  }
  return first_length_;
}

double FmuSubsystem::step(double t, double t_end, Inputs& u) {
  const KeepFloatingPoint keep;
  if (phase_ != Phase::stepping) throw ComponentFailure("the FMU has not begun");
  log_->set_time(t);
  inputs_ = &u;
  double now = t;
  double end = t_end;
  while (true) {
    if (next_event_ < end && next_event_ > now) end = next_event_;
    set_inputs(now, end, u);
    const StepEnd done = try_step(now, end, t_end);
    if (done.terminate) give_up(done, now);
    if (done.discarded) {
      end = done.reached;
      continue;
    }
    now = done.reached;
    if (now > inner_start_) inner_length_ = now - inner_start_;
    if (done.event || now >= next_event_) handle_events(now, u);
    if (now >= t_end || std::abs(t_end - now) <= 1e-12 * std::abs(t_end)) return t_end;
    if (stops_early()) return now;
    end = t_end;
  }
}

/// A step, or where to try to go instead: the state is then what it was before.
StepEnd FmuSubsystem::try_step(double t, double t_end, double original_end) {
  if (setup_.redo_discarded) instance_->save(&step_state_);
  const IntermediateInputs* intermediate = intermediate_ ? &intermediate_ : nullptr;
  const double h = length(t, t_end);
  StepEnd end = instance_->do_step(t, h, intermediate);
  if (!end.discarded) {
    if (end.reached == t + h) end.reached = t_end;
    return end;
  }
  if (end.terminate) return end;
  if (!setup_.redo_discarded || t_end - t < smallest_share * (original_end - t)) give_up(end, t);
  instance_->restore(step_state_);
  const bool usable = end.reached > t && end.reached < t_end;
  end.reached = usable ? end.reached : 0.5 * (t + t_end);
  return end;
}

void FmuSubsystem::give_up(const StepEnd& end, double t) {
  std::ostringstream text;
  text.precision(9);
  const std::string words = log_->last_words();
  if (end.terminate) {
    text << "the FMU asks to end the simulation at t = " << (end.reached > t ? end.reached : t) << " s";
  } else {
    text << (setup_.major == 2 ? "fmi2DoStep" : "fmi3DoStep") << " discarded the step; it could go on to t = " << end.reached << " s";
    if (setup_.redo_discarded) {
      text << ", and steps a thousand times smaller do not help";
    } else if (setup_.can_save) {
      text << "; redo_discarded=True makes such steps again in smaller ones";
    } else {
      text << "; try a smaller step";
    }
  }
  if (!words.empty()) text << "; the FMU said: " << words;
  throw ComponentFailure(text.str());
}

void FmuSubsystem::handle_events(double t, Inputs& u) {
  if (!setup_.instance.event_mode) return;
  // Initialisation ends in event mode by itself.
  if (t > start_) instance_->enter_event_mode();
  write_discrete_inputs(t, u);
  DiscreteUpdate update;
  int count = 0;
  do {
    update = instance_->update_discrete_states();
    if (update.terminate) give_up({t, false, true, false}, t);
    if (++count > most_event_iterations) {
      throw ComponentFailure("its discrete states still change after " + std::to_string(most_event_iterations) + " iterations of an event");
    }
  } while (update.again);
  next_event_ = update.has_next_event ? update.next_event : Polynomial::infinity;
  instance_->enter_step_mode();
}

void FmuSubsystem::burst(Participant& participant, const BurstLimits& limits) { participant.burst(*this, limits); }

std::unique_ptr<SavedState> FmuSubsystem::save() const {
  const KeepFloatingPoint keep;
  if (!setup_.can_save) return nullptr;
  running();
  auto saved = std::make_unique<Saved>(instance_);
  instance_->save(&saved->state);
  saved->next_event = next_event_;
  saved->inner_length = inner_length_;
  return saved;
}

void FmuSubsystem::restore(const SavedState& state) {
  const KeepFloatingPoint keep;
  const Saved& saved = static_cast<const Saved&>(state);
  if (saved.instance != instance_) throw ComponentFailure("the state to restore belongs to another run");
  instance_->restore(saved.state);
  next_event_ = saved.next_event;
  inner_length_ = saved.inner_length;
}

void FmuSubsystem::finish() noexcept {
  if (!instance_) return;
  const KeepFloatingPoint keep;
  try {
    instance_->release(&step_state_);
    if (phase_ == Phase::stepping && !instance_->failed()) instance_->terminate();
  } catch (...) {  // the run is over and its results are there; what the FMU said is in the log
  }
  instance_.reset();
  phase_ = Phase::none;
  if (setup_.only_once) OnlyOnce::give_back(setup_.instance.token);
}

std::vector<double> FmuSubsystem::numbers(const Port& port) {
  Bundle one(port.type);
  one.add(port, 0);
  std::vector<double> values(port.width);
  one.read(running(), values.data());
  return values;
}

std::vector<std::string> FmuSubsystem::texts(const Port& port) {
  return running().get_texts(port.type, {port.reference}, static_cast<std::size_t>(port.width));
}

std::vector<double> FmuSubsystem::directional_derivative(const References& unknowns, const References& knowns,
                                                         const std::vector<double>& seed) {
  std::vector<double> sensitivity(unknowns.size());
  running().directional_derivative(unknowns, knowns, seed.data(), seed.size(), sensitivity.data(), sensitivity.size());
  return sensitivity;
}

}  // namespace counterpoint::fmi
