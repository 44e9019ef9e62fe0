#include "coupling/window.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint {

namespace {

double last_value(const History& history, int column) { return history.value(history.end() - 1)[column]; }

}  // namespace

double RepeatedWindow::end_after(double /*from*/) { return start_ + (count_ += 1.0) * spec_.length; }

void RepeatedWindow::opened(const std::vector<InterfaceSignal>& interface) {
  scales_.resize(interface.size());
  for (std::size_t k = 0; k < interface.size(); ++k) {
    scales_[k] = std::max(scales_[k], std::abs(last_value(*interface[k].now, interface[k].column)));
  }
}

bool RepeatedWindow::again(int pass, double end, const std::vector<InterfaceSignal>& interface) {
  if (pass == 0) return true;
  const double by = change(interface);
  const bool asks = spec_.tolerance > 0.0;
  const bool converged = asks && by <= spec_.tolerance;
  if (!converged && pass < spec_.repeats) return true;
  if (asks && !converged) ++not_converged_;
  if (by > largest_change_) {
    largest_change_ = by;
    time_of_largest_ = end;
  }
  return false;
}

double RepeatedWindow::change(const std::vector<InterfaceSignal>& interface) const {
  double largest = 0.0;
  for (std::size_t k = 0; k < interface.size(); ++k) {
    const double before = last_value(*interface[k].before, interface[k].column);
    const double now = last_value(*interface[k].now, interface[k].column);
    const double scale = std::max({scales_[k], std::abs(before), std::abs(now)});
    if (now != before) largest = std::max(largest, std::abs(now - before) / scale);
  }
  return largest;
}

void RepeatedWindow::report(WindowTally& tally) const {
  tally.not_converged = not_converged_;
  tally.largest_change = largest_change_;
  tally.time_of_largest = time_of_largest_;
}

}  // namespace counterpoint
