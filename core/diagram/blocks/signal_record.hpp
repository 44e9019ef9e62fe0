#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace counterpoint::recipe {
class Writer;
class Reader;
}  // namespace counterpoint::recipe

namespace counterpoint::diagram {

/// What a signal was at accepted times: at each of them the value approaching it and the value after it, which differ
/// where it jumped. Never interpolated over a jump.
class SignalRecord {
 public:
  explicit SignalRecord(int width = 1) : width_(width) {}

  void clear() {
    times_.clear();
    values_.clear();
    breaks_.clear();
    inside_.clear();
  }
  int size() const { return static_cast<int>(times_.size()); }
  double time(int k) const { return times_[k]; }
  double last_time() const { return times_.back(); }
  const double* left(int k) const { return values_.data() + 2 * width_ * static_cast<std::size_t>(k); }
  const double* right(int k) const { return left(k) + width_; }
  bool is_jump(int k) const { return breaks_[k] == 2; }
  /// The signal jumps, or may have a kink.
  bool is_break(int k) const { return breaks_[k] != 0; }

  /// A new time, later than all others.
  void add(double t, const double* value, int stride, bool has_kink) {
    times_.push_back(t);
    breaks_.push_back(has_kink ? 1 : 0);
    inside_.emplace_back();
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < width_; ++i) values_.push_back(value[i * stride]);
    }
  }
  /// What the signal was at evenly spaced times between the last two, one value after another: they divide it into a
  /// multiple of four parts.
  void set_inside(const std::vector<double>& values) { inside_.back() = values; }
  /// The value after the last time, which may be another one than before it.
  void set_right(const double* value, int stride) {
    double* right = values_.data() + values_.size() - width_;
    const double* left = right - width_;
    bool jumps = false;
    for (int i = 0; i < width_; ++i) {
      right[i] = value[i * stride];
      // Differences of rounding are no jump: each jump splits a step later on.
      jumps = jumps || std::abs(right[i] - left[i]) > 1e-10 * (std::abs(right[i]) + std::abs(left[i]));
    }
    if (jumps)
      breaks_.back() = 2;
    else if (breaks_.back() == 2)
      breaks_.back() = 0;
  }
  /// The last record at or before t; the first when there is none.
  int find(double t) const {
    return std::max(0, static_cast<int>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin()) - 1);
  }
  /// Forget all but `reserve` of those before t.
  void forget(double t, int reserve) {
    const int before = static_cast<int>(std::lower_bound(times_.begin(), times_.end(), t) - times_.begin());
    const int drop = before - reserve;
    // Rarely, so that the moving of the rest does not count.
    if (drop < 64 || drop < size() / 2) return;
    times_.erase(times_.begin(), times_.begin() + drop);
    breaks_.erase(breaks_.begin(), breaks_.begin() + drop);
    inside_.erase(inside_.begin(), inside_.begin() + drop);
    values_.erase(values_.begin(), values_.begin() + 2L * width_ * drop);
  }

  void write(recipe::Writer& writer) const;
  void read(recipe::Reader& reader);

  /// The signal at t by a line, known to be between the records `from` and `to` (no jump inside); continued beyond the
  /// last. Where it is known what the signal was inside, both this and `cubic` follow that.
  void linear(double t, int from, int to, double* out) const;
  /// Lagrange's polynomial through five values; p counts from one to the next. A constant stays one to the last bit.
  static double quartic(double p, double y0, double y1, double y2, double y3, double y4) {
    const double a = p - 1.0, b = p - 2.0, c = p - 3.0, d = p - 4.0;
    const double w1 = -p * b * c * d / 6.0, w2 = p * a * c * d / 4.0, w3 = -p * a * b * d / 6.0,
                 w4 = p * a * b * c / 24.0;
    return y0 + (w1 * (y1 - y0) + w2 * (y2 - y0) + w3 * (y3 - y0) + w4 * (y4 - y0));
  }
  /// Cubic through the two records around t, with slopes from the parabola through three neighbours.
  void cubic(double t, int from, int to, double* out) const;

 private:
  int interval(double t, int from, int to) const {
    const auto begin = times_.begin();
    const int k = static_cast<int>(std::upper_bound(begin + from, begin + to + 1, t) - begin) - 1;
    return std::clamp(k, from, std::max(from, to - 1));
  }
  /// Whether the signal is known inside the interval that begins with record k.
  bool is_known_inside(int k) const { return !inside_[k + 1].empty(); }
  void polynomial(double t, int k, double* out) const;
  double slope(int k, int from, int to, int i) const;
  /// Value at record k as seen from inside the interval [from, to].
  double value(int k, int to, int i) const { return k == to ? left(k)[i] : right(k)[i]; }

  int width_;
  std::vector<double> times_, values_;
  std::vector<char> breaks_;                 ///< 0 smooth, 1 kink, 2 jump
  std::vector<std::vector<double>> inside_;  ///< by the record that ends the interval; empty: not known
};

}  // namespace counterpoint::diagram
