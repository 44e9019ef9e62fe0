#include "multibody/dynamic_stall.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace counterpoint::multibody {

namespace {

using std::numbers::pi;
constexpr double largest_mach = 0.9;      // the corrections for compressibility end before the speed of sound
constexpr double chordwise_offset = 0.2;  // Gonzalez: lets the chordwise force become negative
constexpr double impulse_share = 0.75;    // of the time constants of the impulsive loads
constexpr double lowest_speed = 1.0;      // of the filter, m/s
constexpr double nearly_separated = 0.7;  // point of separation below which the leading edge counts as separated
constexpr double steady_from = 40.0 * pi / 180.0, steady_at = 45.0 * pi / 180.0;  // polars are steady beyond

/// Deficiency y of x after a way: y decays, and a change of x adds to it in the middle of the step.
double deficiency(double way, double lag, double y, double change) {
  return y * std::exp(-way / lag) + change * std::exp(-0.5 * way / lag);
}

}  // namespace

double DynamicStall::slope(double speed) const {
  const double mach = std::min(speed / law_.speed_of_sound, largest_mach);
  return law_.lift_slope / std::sqrt(1.0 - mach * mach);
}

DynamicStall::Steady DynamicStall::steady(double angle, double slope) const {
  const Polar::Value polar = polar_.at(angle);
  const double sine = std::sin(angle), cosine = std::cos(angle), drag = polar.drag - law_.least_drag;
  const double normal = polar.lift * cosine + drag * sine, along = polar.lift * sine - drag * cosine;
  const double attached = slope * (angle - law_.zero_lift);
  // Kirchhoff's flow past a plate: normal force = attached one ((1 + sqrt f) / 2)^2, eq. 1.32.
  const double ratio = attached == 0.0 ? 0.0 : std::max(normal / attached, 0.0);
  const double root = 2.0 * std::sqrt(ratio) - 1.0;
  Steady found;
  found.separation = std::min(root * root, 1.0);
  found.separated = found.separation == 1.0 ? 0.0 : (normal - attached * found.separation) / (1.0 - found.separation);
  const double most = (1.0 + chordwise_offset) * (1.0 + chordwise_offset);
  const double ideal = attached * std::tan(angle);
  const double part = ideal == 0.0 ? 1.0 : along / ideal;
  found.chordwise = std::min(most, (part + chordwise_offset) * (part + chordwise_offset));
  return found;
}

void DynamicStall::settle(double angle, double speed, double* state) const {
  std::fill_n(state, states, 0.0);
  const double a = slope(speed);
  const Steady found = steady(angle, a);
  state[angle_filtered] = angle;
  state[potential] = a * (angle - law_.zero_lift);
  state[separation_wanted] = state[separation_point] = found.separation;
  state[chord_wanted] = found.chordwise;
  state[separation_pace] = state[vortex_pace] = 1.0;
  const double root = 0.5 + 0.5 * std::sqrt(found.separation);
  state[vortex_feed] = state[potential] * (1.0 - root * root);
}

void DynamicStall::advance(double angle, double speed, double chord, double h, const double* before,
                           double* after) const {
  std::copy_n(before, states, after);
  if (h <= 0.0 || speed <= 0.0) return;
  const double* b = before;
  double* s = after;
  const double way = 2.0 * speed * h / chord;  // half chords
  const double mach = std::min(speed / law_.speed_of_sound, largest_mach), squeezed = 1.0 - mach * mach;
  const double beta = std::sqrt(squeezed);
  const double a = law_.lift_slope / beta;
  // Filtered angle of attack and its rates, eq. 1.7 and 1.8.
  const double keep = std::exp(-2.0 * h * std::max(lowest_speed, speed) * law_.filter / chord);
  s[angle_filtered] = keep * b[angle_filtered] + (1.0 - keep) * angle;
  const double change = s[angle_filtered] - b[angle_filtered];
  s[pitch_rate] = change / h * chord / speed;
  s[pitch_filtered] = keep * b[pitch_filtered] + (1.0 - keep) * s[pitch_rate];
  s[angle_rate] = s[pitch_filtered] * speed / chord;
  s[pitch_change] = keep * b[pitch_change] + (1.0 - keep) * (s[pitch_rate] - b[pitch_rate]) / h;
  // Impulsive loads, eq. 1.10, 1.11, 1.17 to 1.19.
  const double fast =
      law_.lift_slope * mach * mach * beta * (law_.weight[0] * law_.rate[0] + law_.weight[1] * law_.rate[1]);
  const double sound = impulse_share * chord / law_.speed_of_sound;
  const double of_angle = sound / (1.0 - mach + 0.5 * fast), of_pitch = sound / (1.0 - mach + fast);
  s[impulse_angle] = deficiency(h, of_angle, b[impulse_angle], s[angle_rate] - b[angle_rate]);
  s[impulse_pitch] = deficiency(h, of_pitch, b[impulse_pitch], s[pitch_change] - b[pitch_change]);
  s[impulsive] =
      (4.0 * of_angle * (s[angle_rate] - s[impulse_angle]) - of_pitch * (s[pitch_change] - s[impulse_pitch])) / mach;
  // Shed wake, eq. 1.13 to 1.15, and the pressure that lags, eq. 1.34 and 1.35.
  s[wake_first] = deficiency(way * squeezed * law_.rate[0], 1.0, b[wake_first], law_.weight[0] * change);
  s[wake_second] = deficiency(way * squeezed * law_.rate[1], 1.0, b[wake_second], law_.weight[1] * change);
  const double circulatory = a * (s[angle_filtered] - law_.zero_lift - s[wake_first] - s[wake_second]);
  s[potential] = circulatory + s[impulsive];
  s[pressure] = deficiency(way, law_.pressure_lag, b[pressure], s[potential] - b[potential]);
  // Points of separation that lag, eq. 1.36 and 1.37.
  const Steady found = steady(law_.zero_lift + (s[potential] - s[pressure]) / a, a);
  s[separation_wanted] = found.separation;
  s[chord_wanted] = found.chordwise;
  s[separation_lag] = deficiency(way, law_.wake_lag / b[separation_pace], b[separation_lag],
                                 s[separation_wanted] - b[separation_wanted]);
  s[chord_lag] = deficiency(way, law_.wake_lag, b[chord_lag], s[chord_wanted] - b[chord_wanted]);
  s[separation_point] = std::clamp(s[separation_wanted] - s[separation_lag], 0.0, 1.0);
  // Vortex at the leading edge, eq. 1.47 to 1.52.
  const double root = 0.5 + 0.5 * std::sqrt(s[separation_point]);
  s[vortex_feed] = circulatory * (1.0 - root * root);
  const double lag = law_.vortex_lag / b[vortex_pace];
  const bool past = b[vortex_way] > law_.vortex_passage && s[angle_rate] * (s[angle_filtered] - law_.zero_lift) > 0.0;
  s[vortex_lift] = past ? b[vortex_lift] * std::exp(-way / lag)
                        : deficiency(way, lag, b[vortex_lift], s[vortex_feed] - b[vortex_feed]);
  s[vortex_lift] = std::max(s[vortex_lift], 0.0);
  pace(way, before, after);
}

void DynamicStall::pace(double way, const double* b, double* s) const {
  const double pushed = s[potential] - s[pressure], away = s[angle_rate] * (s[angle_filtered] - law_.zero_lift);
  const bool leading = pushed > law_.upper_stall || pushed < law_.lower_stall;
  const bool separating = s[separation_point] < b[separation_point];
  const bool over_chord = b[vortex_way] > 0.0 && b[vortex_way] <= law_.vortex_passage;
  double& sigma1 = s[separation_pace] = 1.0;
  if (separating) {
    if (away < 0.0) {
      sigma1 = 2.0;
    } else if (leading) {
      sigma1 = b[separation_point] <= nearly_separated ? 2.0 : 1.75;
    }
  } else {
    if (!leading) sigma1 = 0.5;
    if (over_chord) sigma1 = 0.25;
    if (away > 0.0) sigma1 = 0.75;
  }
  double& sigma3 = s[vortex_pace] = 1.0;
  if (b[vortex_way] >= law_.vortex_passage && b[vortex_way] <= 2.0 * law_.vortex_passage) {
    sigma3 = separating ? 3.0 : 4.0;
  } else if (over_chord) {
    sigma3 = away < 0.0 ? 2.0 : 1.0;
  } else if (away < 0.0) {
    sigma3 = 4.0;
  }
  if (!separating && s[pitch_change] * (s[angle_filtered] - law_.zero_lift) < 0.0) sigma3 = 1.0;
  if (b[vortex_way] > 0.0 || leading) s[vortex_way] = b[vortex_way] + way;
  const double next = law_.vortex_passage + 2.0 * (1.0 - s[separation_point]) / law_.shedding;
  if (s[vortex_way] >= next && separating) s[vortex_way] = 0.0;
}

DynamicStall::Value DynamicStall::at(double angle, double speed, const double* s) const {
  const double a = slope(speed), effective = s[angle_filtered] - s[wake_first] - s[wake_second];
  const double circulatory = a * (effective - law_.zero_lift), f = s[separation_point];
  const double chordwise = std::max(s[chord_wanted] - s[chord_lag], 0.0);
  double normal = s[impulsive] + circulatory * f + steady(effective, a).separated * (1.0 - f);
  double along = circulatory * std::tan(effective) * (std::sqrt(chordwise) - chordwise_offset);
  if (s[vortex_way] > 0.0) normal += s[vortex_lift];
  along += s[vortex_lift] * (effective - law_.zero_lift) * (1.0 - s[vortex_way] / law_.vortex_passage);
  const double sine = std::sin(angle), cosine = std::cos(angle);
  const Polar::Value polar = polar_.at(angle);
  // Towards the steady polar in deep stall.
  const double part = std::clamp((std::abs(angle) - steady_from) / (steady_at - steady_from), 0.0, 1.0);
  const double still = 0.5 * (1.0 - std::cos(pi * part));
  Value value;
  value.lift = (1.0 - still) * (normal * cosine + along * sine) + still * polar.lift;
  value.drag = (1.0 - still) * (normal * sine - along * cosine + law_.least_drag) + still * polar.drag;
  value.moment = polar.moment;
  return value;
}

}  // namespace counterpoint::multibody
