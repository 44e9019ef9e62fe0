#include "coupling/paced_window.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/network.hpp"

namespace counterpoint {

namespace {
constexpr double most_accepted = 1.5;  ///< error in units of the tolerance: a little more is cheaper than a repetition
constexpr double least_of_rejected = 0.2;
constexpr double safety = 0.9;
constexpr double part_of_motion = 0.5;
constexpr double least_share_of_step = 0.25;
constexpr double most_assumed = 10.0;  ///< a defect is larger than the error that it makes, but not that much

/// How much shorter a rejected step is tried again.
double factor_of_rejected(double error, int power) {
  return std::max(least_of_rejected, safety * std::pow(error, -1.0 / power));
}

}  // namespace

void PacedWindow::join(const Network& network) {
  network_ = &network;
  chooser.law().join(network, -1);
  if (rejects_) chooser.law().may_be_taken_back();
  if (!chooser.limits().foresees) return;
  for (const Participant& p : network.participants) known_.add(*p.subsystem);
}

/// Flat for the same reason as Scheduler::go.
[[gnu::flatten]] double PacedWindow::end_after(double from) {
  double event = Polynomial::infinity;
  for (const Participant& p : network_->participants) event = std::min(event, p.next_event());
  const double foreseen = known_.next(from + clock_.tolerance(), 3.0 * chooser.wanted());
  return end_ = chooser.next_end(from, from, clock_, event, foreseen);
}

bool PacedWindow::again(int /*pass*/, double end, const std::vector<InterfaceSignal>& /*interface*/) {
  if (!rejects_) return false;
  if (cut_at_condition(end)) return true;
  const StepError found = chooser.law().error_of_step(end, chooser.length_of_step());
  if (!(found.error > most_accepted) || chooser.length_of_step() <= chooser.limits().smallest * (1.0 + 1e-9))
    return false;
  end_ = chooser.reject(found.error, found.signal, factor_of_rejected(found.error, found.power));
  return true;
}

/// The condition holds at the new end: it lies half the smallest step behind what lines between samples say, and they
/// are the better the shorter the step is.
bool PacedWindow::cut_at_condition(double end) {
  const double begin = chooser.start_of_step(), smallest = chooser.limits().smallest;
  double first = Polynomial::infinity;
  for (const Participant& p : network_->participants) {
    if (const InputEvents* events = p.inputs->events()) first = std::min(first, events->first_begin(begin, end));
  }
  const double wanted = std::max(first + 0.5 * smallest, begin + smallest);
  if (wanted >= end - smallest) return false;
  end_ = chooser.cut(wanted);
  return true;
}

StepChoice PassLaw::propose(double /*t*/, double last, double /*known*/) {
  if (std::isnan(error_)) return {last > 0.0 ? last : std::numeric_limits<double>::infinity()};
  return {last * PiController::factor(controller_.tell(error_, order_now_), safety), StepRule::law, error_, -1};
}

void PassLaw::arrived(const Arrival& arrival) {
  if (inputs_.empty()) return;
  AssumedInput& input = inputs_[arrival.connection];
  if (input.tolerance.scale > 0.0) input.scale = input.tolerance.scale;
  for (int j = 0; j < arrival.width; ++j) {
    input.scale = std::max(input.scale, std::abs(arrival.arrived[j]));
    const double difference = std::abs(arrival.assumed[j] - arrival.arrived[j]);
    if (difference > 0.0)
      input.defect = std::max(input.defect, difference / (input.tolerance.absolute + tolerance_ * input.scale));
  }
}

void PassLaw::begin() {
  for (AssumedInput& input : inputs_) input.defect = 0.0;
}

std::pair<double, int> PassLaw::largest_defect() const {
  std::pair<double, int> largest{0.0, -1};
  for (const AssumedInput& input : inputs_) {
    if (input.defect > largest.first) largest = {input.defect, input.signal};
  }
  return largest;
}

TwoPassWindow::TwoPassWindow(std::shared_ptr<PassLaw> law, const StepLimits& limits, const StepClock& clock,
                             Setup setup)
    : PacedWindow(law, limits, clock, true),
      law_(std::move(law)),
      setup_(std::move(setup)),
      motions_(setup_.outputs.size()) {
  for (std::size_t k = 0; k < motions_.size(); ++k) motions_[k].scale = setup_.outputs[k].tolerance.scale;
}

double TwoPassWindow::end_after(double from) {
  PacedWindow::end_after(from);
  law_->begin();
  begin_pass(false);
  return end_;
}

void TwoPassWindow::begin_pass(bool is_second) {
  is_second_ = is_second;
  if (!setup_.length) return;
  // A little longer than half, so that rounding leaves no third step.
  setup_.length->length = is_second ? 0.5 * chooser.length_of_step() * (1.0 + 1e-12) : Polynomial::infinity;
}

bool TwoPassWindow::again(int /*pass*/, double end, const std::vector<InterfaceSignal>& interface) {
  if (!is_second_) {
    if (cut_at_condition(end)) {
      begin_pass(false);
      return true;
    }
    end_ = end;
    begin_pass(true);
    return true;
  }
  auto [found, signal] = error(interface);
  if (const auto [defect, source] = law_->largest_defect(); defect > most_assumed * std::max(found, 1.0)) {
    found = defect / most_assumed;
    signal = source;
  }
  if (found > most_accepted && chooser.length_of_step() > chooser.limits().smallest * (1.0 + 1e-9)) {
    end_ = chooser.reject(found, signal, factor_of_rejected(found, order()));
    begin_pass(false);
    return true;
  }
  chooser.estimated(found, signal);
  law_->tell(found, order());
  accept(interface);
  return false;
}

/// What the difference of the slopes makes of the signal within a step: states that are not exchanged show there first.
double TwoPassWindow::change_by_slope(const InterfaceSignal& signal) const {
  const History &now = *signal.now, &before = *signal.before;
  if (!now.has_derivatives()) return 0.0;
  const double slopes[] = {now.derivative(now.end() - 1)[signal.column],
                           before.derivative(before.end() - 1)[signal.column]};
  return std::abs(slopes[0] - slopes[1]) * chooser.length_of_step();
}

/// The number of a signal among the outputs with tolerances; -1: it has none.
int TwoPassWindow::place(const InterfaceSignal& signal) const {
  const auto is_it = [&](const OutputTolerance& o) {
    return o.participant == signal.source && o.column == signal.column && o.tolerance.counts;
  };
  const auto found = std::find_if(setup_.outputs.begin(), setup_.outputs.end(), is_it);
  return found == setup_.outputs.end() ? -1 : static_cast<int>(found - setup_.outputs.begin());
}

/// The part of the tolerance that a step may use. Errors add up over as many steps as a signal needs to move by a part
/// of its size at its largest rate: shorter steps may make smaller ones, or errors fall more slowly than the tolerance.
/// Never less than a quarter: where the difference of the passes falls no faster than the step, the share would ask for
/// ever shorter ones.
double TwoPassWindow::share_of_step(const Motion& motion) const {
  const double moved = motion.rate * chooser.length_of_step(), part = part_of_motion * motion.scale;
  return moved > 0.0 && moved < part ? std::max(moved / part, least_share_of_step) : 1.0;
}

void TwoPassWindow::accept(const std::vector<InterfaceSignal>& interface) {
  for (const InterfaceSignal& signal : interface) {
    const int k = place(signal);
    if (k < 0) continue;
    const double now = signal.now->value(signal.now->end() - 1)[signal.column];
    const double rate = std::abs(now - motions_[k].last) / chooser.length_of_step();
    if (windows_ > 0) motions_[k].rate = std::max(motions_[k].rate, rate);
    motions_[k].last = now;
  }
  ++windows_;
}

std::pair<double, int> TwoPassWindow::error(const std::vector<InterfaceSignal>& interface) {
  double largest = 0.0;
  int worst = -1;
  for (const InterfaceSignal& signal : interface) {
    const int k = place(signal);
    if (k < 0) continue;
    const SignalTolerance& tolerance = setup_.outputs[k].tolerance;
    const double now = signal.now->value(signal.now->end() - 1)[signal.column];
    const double before = signal.before->value(signal.before->end() - 1)[signal.column];
    Motion& motion = motions_[k];
    if (tolerance.scale == 0.0) motion.scale = std::max(motion.scale, std::abs(now));
    const double difference = std::max(std::abs(now - before), change_by_slope(signal));
    const double allowed = (tolerance.absolute + setup_.tolerance * motion.scale) * share_of_step(motion);
    const double found = difference > 0.0 ? difference / allowed : 0.0;
    if (found <= largest) continue;
    largest = found;
    worst = k;
  }
  return {largest, worst};
}

}  // namespace counterpoint
