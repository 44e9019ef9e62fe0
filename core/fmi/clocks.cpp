#include "fmi/clocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "coupling/subsystem.hpp"
#include "numbers.hpp"

namespace counterpoint::fmi {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Clocks::Clocks(std::vector<ClockSetup> clocks)
    : clocks_(std::move(clocks)),
      interval_(clocks_.size()),
      shift_(clocks_.size()),
      count_(clocks_.size()),
      next_(clocks_.size(), infinity),
      active_(clocks_.size()) {}

void Clocks::initialize(Instance& instance, double t) {
  start_ = t;
  rest();
  std::fill(count_.begin(), count_.end(), 0.0);
  std::fill(next_.begin(), next_.end(), infinity);
  for (std::size_t k = 0; k < clocks_.size(); ++k) {
    const ClockSetup& clock = clocks_[k];
    interval_[k] = clock.interval;
    shift_[k] = clock.shift;
    if (clock.kind == ClockKind::changing || clock.kind == ClockKind::countdown) ask_interval(instance, k, t);
    if (clock.kind != ClockKind::periodic || clock.interval > 0.0) continue;
    instance.get_interval(clock.reference, interval_[k]);
    shift_[k] = instance.get_shift(clock.reference);
    if (interval_[k] > 0.0 && std::isfinite(interval_[k]) && std::isfinite(shift_[k])) continue;
    Text text;
    text << "its clock with the value reference " << clock.reference << " has the interval " << interval_[k]
         << " s and the shift " << shift_[k] << " s; expected a positive interval";
    throw ComponentFailure(text.str());
  }
}

void Clocks::ask_interval(Instance& instance, std::size_t k, double t) {
  double interval = 0.0;
  if (instance.get_interval(clocks_[k].reference, interval) != IntervalNews::changed) return;
  if (!(interval >= 0.0)) {
    throw ComponentFailure("its clock with the value reference " + std::to_string(clocks_[k].reference) +
                           " wants to tick after " + number_text(interval) + " s");
  }
  next_[k] = t + interval;
}

double Clocks::time_of(std::size_t k) const {
  return clocks_[k].kind == ClockKind::periodic ? start_ + shift_[k] + count_[k] * interval_[k] : next_[k];
}

double Clocks::next() const {
  double first = infinity;
  for (std::size_t k = 0; k < clocks_.size(); ++k) first = std::min(first, time_of(k));
  return first;
}

void Clocks::tick(Instance& instance, double t) {
  for (std::size_t k = 0; k < clocks_.size(); ++k) {
    // Ends of steps and ticks that differ by rounding are one time.
    if (time_of(k) > t + std::max(1e-9 * interval_[k], 8.0 * std::numeric_limits<double>::epsilon() * std::abs(t)))
      continue;
    instance.activate_clock(clocks_[k].reference);
    active_[k] = true;
    count_[k] += 1.0;
    next_[k] = infinity;
  }
}

void Clocks::look(Instance& instance, double t) {
  for (std::size_t k = 0; k < clocks_.size(); ++k) {
    const ClockKind kind = clocks_[k].kind;
    if (kind == ClockKind::output) active_[k] = instance.is_clock_active(clocks_[k].reference);
    if (kind == ClockKind::countdown || (kind == ClockKind::changing && active_[k])) ask_interval(instance, k, t);
  }
}

void Clocks::rest() { std::fill(active_.begin(), active_.end(), false); }

bool Clocks::is_active(const std::vector<int>& clocks) const {
  return std::any_of(clocks.begin(), clocks.end(), [this](int k) { return active_[k] != 0; });
}

void Clocks::add_memory(std::vector<double>& to) const {
  to.push_back(start_);
  if (empty()) return;
  for (const auto* part : {&interval_, &shift_, &count_, &next_}) to.insert(to.end(), part->begin(), part->end());
}

void Clocks::set_memory(const double* memory) {
  start_ = *memory++;
  if (empty()) return;
  for (auto* part : {&interval_, &shift_, &count_, &next_}) {
    std::copy_n(memory, part->size(), part->begin());
    memory += part->size();
  }
  rest();
}

}  // namespace counterpoint::fmi
