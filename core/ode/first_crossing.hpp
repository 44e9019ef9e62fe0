#pragma once

#include <algorithm>
#include <vector>

namespace counterpoint {

/// An interval in which at least one of several functions changes its sign for the first time: at `a` none has, at `b`
/// one or more have.
struct Bracket {
  double a = 0.0, b = 0.0;
  std::vector<double> g_a, g_b;
};

/// Whether a function has changed its sign. Signs are compared, not multiplied: a product of small values is zero.
inline bool is_crossing(double from, double to) { return (from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0); }

/// Whether any function has another sign than it had; those that were zero are not asked.
inline bool changes_sign(const std::vector<double>& from, const std::vector<double>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (is_crossing(from[i], to[i])) return true;
  }
  return false;
}

/// Narrow the bracket to `tolerance`. `evaluate(t, g)` writes all functions at t; `from` holds the signs that count as
/// unchanged.
///
/// Regula falsi with halved weights (Illinois) on the function whose line crosses first; others are watched by
/// their signs, so that the first crossing of all is found. Every fourth try halves the interval: lines can be poor
/// guesses for long. A guess stays a tolerance away from both ends, so that the bracket closes from both sides.
template <class Evaluate>
void narrow(Bracket& bracket, const std::vector<double>& from, double tolerance, Evaluate&& evaluate) {
  std::vector<double> g(from.size());
  std::size_t leading = from.size();
  double weight_a = 1.0, weight_b = 1.0;
  int side = 0;  // of the last try: -1 left of the crossing, +1 right
  for (int k = 1; bracket.b - bracket.a > 1.01 * tolerance && k < 200; ++k) {
    const double width = bracket.b - bracket.a;
    double first = 1.0;
    std::size_t now = leading;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!is_crossing(from[i], bracket.g_b[i])) continue;
      const double share = bracket.g_a[i] / (bracket.g_a[i] - bracket.g_b[i]);
      if (share > first || (share == first && now < from.size())) continue;
      first = share;
      now = i;
    }
    if (now != leading) {
      leading = now;
      weight_a = weight_b = 1.0;
    } else {
      const double left = weight_a * bracket.g_a[leading];
      first = left / (left - weight_b * bracket.g_b[leading]);
    }
    double t = bracket.a + (k % 4 == 0 ? 0.5 : first) * width;
    const double margin = std::min(tolerance, 0.5 * width);
    t = std::clamp(t, bracket.a + margin, bracket.b - margin);
    evaluate(t, g);
    const bool is_after = changes_sign(from, g);
    if (is_after) {
      bracket.b = t;
      bracket.g_b = g;
      weight_b = 1.0;
      if (side == 1) weight_a *= 0.5;
    } else {
      bracket.a = t;
      bracket.g_a = g;
      weight_a = 1.0;
      if (side == -1) weight_b *= 0.5;
    }
    side = is_after ? 1 : -1;
  }
}

}  // namespace counterpoint
