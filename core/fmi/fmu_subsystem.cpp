#include "fmi/fmu_subsystem.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/cancellation.hpp"
#include "fmi/environment.hpp"
#include "numbers.hpp"

namespace counterpoint::fmi {

namespace {

/// Where a line meets the input: the two nodes of Gauss in a step. What differs from it then is orthogonal to all
/// lines, so that a step is right up to order 4 although the FMU knows no more than a line. (Between the ends:
/// order 2.)
constexpr double first_node = 0.21132486540518712;  ///< (3 - sqrt 3) / 6, in shares of the step
constexpr double second_node = 1.0 - first_node;
constexpr double smallest_share = 1.0 / 1024;  ///< of a step that is tried again

bool has_slope(const Port& port) { return port.type == Type::float64 && port.continuous && port.slope && port.written; }

/// The doubles among continuous ports: those that have slopes.
Bundle with_slopes(const std::vector<Port>& ports) {
  Bundle made(Type::float64);
  int offset = 0;
  for (const Port& port : ports) {
    if (has_slope(port)) made.add(port, offset);
    offset += port.width;
  }
  return made;
}

}  // namespace

FmuSubsystem::FmuSubsystem(LibraryPointer library, FmuSetup setup)
    : FmuBase(std::move(library), std::move(setup)),
      slopes_in_(with_slopes(setup_.inputs)),
      slopes_out_(with_slopes(setup_.outputs)),
      u_(input_width_),
      slopes_(std::max(slopes_in_.count(), slopes_out_.count())),
      discrete_by_event_(setup_.instance.event_mode) {
  if (setup_.input_style == InputStyle::intermediate) {
    intermediate_ = [this](double t) { set_intermediate_inputs(t); };
  }
  holds_ = has_doubles_at_start_only();
}

bool FmuSubsystem::has_doubles_at_start_only() const {
  const auto doubles = [](const Bundles& bundles) {
    return bundles.empty() || (bundles.size() == 1 && bundles.front().is_direct());
  };
  return setup_.input_style == InputStyle::start && !setup_.instance.event_mode && !stops_early() &&
         !setup_.redo_discarded && clocked_inputs_.empty() && clocked_outputs_.empty() && doubles(inputs_all_) &&
         doubles(outputs_);
}

void FmuSubsystem::inputs_bundled() {
  slopes_in_ = with_slopes(setup_.inputs);
  slopes_.resize(std::max(slopes_in_.count(), slopes_out_.count()));
  holds_ = has_doubles_at_start_only();
  if (holds_ && instance_) make_exchange();
}

void FmuSubsystem::start(double t) {
  settings_ = FloatingPoint();
  changes_settings_ = false;
  const WatchFloatingPoint watch(settings_, changes_settings_);
  outputs_read_ = false;
  told_of_discard_ = false;
  inner_length_ = 0.0;
  initialize(t);
  discrete_by_event_ = setup_.instance.event_mode;
  instance_->exchange().length.equal = setup_.equal_steps;
  if (holds_) make_exchange();
}

void FmuSubsystem::make_exchange() {
  const Bundle none(Type::float64);
  const Bundle& in = inputs_all_.empty() ? none : inputs_all_.front();
  const Bundle& out = outputs_.empty() ? none : outputs_.front();
  const std::size_t first = in.count() == 0 ? 0 : static_cast<std::size_t>(in.places().front());
  instance_->set_exchange(in.references(), first, in.count(), out.references(), out.count(), time_);
  instance_->exchange().unusual = [this](const StepEnd& end, double t, double t_end, const double* u, double* y) {
    go_on_held(end, t, t_end, u, y);
  };
}

const double* FmuSubsystem::read_output(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  running();
  if (phase_ == Phase::initializing) return initial_output(t, u);
  read_outputs();
  return y_.data();
}

const double* FmuSubsystem::output_derivative(double, Inputs&) {
  const KeepFloatingPoint keep;
  if (phase_ != Phase::stepping) return dy_.data();  // read again when the FMU has begun; zero until then
  if (slopes_out_.count() == 0) return dy_.data();
  running();
  try {
    instance_->get_output_slopes(slopes_out_.references(), slopes_.data(), slopes_out_.count());
  } catch (const ComponentFailure& refused) {
    blame_output(refused);
  }
  for (std::size_t k = 0; k < slopes_out_.count(); ++k) dy_[slopes_out_.places()[k]] = slopes_[k];
  return dy_.data();
}

/// Which of several derivatives the FMU refuses is found by asking for each.
[[gnu::noinline]] void FmuSubsystem::blame_output(const ComponentFailure& refused) {
  std::string blamed;
  for (const Port& port : setup_.outputs) {
    if (!has_slope(port) || instance_->died()) continue;
    try {
      instance_->get_output_slopes({port.reference}, slopes_.data(), static_cast<std::size_t>(port.width));
    } catch (const ComponentFailure&) {
      blamed += (blamed.empty() ? "\"" : ", \"") + port.name + "\"";
    }
  }
  if (blamed.empty()) blamed = "its outputs";
  throw ComponentFailure("the FMU refuses the derivative of " + blamed + " (" + refused.what() +
                         "); connect with an approximation without derivatives, such as lagrange(1)");
}

bool FmuSubsystem::begin(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  running();
  if (phase_ != Phase::initializing) return false;
  leave_initialization(t, u);
  if (setup_.instance.event_mode) settle(t, u);  // initialisation ends in event mode by itself
  return true;
}

void FmuSubsystem::set_inputs(double t, double t_end, Inputs& u) {
  if (inputs_all_.empty()) return;
  switch (setup_.input_style) {
    case InputStyle::start:
      return discrete_by_event_ ? write_continuous_inputs(t, u) : write_inputs(u.at(t));
    case InputStyle::middle:
      if (!discrete_by_event_) write_discrete_inputs(t, u);
      return write_continuous_inputs(0.5 * (t + t_end), u);
    case InputStyle::intermediate:
      if (!discrete_by_event_) write_discrete_inputs(t, u);
      inner_start_ = t;
      inner_end_ = t_end;
      return write_continuous_inputs(t + 0.5 * std::min(inner_length_, t_end - t), u);
    case InputStyle::slope:
      fit_lines(t, t_end, u);
      return write_lines(t, t_end, u);
    case InputStyle::slope_to_end:
      fit_lines_to_end(t, t_end, u);
      return write_lines(t, t_end, u);
  }
}

/// Lines through the two nodes of Gauss.
void FmuSubsystem::fit_lines(double t, double t_end, Inputs& u) {
  const double h = t_end - t;
  if (slopes_in_.count() < u_.size()) std::copy_n(u.at(t), u_.size(), u_.begin());
  const double* first = u.at(t + first_node * h);
  for (std::size_t k = 0; k < slopes_in_.count(); ++k) u_[slopes_in_.places()[k]] = first[slopes_in_.places()[k]];
  const double* second = u.at(t + second_node * h);
  for (std::size_t k = 0; k < slopes_in_.count(); ++k) {
    const int place = slopes_in_.places()[k];
    slopes_[k] = (second[place] - u_[place]) / ((second_node - first_node) * h);
    u_[place] -= first_node * h * slopes_[k];
  }
}

/// Lines with the same mean that end where the input ends. The lines of Gauss miss it by u'' h^2 / 12, which an output
/// with direct feedthrough hands on: the coupling would be of order 2. These are right up to order 3, and so is it.
void FmuSubsystem::fit_lines_to_end(double t, double t_end, Inputs& u) {
  const double h = t_end - t;
  fit_lines(t, t_end, u);
  const double* last = u.at(t_end);
  for (std::size_t k = 0; k < slopes_in_.count(); ++k) {
    const int place = slopes_in_.places()[k];
    const double mean = u_[place] + 0.5 * h * slopes_[k];
    slopes_[k] = 2.0 * (last[place] - mean) / h;
    u_[place] = last[place] - h * slopes_[k];
  }
}

void FmuSubsystem::write_lines(double t, double t_end, Inputs& u) {
  write_inputs(u_.data());
  if (slopes_in_.count() == 0 || instance_->set_input_slopes(slopes_in_.references(), slopes_.data())) return;
  log_->add(1, "counterpoint",
            "the FMU refuses derivatives of inputs, although its description offers to interpolate them "
            "(canInterpolateInputs); inputs are held at their value in the middle of a step");
  setup_.input_style = InputStyle::middle;
  set_inputs(t, t_end, u);
}

/// Called by the FMU within a step: an inner step begins at t.
void FmuSubsystem::set_intermediate_inputs(double t) {
  if (t > inner_start_) inner_length_ = t - inner_start_;
  inner_start_ = t;
  write_continuous_inputs(t + 0.5 * std::clamp(inner_length_, 0.0, std::max(inner_end_ - t, 0.0)), *inputs_);
}

/// Outputs are read at once: what an FMU did to the floating-point unit is then checked only once per step.
double FmuSubsystem::step(double t, double t_end, Inputs& u) {
  const WatchFloatingPoint watch(settings_, changes_settings_);
  if (phase_ != Phase::stepping) throw ComponentFailure("the FMU has not begun");
  outputs_read_ = false;
  if (holds_) {
    step_held(t, t_end, u.at(t), y_.data());
    time_ = t_end;
    outputs_read_ = true;
    return t_end;
  }
  ForeignCode& code = instance_->code();
  double reached = 0.0;
  if (code.call != nullptr) {  // of many steps
    code.call->turn_to(code);
    reached = go_and_read(t, t_end, u);
  } else {
    ForeignCall call(code);
    reached = call.run([&] { return go_and_read(t, t_end, u); });
  }
  outputs_read_ = true;
  return reached;
}

/// Flat, since all of this is a few lines around the calls of the FMU.
[[gnu::flatten]] double FmuSubsystem::go_and_read(double t, double t_end, Inputs& u) {
  const double reached = go(t, t_end, u);
  read_outputs();
  return reached;
}

void FmuSubsystem::step_held(double t, double t_end, const double* u, double* y) {
  if (instance_->code().call != nullptr) return instance_->step_held(t, t_end, u, y);
  ForeignCall call(instance_->code());
  call.run([&] { instance_->step_held(t, t_end, u, y); });
}

/// Some FMUs end early although they may not.
void FmuSubsystem::go_on_held(const StepEnd& end, double t, double t_end, const double* u, double* y) {
  if (end.terminate || end.discarded) give_up(end, t);
  if (end.reached < t_end && t_end - end.reached > 1e-12 * std::abs(t_end))
    return instance_->step_held(end.reached, t_end, u, y);
  read_outputs();
  std::copy(y_.begin(), y_.end(), y);
}

inline double FmuSubsystem::go(double t, double t_end, Inputs& u) {
  log_->set_time(t);
  inputs_ = &u;
  has_before_ = false;
  if (discrete_by_event_ && discrete_inputs_changed(t, u)) handle_events(t, u);
  double now = t;
  double end = t_end;
  bool shortened = false;
  while (true) {
    Cancellation::check();
    // One that differs from the end of the step by rounding is the end.
    if (next_event_ > now && next_event_ < end + 1e-9 * (t_end - now)) end = next_event_;
    set_inputs(now, end, u);
    const StepEnd done = try_step(now, end, t_end);
    if (done.terminate) give_up(done, now);
    if (done.discarded) {
      end = done.reached;
      shortened = true;
      continue;
    }
    now = time_ = done.reached;
    if (now > inner_start_) inner_length_ = now - inner_start_;
    if (done.event || now >= next_event_) {
      if (setup_.instance.early_return) note_outputs_before();
      handle_events(now, u);
    }
    if (now >= t_end || std::abs(t_end - now) <= 1e-12 * std::abs(t_end)) return t_end;
    if (shortened || done.cut_short || setup_.instance.early_return) return now;
    end = t_end;
  }
}

/// A step, or where to try to go instead: the state is then what it was before.
StepEnd FmuSubsystem::try_step(double t, double t_end, double original_end) {
  const bool saves = setup_.redo_discarded && setup_.can_save;
  if (saves) instance_->save(&step_state_);
  const IntermediateInputs* intermediate = intermediate_ ? &intermediate_ : nullptr;
  const StepLength::Step step = instance_->exchange().length.of(t, t_end);
  StepEnd end = instance_->do_step(step.t, step.length, intermediate);
  if (!end.discarded) {
    if (end.reached == step.t + step.length) end.reached = t_end;
    return end;
  }
  if (end.terminate) return end;
  const bool usable = end.reached > t && end.reached < t_end;
  if (!setup_.redo_discarded || t_end - t < smallest_share * (original_end - t)) give_up(end, t);
  if (saves) {
    instance_->restore(step_state_);
  } else if (setup_.major < 3) {
    if (!usable) give_up(end, t);
    go_on_after_discard(end);
    return end;
  }
  end.reached = usable ? end.reached : 0.5 * (t + t_end);
  return end;
}

/// FMI 1 and 2: the FMU is at the time that it reached, and cannot be set back. (In FMI 3 a discarded call leaves the
/// FMU as it was.)
[[gnu::noinline]] void FmuSubsystem::go_on_after_discard(StepEnd& end) {
  end.discarded = false;
  end.cut_short = true;
  if (told_of_discard_) return;
  told_of_discard_ = true;
  Text text(9);
  text << "the FMU discarded a step that it had computed up to t = " << end.reached
       << " s, and its state cannot be saved: the run continues from there, as after all such steps";
  log_->add(1, "counterpoint", text.str());
}

[[gnu::noinline]] void FmuSubsystem::give_up(const StepEnd& end, double t) {
  if (end.terminate) {
    outputs_read_ = false;
    time_ = std::max(end.reached, t);
    end_simulation(time_);
  }
  Text text(9);
  text << (setup_.major == 1 ? "fmiDoStep" : setup_.major == 2 ? "fmi2DoStep" : "fmi3DoStep") << " discarded the step";
  if (end.reached > t)
    text << "; it could continue to t = " << end.reached << " s";
  else
    text << " and does not say how far it could go";
  const bool can_redo = setup_.can_save || setup_.major == 3 || end.reached > t;
  if (setup_.redo_discarded && can_redo) {
    text << ", and steps a thousand times smaller do not help";
  } else if (can_redo && !setup_.redo_discarded) {
    text << "; redo_discarded=True repeats such steps in smaller ones (command line: --set redo_discarded=true, "
            "in a system --set NAME.redo_discarded=true)";
  } else {
    text << "; try a smaller step";
  }
  const std::string words = log_->last_words();
  if (!words.empty()) text << "; the FMU said: " << words;
  throw ComponentFailure(text.str());
}

/// Steps of many FMUs: each one says whose it is.
void FmuSubsystem::in_foreign_call(void* const* models, std::size_t count, void (*work)(void*), void* argument) {
  struct Together {
    Together(void* const* all, std::size_t n, ForeignCall& call) : models(all), count(n) { set(&call); }
    ~Together() { set(nullptr); }
    void set(ForeignCall* call) const {
      for (std::size_t i = 0; i < count; ++i) static_cast<Instance*>(models[i])->code().call = call;
    }
    void* const* models;
    std::size_t count;
  };
  ForeignCode of_all;
  ForeignCall call(of_all);
  const Together together(models, count, call);
  call.run([&] { work(argument); });
}

[[gnu::noinline]] void FmuSubsystem::handle_events(double t, Inputs& u) {
  if (!setup_.instance.event_mode) return;
  instance_->enter_event_mode();
  settle(t, u);
}

/// In event mode: new discrete inputs, new discrete states, and back to steps.
void FmuSubsystem::settle(double t, Inputs& u) {
  for (int count = 0;; ++count) {
    update_until_settled(t, u);
    instance_->enter_step_mode();
    if (next_event_ > t) return;
    if (count == most_repetitions) refuse_event(t);
    instance_->enter_event_mode();
  }
}

FmuSubsystem::HeldStep FmuSubsystem::held_step() {
  if (!holds_ || changes_settings_ || !instance_) return {};
  return {instance_->held_function(), instance_.get(), in_foreign_call};
}

FmuSubsystem::Guard FmuSubsystem::guard() {
  if (!instance_) return {};
  return {in_foreign_call, instance_.get()};
}

void FmuSubsystem::keep_memory(std::vector<double>& into) const {
  into.assign({time_, next_event_, inner_length_, instance_->exchange().length.last});
  put_shared(into);
}

void FmuSubsystem::set_memory(const std::vector<double>& memory) {
  check_memory(memory.size(), 4 + shared_size());
  outputs_read_ = false;
  time_ = memory[0];
  next_event_ = memory[1];
  inner_length_ = memory[2];
  instance_->exchange().length.last = memory[3];
  take_shared(memory.data() + 4);
}

}  // namespace counterpoint::fmi
