#include "coupling/error_laws.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/network.hpp"

namespace counterpoint {

namespace {
/// Errors below this say no more than that steps may grow, in units of the tolerance.
constexpr double least_error = 1e-4;
const double log_of_least = std::log(least_error);
/// With so many since an event, approximations of any order have theirs.
constexpr int few_samples = 8;
/// Of a source's steps, in steps of the receiver: what is published less often is not better known for shorter ones.
constexpr double longest_interval = 1.5;
}  // namespace

double PiController::tell(double error, double power) {
  const double now = error < least_error ? log_of_least : std::log(error);
  const double found = (0.3 * before_ - 0.7 * now) / power;
  before_ = now;
  return found;
}

double PiController::factor(double logarithm, double safety) { return safety * std::exp(logarithm); }

DefectLaw::DefectLaw(double tolerance, std::vector<SignalTolerance> signals, double ahead)
    : tolerance_(tolerance), ahead_(ahead) {
  for (const SignalTolerance& signal : signals) slots_.push_back({signal, {}, {}, {}, {}, 0.0});
}

void DefectLaw::arrived(const Arrival& arrival) {
  Slot& slot = slots_[arrival.connection];
  if (!slot.tolerance.counts) return;
  if (slot.sizes.empty() || slot.told.size() == slot.told.capacity()) make_room(slot, arrival.width);
  double difference = 0.0, scale = slot.tolerance.scale;
  for (int j = 0; j < arrival.width; ++j) {
    SignalSize& size = slot.sizes[j];
    size.tell(arrival.t, arrival.arrived[j]);
    if (slot.tolerance.scale == 0.0) scale = std::max(scale, size.value(ahead_));
    difference = std::max(difference, std::abs(arrival.assumed[j] - arrival.arrived[j]));
  }
  const double allowed = slot.tolerance.absolute + tolerance_ * scale;
  slot.told.push_back({arrival.sample, difference > 0.0 ? difference / allowed : 0.0});
}

/// Apart from its caller, which comes here hardly ever.
[[gnu::noinline]] void DefectLaw::make_room(Slot& slot, int width) {
  if (slot.sizes.empty()) slot.sizes.resize(width);
  slot.told.reserve(2 * slot.told.size() + 8);
}

StepChoice DefectLaw::propose(double t, double last, double known) {
  const double up_to = known + 1e-9 * std::abs(last);
  mean_.tell(last);
  const double share = weight(last);
  StepChoice choice{std::numeric_limits<double>::infinity(), StepRule::law, 0.0, -1};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    Slot& slot = slots_[k];
    if (keeps_before_) slot.before = slot.sizes;
    std::size_t used = 0;
    double error = 0.0;
    for (; used < slot.told.size() && slot.told[used].sample <= up_to; ++used)
      error = std::max(error, slot.told[used].error);
    if (last == 0.0) slot.sample = t;
    if (used == 0) continue;
    const double interval = slot.told[used - 1].sample - (used > 1 ? slot.told[used - 2].sample : slot.sample);
    slot.sample = slot.told[used - 1].sample;
    if (used == slot.told.size()) {
      slot.told.clear();
    } else {
      slot.told.erase(slot.told.begin(), slot.told.begin() + static_cast<std::ptrdiff_t>(used));
    }
    error *= share;
    double logarithm = slot.controller.tell(error, power(slot));
    if (interval > longest_interval * last) logarithm = std::max(logarithm, 0.0);
    choice.estimate = std::max(choice.estimate, error);
    if (logarithm >= least) continue;
    least = logarithm;
    choice.signal = static_cast<int>(k);
  }
  if (last > 0.0 && steps_ < few_samples) ++steps_;
  if (choice.signal >= 0) {
    if (least != logarithm_) factor_ = PiController::factor(logarithm_ = least);
    choice.length = last * factor_;
    return choice;
  }
  if (last > 0.0) choice.length = last;  // nothing is known that speaks for another length
  choice.estimate = std::numeric_limits<double>::quiet_NaN();
  return choice;
}

double DefectLaw::weight(double length) const {
  const double share = mean_.share(length);
  return share > 1.0 ? share : had_event_ && steps_ < few_samples ? std::sqrt(share) : 1.0;
}

StepError DefectLaw::error_of_step(double /*t_end*/, double length) {
  StepError worst;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    for (const Told& told : slots_[k].told) {
      const double error = told.error * weight(length);
      if (error > worst.error) worst = {error, static_cast<int>(k), power(slots_[k])};
    }
  }
  return worst;
}

void DefectLaw::begin_anew() {
  steps_ = 0;
  had_event_ = mean_.length() > 0.0;  // else it is the start
  for (Slot& slot : slots_) slot.controller.forget();
}

void DefectLaw::returned_to(double t) {
  for (Slot& slot : slots_) {
    if (keeps_before_) slot.sizes = slot.before;
    std::erase_if(slot.told, [t](const Told& told) { return told.sample > t; });
  }
}

EnergyLaw::EnergyLaw(double tolerance, double absolute, std::vector<BondSpec> bonds, int connections, int order)
    : tolerance_(tolerance), absolute_(absolute), values_(connections), order_(order) {
  for (const BondSpec& bond : bonds) bonds_.push_back({bond, 0.0, {}});
}

void EnergyLaw::join(const Network& network, int /*participant*/) { network_ = &network; }

void EnergyLaw::arrived(const Arrival& arrival) { values_[arrival.connection] = {arrival.t, arrival.assumed[0]}; }

double EnergyLaw::output(int connection) const {
  const Connection& c = network_->connection(connection).connection();
  return c.scaled(c.present->value(c.present->end() - 1)[c.samples.column]);
}

StepChoice EnergyLaw::propose(double t, double last, double /*known*/) {
  StepChoice choice{std::numeric_limits<double>::infinity(), StepRule::law, 0.0, -1};
  if (last == 0.0) choice.estimate = std::numeric_limits<double>::quiet_NaN();
  if (last == 0.0) return choice;
  time_ += last;
  mean_.tell(last);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < bonds_.size(); ++k) {
    Bond& bond = bonds_[k];
    const double effort = output(bond.connections.effort), flow = output(bond.connections.flow);
    const auto assumed = [&](int connection, double arrived) {  // what is interpolated was not assumed
      const Value& value = values_[connection];
      return std::abs(value.t - t) <= network_->tolerance ? value.assumed : arrived;
    };
    const double received = assumed(bond.connections.effort, effort) * flow;
    const double sent = effort * assumed(bond.connections.flow, flow);
    bond.energy += std::max(std::abs(received), std::abs(sent)) * last;
    const double residual = std::abs(received - sent);
    const double allowed = absolute_ + tolerance_ * bond.energy / time_;
    const double error = residual > 0.0 ? residual * mean_.share(last) / allowed : 0.0;
    const double logarithm = bond.controller.tell(error, order_ + 1);
    choice.estimate = std::max(choice.estimate, error);
    if (logarithm >= least) continue;
    least = logarithm;
    choice.signal = static_cast<int>(k);
  }
  choice.length = last * PiController::factor(least);
  return choice;
}

}  // namespace counterpoint
