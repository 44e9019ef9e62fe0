#include "diagram/blocks/signal_record.hpp"

#include "recipe/factory.hpp"

namespace counterpoint::diagram {

void SignalRecord::write(recipe::Writer& writer) const { writer(times_, values_, breaks_); }

void SignalRecord::read(recipe::Reader& reader) {
  reader(times_, values_, breaks_);
  const bool fits =
      breaks_.size() == times_.size() && values_.size() == 2 * times_.size() * static_cast<std::size_t>(width_);
  if (!fits) reader.fail("times and values of a delayed signal do not fit each other");
}

void SignalRecord::linear(double t, int from, int to, double* out) const {
  if (from == to) {
    std::copy_n(t < times_[from] ? left(from) : right(from), width_, out);
    return;
  }
  const int k = interval(t, from, to);
  const double s = (t - times_[k]) / (times_[k + 1] - times_[k]);
  for (int i = 0; i < width_; ++i) out[i] = (1.0 - s) * value(k, to, i) + s * value(k + 1, to, i);
}

/// Derivative at record k of the parabola through it and its neighbours in [from, to]; a line when there is only one.
double SignalRecord::slope(int k, int from, int to, int i) const {
  const int first = std::clamp(k - 1, from, std::max(from, to - 2));
  const int last = std::min(first + 2, to);
  const double t0 = times_[first], t1 = times_[first + 1], t2 = times_[last];
  const double d01 = (value(first + 1, to, i) - value(first, to, i)) / (t1 - t0);
  if (last == first + 1) return d01;
  const double d12 = (value(last, to, i) - value(first + 1, to, i)) / (t2 - t1);
  const double curvature = (d12 - d01) / (t2 - t0);
  return d01 + curvature * ((times_[k] - t0) + (times_[k] - t1));
}

void SignalRecord::cubic(double t, int from, int to, double* out) const {
  // A parabola continued beyond the last record runs away faster than it helps.
  if (from == to || t > times_[to]) {
    linear(t, from, to, out);
    return;
  }
  const int k = interval(t, from, to);
  from = is_break(k) ? k : std::max(from, k - 1);
  to = is_break(k + 1) ? k + 1 : std::min(to, k + 2);
  const double h = times_[k + 1] - times_[k];
  const double s = (t - times_[k]) / h, r = 1.0 - s;
  for (int i = 0; i < width_; ++i) {
    out[i] = r * r * ((1.0 + 2.0 * s) * value(k, to, i) + s * h * slope(k, from, to, i)) +
             s * s * ((3.0 - 2.0 * s) * value(k + 1, to, i) - r * h * slope(k + 1, from, to, i));
  }
}

}  // namespace counterpoint::diagram
