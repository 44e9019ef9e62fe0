#include "fmi/model_exchange.hpp"

#include <algorithm>
#include <cmath>

#include "fmi/environment.hpp"
#include "fmi/fmu_subsystem.hpp"
#include "numbers.hpp"

namespace counterpoint::fmi {

std::unique_ptr<FmuBase> make_fmu(LibraryPointer library, FmuSetup setup) {
  if (setup.instance.kind == Kind::co_simulation)
    return std::make_unique<FmuSubsystem>(std::move(library), std::move(setup));
  return std::make_unique<ModelExchangeSubsystem>(std::move(library), std::move(setup));
}

ModelExchangeSubsystem::ModelExchangeSubsystem(LibraryPointer library, FmuSetup setup)
    : FmuBase(std::move(library), std::move(setup)),
      integrator_(*this, {setup_.integration.solver, setup_.integration.options}) {
  setup_.instance.kind = Kind::model_exchange;
}

void ModelExchangeSubsystem::start(double t) {
  const KeepFloatingPoint keep;
  is_prepared_ = false;
  statistics_ = {};
  earliest_ = t;
  time_chatter_.start();
  integrator_.start(t);
  initialize(t);
}

/// Everything whose size follows from the numbers of states and event indicators.
void ModelExchangeSubsystem::prepare() {
  const std::size_t n = instance_->state_count(setup_.integration.states);
  const std::size_t m = instance_->indicator_count(setup_.integration.indicators);
  integrator_.resize(static_cast<int>(n), static_cast<int>(m));
  raw_.assign(n, 0.0);
  scale_.assign(n, 1.0);
  g_now_.assign(m, 0.0);
  is_prepared_ = true;
}

bool ModelExchangeSubsystem::begin(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  running();
  if (phase_ != Phase::initializing) return false;
  inputs_ = &u;
  leave_initialization(t, u);  // into event mode
  prepare();
  HybridPoint& point = integrator_.point();
  iterate_event(point);
  read_nominals(point);
  read_states(point);
  return true;
}

void ModelExchangeSubsystem::read_states(HybridPoint& point) {
  if (raw_.empty()) return;  // some FMUs without states refuse to be asked for them
  instance_->get_states(raw_.data(), raw_.size());
  for (std::size_t i = 0; i < raw_.size(); ++i) point.x[i] = raw_[i] / scale_[i];
}

void ModelExchangeSubsystem::read_nominals(HybridPoint& point) {
  if (raw_.empty()) return;
  instance_->get_nominals(raw_.data(), raw_.size());
  for (std::size_t i = 0; i < raw_.size(); ++i) {
    const double nominal = std::abs(raw_[i]);
    const bool usable = std::isnormal(nominal);
    if (!usable) {
      log_->add(1, "counterpoint",
                "the nominal value of state \"" + name_of_state(i) + "\" is " + number_text(raw_[i]) + "; 1 is taken");
    }
    const double scale = usable ? std::ldexp(1.0, std::ilogb(nominal)) : 1.0;
    point.x[i] *= scale_[i] / scale;
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
  if (phase_ == Phase::initializing) return initial_output(t, u);
  if (setup_.integration.outputs_use_inputs) write_continuous_inputs(t, u);
  read_outputs();
  return y_.data();
}

const double* ModelExchangeSubsystem::output_derivative(double t, Inputs& u) {
  const KeepFloatingPoint keep;
  if (phase_ != Phase::stepping) return dy_.data();  // read again when the FMU has begun; zero until then
  write_continuous_inputs(t, u);
  if (!raw_.empty()) running().get_derivatives(raw_.data(), raw_.size());
  int place = 0;
  for (const Port& port : setup_.outputs) {
    if (port.continuous && port.slope) {
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
  try {
    instance_->directional_derivative({port.reference}, states, raw_.data(), raw_.size(), dy, port.width);
  } catch (const ComponentFailure& refused) {
    throw ComponentFailure("the FMU refuses the derivative of \"" + port.name + "\" (" + refused.what() +
                           "); connect with an approximation without derivatives, such as lagrange(1)");
  }
}

double ModelExchangeSubsystem::preferred_step() const {
  if (!integrator_.is_variable()) return 0.0;
  const double preferred = integrator_.preferred_step();
  return next_event_ > time_ ? std::min(preferred, next_event_ - time_) : preferred;
}

void ModelExchangeSubsystem::keep_memory(std::vector<double>& into) const {
  const HybridPoint& point = integrator_.point();
  const HybridIntegrator::Memory m = integrator_.memory();
  into.assign({time_, next_event_, m.preferred_step, m.short_step, earliest_});
  for (const auto* part : {&point.x, &scale_, &point.g, &m.chatter.begins(), &time_chatter_.begins(),
                           &m.chatter.counts(), &time_chatter_.counts()}) {
    into.insert(into.end(), part->begin(), part->end());
  }
  into.insert(into.end(), m.method.begin(), m.method.end());
  put_shared(into);
}

void ModelExchangeSubsystem::set_memory(const std::vector<double>& memory) {
  if (!is_prepared_) prepare();
  check_memory(memory.size(), this->memory().size());
  HybridPoint& point = integrator_.point();
  HybridIntegrator::Memory m;
  const double* from = memory.data();
  for (double* one : {&time_, &next_event_, &m.preferred_step, &m.short_step, &earliest_}) *one = *from++;
  point.time = time_;
  std::vector<double> begins(point.g.size()), counts(point.g.size()), time_begin(1), time_count(1);
  for (std::vector<double>* part : {&point.x, &scale_, &point.g, &begins, &time_begin, &counts, &time_count}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
  std::copy_n(from, m.method.size(), m.method.begin());
  from += m.method.size();
  take_shared(from);
  m.chatter.set(std::move(begins), std::move(counts));
  time_chatter_.set(std::move(time_begin), std::move(time_count));
  integrator_.set_memory(std::move(m));
}

}  // namespace counterpoint::fmi
