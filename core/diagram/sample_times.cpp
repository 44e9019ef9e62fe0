#include "diagram/sample_times.hpp"

#include <algorithm>

namespace counterpoint::diagram {

int SampleTimes::add(const SampleTime& rate) {
  const auto same = std::find_if(rates_.begin(), rates_.end(), [&](const SampleTime& other) {
    return other.period == rate.period && other.offset == rate.offset;
  });
  if (same != rates_.end()) return static_cast<int>(same - rates_.begin());
  rates_.push_back(rate);
  counts_.push_back(0.0);
  finest_ = finest_ > 0.0 ? std::min(finest_, rate.period) : rate.period;
  return rates() - 1;
}

void SampleTimes::start(double t) {
  start_ = t;
  std::fill(counts_.begin(), counts_.end(), 0.0);
  find_next();
}

void SampleTimes::advance(double t) {
  for (int r = 0; r < rates(); ++r) {
    while (is_due(r, t)) counts_[r] += 1.0;
  }
  find_next();
}

void SampleTimes::set_counts(const std::vector<double>& counts) {
  counts_ = counts;
  find_next();
}

void SampleTimes::find_next() {
  next_ = infinity;
  for (int r = 0; r < rates(); ++r) next_ = std::min(next_, time_of(r));
}

}  // namespace counterpoint::diagram
