#include "coupling/waveform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace counterpoint {

namespace {

constexpr std::size_t few = 4;  ///< samples

/// Value or slope of a history at any time, by the cubic through the samples around it.
class Reading {
 public:
  Reading(const History& history, std::size_t first, int column, bool slope, double tolerance)
      : history_(history),
        low_(first > history.begin() ? first - 1 : first),
        column_(column),
        slope_(slope),
        tolerance_(tolerance),
        next_(low_) {}

  /// To be asked at increasing times.
  double at(double t) {
    while (next_ + 1 < history_.end() && history_.time(next_) < t - tolerance_) ++next_;
    if (std::abs(history_.time(next_) - t) <= tolerance_) return number(next_);
    return cubic(t);
  }

 private:
  double number(std::size_t k) const { return (slope_ ? history_.derivative(k) : history_.value(k))[column_]; }

  /// Neville's scheme.
  double cubic(double t) const {
    const std::size_t count = std::min<std::size_t>(4, history_.end() - low_);
    const std::size_t begin = std::min(next_ > low_ + 2 ? next_ - 2 : low_, history_.end() - count);
    std::array<double, 4> p{};
    for (std::size_t k = 0; k < count; ++k) p[k] = number(begin + k);
    for (std::size_t level = 1; level < count; ++level) {
      for (std::size_t k = 0; k + level < count; ++k) {
        const double a = history_.time(begin + k), b = history_.time(begin + k + level);
        p[k] = ((t - b) * p[k] + (a - t) * p[k + 1]) / (a - b);
      }
    }
    return p[0];
  }

  const History& history_;
  std::size_t low_;
  int column_;
  bool slope_;
  double tolerance_;
  std::size_t next_;  ///< the first sample not before the time asked last
};

/// The largest absolute value and the largest difference of two signals.
class LargestChange {
 public:
  /// So many numbers, each `stride` after the one before. Two at a time: one largest number would have to wait for the
  /// comparison before it.
  void add(const double* value, const double* earlier, std::size_t count, std::size_t stride) {
    std::size_t j = 0;
    for (; j + 1 < count; j += 2) {
      compare(value[j * stride], earlier[j * stride], even_);
      compare(value[(j + 1) * stride], earlier[(j + 1) * stride], odd_);
    }
    if (j < count) compare(value[j * stride], earlier[j * stride], even_);
  }
  SignalChange found() const { return {larger(even_.size, odd_.size), larger(even_.change, odd_.change)}; }

 private:
  static double larger(double a, double b) { return b > a ? b : a; }  // a NaN of the first is kept; one instruction
  static void compare(double value, double earlier, SignalChange& largest) {
    largest.size = larger(std::abs(value), largest.size);
    largest.change = larger(std::abs(value - earlier), largest.change);
  }

  SignalChange even_, odd_;
};

}  // namespace

SignalChange change_of(const InterfaceSignal& signal, std::size_t first, double tolerance) {
  const History &now = *signal.now, &before = *signal.before;
  LargestChange found;
  std::size_t k = first;
  const std::size_t end = now.end(), shared = std::min(end, before.end()),
                    width = static_cast<std::size_t>(now.width());
  if (shared <= first + few) {  // one by one: the calls below cost more than they save
    for (; k < shared && now.time(k) == before.time(k); ++k)
      found.add(now.value(k) + signal.column, before.value(k) + signal.column, 1, width);
  }
  for (bool alike = shared > first + few; alike && k < shared;) {
    const std::size_t count = std::min({shared - k, now.in_a_row(k), before.in_a_row(k)});
    const double *t = &now.times()[k & now.mask()], *t_before = &before.times()[k & before.mask()];
    const double *value = now.value(k) + signal.column, *earlier = before.value(k) + signal.column;
    const bool equal = std::memcmp(t, t_before, count * sizeof *t) == 0;  // most often; many at a time
    const std::size_t same = equal ? count : static_cast<std::size_t>(std::mismatch(t, t + count, t_before).first - t);
    found.add(value, earlier, same, width);
    alike = same == count;
    k += same;
  }
  if (k == end) return found.found();
  Reading reading(before, first, signal.column, false, tolerance);
  for (; k < end; ++k) {
    const double earlier = reading.at(now.time(k));
    found.add(now.value(k) + signal.column, &earlier, 1, width);
  }
  return found.found();
}

void Waveform::open(const std::vector<InterfaceSignal>& interface) {
  if (signals_.size() != interface.size()) signals_.resize(interface.size());
  for (std::size_t k = 0; k < interface.size(); ++k) {
    signals_[k].first = interface[k].now->end();
    signals_[k].from = interface[k].now->time(interface[k].now->end() - 1);
  }
}

void Waveform::take_times(const std::vector<InterfaceSignal>& interface) {
  size_ = 0;
  for (std::size_t k = 0; k < interface.size(); ++k) {
    Signal& signal = signals_[k];
    const History& history = *interface[k].now;
    signal.times.clear();
    for (std::size_t j = signal.first; j < history.end(); ++j) signal.times.push_back(history.time(j));
    const bool sloped = history.has_derivatives() && !signal.times.empty();
    signal.distance = sloped ? (signal.times.back() - signal.from) / static_cast<double>(signal.times.size()) : 0.0;
    signal.begin = size_;
    size_ += signal.size();
  }
}

Eigen::VectorXd Waveform::values(const std::vector<InterfaceSignal>& interface, Pass pass) const {
  Eigen::VectorXd all(size_);
  for (std::size_t k = 0; k < interface.size(); ++k) {
    const Signal& signal = signals_[k];
    const History& history = pass == Pass::now ? *interface[k].now : *interface[k].before;
    Reading value(history, signal.first, interface[k].column, false, tolerance_);
    double* out = all.data() + signal.begin;
    for (const double t : signal.times) *out++ = value.at(t);
    if (signal.distance == 0.0) continue;
    Reading slope(history, signal.first, interface[k].column, true, tolerance_);
    for (const double t : signal.times) *out++ = signal.distance * slope.at(t);
  }
  return all;
}

Eigen::VectorXd Waveform::weights(const std::vector<double>& sizes) const {
  Eigen::VectorXd all(size_);
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const double samples = std::sqrt(static_cast<double>(std::max<std::size_t>(1, signals_[k].times.size())));
    all.segment(signals_[k].begin, signals_[k].size()).setConstant(1.0 / (samples * (sizes[k] > 0.0 ? sizes[k] : 1.0)));
  }
  return all;
}

std::vector<Eigen::Index> Waveform::shape() const {
  std::vector<Eigen::Index> sizes;
  for (const Signal& signal : signals_) sizes.push_back(signal.size());
  return sizes;
}

double Waveform::place(std::size_t signal, Eigen::Index sample) const {
  const Signal& s = signals_[signal];
  return (s.times[static_cast<std::size_t>(sample)] - s.from) / (s.times.back() - s.from);
}

double Waveform::length() const {
  double longest = 0.0;
  for (const Signal& signal : signals_) {
    if (!signal.times.empty()) longest = std::max(longest, signal.times.back() - signal.from);
  }
  return longest;
}

void Waveform::shift(const Eigen::VectorXd& by, const std::vector<InterfaceSignal>& interface,
                     std::vector<History>& read) const {
  for (std::size_t k = 0; k < interface.size(); ++k) {
    const Signal& signal = signals_[k];
    if (signal.times.empty()) continue;
    History& history = read[interface[k].source];
    const double* values = by.data() + signal.begin;
    const double* slopes = signal.distance > 0.0 ? values + signal.times.size() : nullptr;
    for (std::size_t j = signal.first; j < history.end(); ++j) {
      const double slope = slopes != nullptr ? shift_at(signal, slopes, history.time(j)) / signal.distance : 0.0;
      history.shift(j, interface[k].column, shift_at(signal, values, history.time(j)), slope);
    }
  }
}

/// A line between the times of the vector, from zero at the beginning of the window.
double Waveform::shift_at(const Signal& signal, const double* by, double t) const {
  const auto next = std::lower_bound(signal.times.begin(), signal.times.end(), t - tolerance_);
  if (next == signal.times.end()) return by[signal.times.size() - 1];
  const std::size_t k = static_cast<std::size_t>(next - signal.times.begin());
  if (std::abs(*next - t) <= tolerance_) return by[k];
  const double from = k == 0 ? signal.from : signal.times[k - 1];
  const double before = k == 0 ? 0.0 : by[k - 1];
  return before + (by[k] - before) * (t - from) / (*next - from);
}

}  // namespace counterpoint
