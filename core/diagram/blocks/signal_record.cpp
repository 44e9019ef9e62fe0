#include "diagram/blocks/signal_record.hpp"

#include "diagram/context.hpp"
#include "recipe/factory.hpp"

namespace counterpoint::diagram {

void SignalRecord::write(recipe::Writer& writer) const { writer(times_, values_, breaks_, inside_); }

void SignalRecord::read(recipe::Reader& reader) {
  reader(times_, values_, breaks_, inside_);
  const std::size_t width = static_cast<std::size_t>(width_);
  const bool fits = breaks_.size() == times_.size() && inside_.size() == times_.size() &&
                    values_.size() == 2 * times_.size() * width &&
                    std::all_of(inside_.begin(), inside_.end(), [&](const std::vector<double>& values) {
                      return values.empty() || (values.size() + width) % (fewest_parts * width) == 0;
                    });
  if (!fits) reader.fail("times and values of a delayed signal do not fit each other");
}

void SignalRecord::linear(double t, int from, int to, double* out) const {
  if (from == to) {
    std::copy_n(t < times_[from] ? left(from) : right(from), width_, out);
    return;
  }
  const int k = interval(t, from, to);
  if (t <= times_[k + 1] && is_known_inside(k)) return polynomial(t, k, out);
  const double s = (t - times_[k]) / (times_[k + 1] - times_[k]);
  for (int i = 0; i < width_; ++i) out[i] = (1.0 - s) * value(k, to, i) + s * value(k + 1, to, i);
}

/// Through both ends of the interval and the values inside, five at a time.
void SignalRecord::polynomial(double t, int k, double* out) const {
  const std::vector<double>& inside = inside_[k + 1];
  const int parts = static_cast<int>(inside.size()) / width_ + 1;
  const double p = parts * (t - times_[k]) / (times_[k + 1] - times_[k]);
  const int first = std::clamp(static_cast<int>(p) / 4 * 4, 0, parts - 4);
  const auto y = [&](int at) {
    return at == 0 ? right(k) : at == parts ? left(k + 1) : inside.data() + static_cast<std::size_t>(at - 1) * width_;
  };
  for (int i = 0; i < width_; ++i)
    out[i] = quartic(p - first, y(first)[i], y(first + 1)[i], y(first + 2)[i], y(first + 3)[i], y(first + 4)[i]);
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
  if (is_known_inside(k)) return polynomial(t, k, out);
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
