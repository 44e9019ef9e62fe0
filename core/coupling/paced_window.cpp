#include "coupling/paced_window.hpp"

#include <algorithm>
#include <cmath>

#include "coupling/network.hpp"

namespace counterpoint {

namespace {
constexpr double most_accepted = 1.5;  ///< error in units of the tolerance: a little more is cheaper than a repetition
constexpr double least_of_rejected = 0.2;
constexpr double safety = 0.9;
constexpr double most_assumed = 10.0;  ///< a defect is larger than the error that it makes, but not that much
}  // namespace

void PacedWindow::join(const Network& network) {
  network_ = &network;
  chooser.law().join(network, -1);
}

double PacedWindow::end_after(double from) {
  double event = Polynomial::infinity;
  for (const Participant& p : network_->participants) event = std::min(event, p.next_event());
  return chooser.next_end(from, from, clock_, event);
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
    : PacedWindow(law, limits, clock), law_(std::move(law)), setup_(std::move(setup)), scales_(setup_.outputs.size()) {
  for (std::size_t k = 0; k < scales_.size(); ++k) scales_[k] = setup_.outputs[k].tolerance.scale;
}

double TwoPassWindow::end_after(double from) {
  end_ = PacedWindow::end_after(from);
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
    const double factor = std::max(least_of_rejected, safety * std::pow(found, -1.0 / order()));
    end_ = chooser.reject(found, signal, factor);
    begin_pass(false);
    return true;
  }
  chooser.estimated(found, signal);
  law_->tell(found, order());
  ++windows_;
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

std::pair<double, int> TwoPassWindow::error(const std::vector<InterfaceSignal>& interface) {
  double largest = 0.0;
  int worst = -1;
  for (const InterfaceSignal& signal : interface) {
    const auto is_it = [&](const OutputTolerance& o) {
      return o.participant == signal.source && o.column == signal.column;
    };
    const auto place = std::find_if(setup_.outputs.begin(), setup_.outputs.end(), is_it);
    if (place == setup_.outputs.end() || !place->tolerance.counts) continue;
    const std::size_t k = place - setup_.outputs.begin();
    const double now = signal.now->value(signal.now->end() - 1)[signal.column];
    const double before = signal.before->value(signal.before->end() - 1)[signal.column];
    if (place->tolerance.scale == 0.0) scales_[k] = std::max(scales_[k], std::abs(now));
    const double difference = std::max(std::abs(now - before), change_by_slope(signal));
    const double allowed = place->tolerance.absolute + setup_.tolerance * scales_[k];
    const double found = difference > 0.0 ? difference / allowed : 0.0;
    if (found <= largest) continue;
    largest = found;
    worst = static_cast<int>(k);
  }
  return {largest, worst};
}

}  // namespace counterpoint
