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
  for (const SignalTolerance& signal : signals) {
    heard_.push_back(static_cast<int>(slots_.size()));
    slots_.push_back({signal, {}, {}, {}, {}, 0, 0.0});
  }
}

/// The pace of one participant is told of its own inputs alone: in large systems, the others would cost more than
/// these.
void DefectLaw::join(const Network& network, int participant) {
  if (participant < 0) return;
  heard_.clear();
  for (const Connection& c : network.participants[participant].inputs->connections()) {
    if (!c.watches) heard_.push_back(c.number);
  }
  std::sort(heard_.begin(), heard_.end());
}

void DefectLaw::arrived(const Arrival& arrival) {
  Slot& slot = slots_[arrival.connection];
  if (!slot.tolerance.counts) return;
  if (slot.count == slot.told.size()) return make_room(arrival);
  double difference = 0.0, scale = slot.tolerance.scale;
  for (int j = 0; j < arrival.width; ++j) {
    SignalSize& size = slot.sizes[j];
    size.tell(arrival.t, arrival.arrived[j]);
    if (slot.tolerance.scale == 0.0) scale = std::max(scale, size.value(ahead_));
    difference = std::max(difference, std::abs(arrival.assumed[j] - arrival.arrived[j]));
  }
  const double allowed = slot.tolerance.absolute + tolerance_ * scale;
  slot.told[slot.count++] = {arrival.sample, difference > 0.0 ? difference / allowed : 0.0};
}

/// For this one and others. Apart from its caller, which comes here hardly ever and then leaves the rest to it: so it
/// is short.
[[gnu::noinline]] void DefectLaw::make_room(const Arrival& arrival) {
  Slot& slot = slots_[arrival.connection];
  slot.sizes.resize(arrival.width);
  slot.told.resize(2 * slot.count + 8);
  arrived(arrival);
}

/// Forget the first ones.
inline void DefectLaw::drop(Slot& slot, std::size_t used) {
  if (used < slot.count)
    std::copy(slot.told.begin() + static_cast<std::ptrdiff_t>(used),
              slot.told.begin() + static_cast<std::ptrdiff_t>(slot.count), slot.told.begin());
  slot.count -= used;
}

StepChoice DefectLaw::propose(double t, double last, double known) {
  const double up_to = known + 1e-9 * std::abs(last);
  mean_.tell(last);
  const double share = weight(last);
  StepChoice choice{std::numeric_limits<double>::infinity(), StepRule::law, 0.0, -1};
  double least = std::numeric_limits<double>::infinity();
  for (const int k : heard_) {
    Slot& slot = slots_[k];
    if (keeps_before_) slot.before = slot.sizes;
    if (last == 0.0) slot.sample = t;
    const Told* const told = slot.told.data();
    std::size_t used = 0;
    double error = 0.0;
    for (; used < slot.count && told[used].sample <= up_to; ++used) error = std::max(error, told[used].error);
    if (used == 0) continue;
    const double newest = told[used - 1].sample;
    const double interval = newest - (used > 1 ? told[used - 2].sample : slot.sample);
    slot.sample = newest;
    drop(slot, used);
    error *= share;
    double logarithm = slot.controller.tell(error, power(slot));
    const bool is_held = interval > longest_interval * last && logarithm <= 0.0;
    if (is_held) logarithm = 0.0;
    choice.estimate = std::max(choice.estimate, error);
    if (logarithm >= least) continue;
    least = logarithm;
    choice.signal = k;
    choice.keeps_wanted = is_held;
  }
  if (last > 0.0 && steps_ < few_samples) ++steps_;
  if (choice.signal >= 0) {
    if (least != logarithm_) factor_ = PiController::factor(logarithm_ = least);
    choice.length = last * factor_;
    return choice;
  }
  if (last > 0.0) choice.length = last;  // nothing is known that speaks for another length
  choice.keeps_wanted = true;
  choice.estimate = std::numeric_limits<double>::quiet_NaN();
  return choice;
}

double DefectLaw::weight(double length) const {
  const double share = mean_.share(length);
  return share > 1.0 ? share : had_event_ && steps_ < few_samples ? std::sqrt(share) : 1.0;
}

StepError DefectLaw::error_of_step(double /*t_end*/, double length) {
  StepError worst;
  for (const int k : heard_) {
    const Slot& slot = slots_[k];
    for (std::size_t j = 0; j < slot.count; ++j) {
      const double error = slot.told[j].error * weight(length);
      if (error > worst.error) worst = {error, k, power(slot)};
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
    if (keeps_before_) {
      slot.before.resize(slot.sizes.size());  // before the first step there were none: they are as new
      slot.sizes = slot.before;
    }
    const auto end = slot.told.begin() + static_cast<std::ptrdiff_t>(slot.count);
    slot.count =
        std::remove_if(slot.told.begin(), end, [t](const Told& told) { return told.sample > t; }) - slot.told.begin();
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
