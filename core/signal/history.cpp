#include "signal/history.hpp"

#include <algorithm>

namespace counterpoint {

namespace {
constexpr std::size_t initial_capacity = 256;
}

History::History(int width, bool with_derivatives, bool with_jumps)
    : width_(width),
      with_derivatives_(with_derivatives),
      with_jumps_(with_jumps),
      mask_(initial_capacity - 1),
      times_(initial_capacity),
      values_(initial_capacity * width),
      derivatives_(with_derivatives ? initial_capacity * width : 0),
      jumped_(with_jumps ? initial_capacity : 0),
      befores_(with_jumps ? initial_capacity * width : 0) {}

void History::make_room(std::size_t keep, std::size_t samples) {
  begin_ = std::max(begin_, std::min({keep, appended_, kept_from_}));
  std::size_t capacity = mask_ + 1;
  while (capacity - (appended_ - begin_) < samples) capacity *= 2;
  if (capacity > mask_ + 1) enlarge(capacity);
}

void History::enlarge(std::size_t capacity) {
  const std::size_t width = static_cast<std::size_t>(width_);
  std::vector<double> times(capacity);
  std::vector<double> values(capacity * width);
  std::vector<double> derivatives(with_derivatives_ ? capacity * width : 0);
  std::vector<char> jumped(with_jumps_ ? capacity : 0);
  std::vector<double> befores(with_jumps_ ? capacity * width : 0);
  for (std::size_t k = begin_; k < appended_; ++k) {
    const std::size_t slot = k & (capacity - 1);
    times[slot] = time(k);
    std::copy_n(value(k), width, values.begin() + slot * width);
    if (with_derivatives_) std::copy_n(derivative(k), width, derivatives.begin() + slot * width);
    if (const double* before = before_jump(k)) {
      jumped[slot] = 1;
      std::copy_n(before, width, befores.begin() + slot * width);
    }
  }
  times_ = std::move(times);
  values_ = std::move(values);
  derivatives_ = std::move(derivatives);
  jumped_ = std::move(jumped);
  befores_ = std::move(befores);
  mask_ = capacity - 1;
}

void History::save(std::size_t keep, Saved& into) const {
  into.begin = std::clamp(keep, begin_, appended_);
  into.appended = appended_;
  into.committed = committed_;
  into.times.clear();
  into.values.clear();
  into.derivatives.clear();
  into.jumps.clear();
  into.befores.clear();
  for (std::size_t k = into.begin; k < appended_; ++k) {
    into.times.push_back(time(k));
    into.values.insert(into.values.end(), value(k), value(k) + width_);
    if (with_derivatives_) into.derivatives.insert(into.derivatives.end(), derivative(k), derivative(k) + width_);
    if (const double* before = before_jump(k)) {
      into.jumps.push_back(k);
      into.befores.insert(into.befores.end(), before, before + width_);
    }
  }
}

void History::restore(const Saved& saved) {
  begin_ = appended_ = saved.begin;
  make_room(begin_, saved.times.size());
  const std::size_t width = static_cast<std::size_t>(width_);
  for (std::size_t k = 0; k < saved.times.size(); ++k) {
    append(saved.times[k], saved.values.data() + k * width,
           with_derivatives_ ? saved.derivatives.data() + k * width : nullptr);
  }
  for (std::size_t k = 0; k < saved.jumps.size(); ++k) {
    const std::size_t slot = saved.jumps[k] & mask_;
    jumped_[slot] = 1;
    std::copy_n(saved.befores.data() + k * width, width, befores_.begin() + slot * width);
  }
  committed_ = saved.committed;
}

void History::copy(const History& other, std::size_t first) {
  begin_ = appended_ = committed_ = first;
  if (mask_ < other.mask_) enlarge(other.mask_ + 1);
  const std::size_t end = other.committed_, shorter = std::min(mask_, other.mask_) + 1;
  while (appended_ < end) {
    const std::size_t turn = (appended_ | (shorter - 1)) + 1;  // where the shorter ring wraps around
    copy_in_a_row(other, appended_, std::min(end, turn));
    appended_ = std::min(end, turn);
  }
  committed_ = appended_;
}

void History::copy_in_a_row(const History& other, std::size_t first, std::size_t end) {
  const std::size_t from = first & other.mask_, to = first & mask_, count = end - first;
  const std::size_t width = static_cast<std::size_t>(width_);
  std::copy_n(other.times_.data() + from, count, times_.data() + to);
  std::copy_n(other.values_.data() + from * width, count * width, values_.data() + to * width);
  if (with_derivatives_)
    std::copy_n(other.derivatives_.data() + from * width, count * width, derivatives_.data() + to * width);
  if (!with_jumps_) return;
  std::copy_n(other.jumped_.data() + from, count, jumped_.data() + to);
  std::copy_n(other.befores_.data() + from * width, count * width, befores_.data() + to * width);
}

std::size_t History::last_not_after(double t) const {
  std::size_t low = begin_;
  std::size_t high = committed_;  // first index known to be later than t
  if (low < high && time(high - 1) <= t) return high - 1;
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (time(middle) <= t ? low : high) = middle;
  }
  return low;
}

}  // namespace counterpoint
