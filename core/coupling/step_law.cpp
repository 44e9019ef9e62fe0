#include "coupling/step_law.hpp"

#include <algorithm>
#include <cmath>

namespace counterpoint {

double StepChooser::reject(double estimate, int signal, double factor) {
  estimated(estimate, signal);
  const Row rejected_row = row_;
  write(false);
  row_ = rejected_row;
  row_.length = std::max(factor * row_.length, std::min(limits_.smallest, row_.length));
  row_.rule = row_.length > factor * rejected_row.length ? StepRule::smallest : StepRule::rejection;
  row_.estimate = std::numeric_limits<double>::quiet_NaN();
  wanted_ = row_.length;
  event_ = -infinity;
  return row_.t + row_.length;
}

double StepChooser::cut(double end) {
  const double made = reject(std::numeric_limits<double>::quiet_NaN(), -1, (end - row_.t) / row_.length);
  row_.rule = StepRule::event;
  return event_ = made;
}

StepChooser::Place StepChooser::place() const {
  return {row_, last_, wanted_, asked_, chosen_, chosen_by_, event_, is_foreseen_, tally, rows.total()};
}

void StepChooser::go_back(const Place& place) {
  row_ = place.row;
  last_ = place.last;
  wanted_ = place.wanted;
  asked_ = place.asked;
  chosen_ = place.chosen;
  chosen_by_ = place.chosen_by;
  event_ = place.event;
  is_foreseen_ = place.is_foreseen;
  tally = place.tally;
  rows.shrink(place.rows);
}

void StepChooser::end_at(double end) {
  row_.length = end - row_.t;
  row_.rule = StepRule::end;
  event_ = -infinity;
  is_foreseen_ = false;
}

void StepChooser::finish(double t) {
  if (row_.t + 0.5 * row_.length < t) write();  // else it was chosen and never made
}

[[gnu::noinline]] void StepChooser::blame(int signal) {
  ++tally.at_smallest;
  if (signal < 0) return;
  if (tally.kept_there.size() <= static_cast<std::size_t>(signal)) tally.kept_there.resize(signal + 1);
  ++tally.kept_there[signal];
}

}  // namespace counterpoint
