#include "ode/table.hpp"

#include <algorithm>
#include <cmath>

#include "recipe/factory.hpp"

namespace counterpoint {

struct Table::Saved final : SavedState {
  explicit Saved(double t) : time(t) {}
  bool write(recipe::Writer& writer) const override {
    writer(time);
    return true;
  }
  double time;
};

Table::Table(std::vector<double> times, std::vector<double> values, int width, Kind kind)
    : times_(std::move(times)),
      values_(std::move(values)),
      y_(width),
      width_(width),
      kind_(kind),
      jumps_(std::adjacent_find(times_.begin(), times_.end()) != times_.end()) {}

/// The last row not later than t, with a little slack for clocks that rounded; 0 when all are later.
std::size_t Table::row(double t) const {
  const double slack = 8.0 * (std::nextafter(std::abs(t), Polynomial::infinity) - std::abs(t));
  const auto after = std::upper_bound(times_.begin(), times_.end(), t + slack);
  return after == times_.begin() ? 0 : static_cast<std::size_t>(after - times_.begin()) - 1;
}

double Table::preferred_step() const {
  const std::size_t k = row(time_);
  if (time_ < times_.front()) return times_.front() - time_;
  if (k + 1 < times_.size()) return times_[k + 1] - time_;
  return times_.size() > 1 ? times_.back() - times_.front() : 1.0;  // nothing changes any more
}

double Table::next_known_event(double t, double step) const {
  const auto next = [this](double time) {
    const auto found = std::upper_bound(times_.begin(), times_.end(), time);
    return found == times_.end() ? Polynomial::infinity : *found;
  };
  return sparse_event(next, t, step);
}

const double* Table::output(double t, Inputs&) {
  const std::size_t k = row(t);
  const double* before = &values_[k * width_];
  const bool between = kind_ == Kind::linear && k + 1 < times_.size() && t > times_[k];
  const double weight = between ? (t - times_[k]) / (times_[k + 1] - times_[k]) : 0.0;
  const double* after = between ? before + width_ : before;
  for (int j = 0; j < width_; ++j) y_[j] = before[j] + weight * (after[j] - before[j]);
  return y_.data();
}

std::size_t Table::first_row_of_its_time(std::size_t k) const {
  while (k > 0 && times_[k - 1] == times_[k]) --k;
  return k;
}

/// Steps at its own pace end at rows, but for rounding.
const double* Table::output_before_event() {
  const std::size_t last = row(time_);
  const std::size_t first = first_row_of_its_time(last);
  const bool at_a_row = std::abs(time_ - times_[last]) <= 1e-12 * (1.0 + std::abs(time_));
  return first < last && at_a_row ? &values_[first * width_] : nullptr;
}

std::unique_ptr<SavedState> Table::save() const { return std::make_unique<Saved>(time_); }
void Table::restore(const SavedState& state) { time_ = static_cast<const Saved&>(state).time; }
std::unique_ptr<SavedState> Table::read_state(recipe::Reader& reader) const {
  auto made = std::make_unique<Saved>(time_);
  reader(made->time);
  return made;
}

}  // namespace counterpoint
