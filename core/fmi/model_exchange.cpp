#include "fmi/model_exchange.hpp"

#include <algorithm>
#include <cmath>

#include "fmi/environment.hpp"
#include "fmi/fmu_subsystem.hpp"

namespace counterpoint::fmi {

std::unique_ptr<FmuBase> make_fmu(LibraryPointer library, FmuSetup setup) {
  if (setup.instance.kind == Kind::co_simulation)
    return std::make_unique<FmuSubsystem>(std::move(library), std::move(setup));
  return std::make_unique<ModelExchangeSubsystem>(std::move(library), std::move(setup));
}

ModelExchangeSubsystem::ModelExchangeSubsystem(LibraryPointer library, FmuSetup setup)
    : FmuBase(std::move(library), std::move(setup)),
      order_(make_method(setup_.integration.solver, 0, setup_.integration.options)->control_order()),
      control_(setup_.integration.options) {
  setup_.instance.kind = Kind::model_exchange;
}

void ModelExchangeSubsystem::start(double t) {
  const KeepFloatingPoint keep;
  method_.reset();
  statistics_ = {};
  short_step_ = 0.0;
  earliest_ = t;
  if (order_ > 0) control_.start({1.0}, order_);
  initialize(t);
}

/// Everything whose size follows from the numbers of states and event indicators.
void ModelExchangeSubsystem::prepare() {
  const std::size_t n = instance_->state_count(setup_.integration.states);
  const std::size_t m = instance_->indicator_count(setup_.integration.indicators);
  method_ = make_method(setup_.integration.solver, static_cast<int>(n), setup_.integration.options);
  CrossingModel& model = *this;
  location_ = std::make_unique<EventLocation>(*method_, model, static_cast<int>(n), static_cast<int>(m));
  chatter_ = ChatterWatch(static_cast<int>(m) + 1);
  for (std::vector<double>* one : {&x_, &x_end_, &slope_, &raw_}) one->assign(n, 0.0);
  scale_.assign(n, 1.0);
  g_.assign(m, 0.0);
  g_end_.assign(m, 0.0);
}

bool ModelExchangeSubsystem::begin(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  running();
  if (phase_ != Phase::initializing) return false;
  inputs_ = &u;
  leave_initialization(t, u);  // into event mode
  prepare();
  settle();
  read_nominals();
  read_states();
  return true;
}

void ModelExchangeSubsystem::read_states() {
  instance_->get_states(raw_.data(), raw_.size());
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = raw_[i] / scale_[i];
}

void ModelExchangeSubsystem::read_nominals() {
  instance_->get_nominals(raw_.data(), raw_.size());
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double nominal = std::abs(raw_[i]);
    const bool usable = std::isnormal(nominal);
    if (!usable) {
      log_->add(
          1, "counterpoint",
          "the nominal value of state \"" + name_of_state(i) + "\" is " + std::to_string(raw_[i]) + "; 1 is taken");
    }
    const double scale = usable ? std::ldexp(1.0, std::ilogb(nominal)) : 1.0;
    x_[i] *= scale_[i] / scale;
    scale_[i] = scale;
  }
}

std::string ModelExchangeSubsystem::name_of_state(std::size_t i) const {
  std::size_t offset = 0;
  for (const StateVariable& v : setup_.integration.state_variables) {
    const std::size_t width = v.width;
    if (i < offset + width) return width == 1 ? v.name : v.name + "[" + std::to_string(i - offset) + "]";
    offset += width;
  }
  return std::to_string(i);
}

const double* ModelExchangeSubsystem::output(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  running();
  if (phase_ == Phase::initializing) {
    // What others publish is not known when outputs are read for the first time: the FMU's own start values serve
    // better.
    if (inputs_set_) write_inputs(u.at(t));
    inputs_set_ = true;
  } else if (setup_.integration.outputs_use_inputs) {
    write_continuous_inputs(t, u);
  }
  read_outputs();
  return y_.data();
}

const double* ModelExchangeSubsystem::output_derivative(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  if (phase_ != Phase::stepping) return dy_.data();  // read again when the FMU has begun; zero until then
  write_continuous_inputs(t, u);
  running().get_derivatives(raw_.data(), raw_.size());
  int place = 0;
  for (const Port& port : setup_.outputs) {
    if (port.continuous) {
      for (int k = 0; k < port.width; ++k) dy_[place + k] = 0.0;
      fill_slope(port, &dy_[place]);
    }
    place += port.width;
  }
  return dy_.data();
}

/// dy/dt of a continuous output: of a state the derivative itself, of others by the chain rule.
void ModelExchangeSubsystem::fill_slope(const Port& port, double* dy) {
  std::size_t offset = 0;
  References states;
  for (const StateVariable& v : setup_.integration.state_variables) {
    if (v.reference == port.reference) {
      std::copy_n(raw_.data() + offset, v.width, dy);
      return;
    }
    offset += v.width;
    states.push_back(v.reference);
  }
  instance_->directional_derivative({port.reference}, states, raw_.data(), raw_.size(), dy, port.width);
}

double ModelExchangeSubsystem::preferred_step() const {
  if (order_ == 0) return 0.0;
  const double wish = control_.wish();
  return next_event_ > time_ ? std::min(wish, next_event_ - time_) : wish;
}

std::vector<double> ModelExchangeSubsystem::memory() const {
  std::vector<double> made{time_, next_event_, control_.wish(), short_step_, earliest_};
  for (const auto* part : {&x_, &scale_, &g_, &chatter_.begins(), &chatter_.counts()}) {
    made.insert(made.end(), part->begin(), part->end());
  }
  put_shared(made);
  return made;
}

void ModelExchangeSubsystem::set_memory(const std::vector<double>& memory) {
  if (!method_) prepare();
  check_memory(memory.size(), this->memory().size());
  const double* from = memory.data();
  for (double* one : {&time_, &next_event_}) *one = *from++;
  control_.set_wish(*from++);
  for (double* one : {&short_step_, &earliest_}) *one = *from++;
  std::vector<double> begins(g_.size() + 1), counts(g_.size() + 1);
  for (std::vector<double>* part : {&x_, &scale_, &g_, &begins, &counts}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
  take_shared(from);
  chatter_.set(std::move(begins), std::move(counts));
}

}  // namespace counterpoint::fmi
