#pragma once

#include <array>
#include <vector>

#include "multibody/polar.hpp"

namespace counterpoint::multibody {

/// Dynamic stall of Beddoes-Leishman type in state-space form: M. H. Hansen, M. Gaunaa and H. A. Madsen, "A
/// Beddoes-Leishman type dynamic stall model in state-space and indicial formulations", Risoe-R-1354 (2004); without
/// the apparent mass of the section.
struct StallLaw {
  double zero_lift = 0.0;                                    ///< angle of attack without lift, rad
  double lift_slope = 0.0;                                   ///< of attached flow, 1/rad; 0: no dynamic stall
  double pressure_lag = 1.7, wake_lag = 3.0;                 ///< T_p and T_f, in half chords travelled
  std::array<double, 2> weight{0.3, 0.7}, rate{0.14, 0.53};  ///< of the response to a step (Jones)
};

class DynamicStall {
 public:
  static constexpr int states = 4;
  struct Value {
    double lift = 0.0, drag = 0.0, moment = 0.0;
  };

  DynamicStall(const Polar& polar, const StallLaw& law);
  bool on() const { return law_.lift_slope > 0.0; }
  /// States that have been at an angle of attack for ever.
  void settle(double angle, double* state) const;
  /// States after h seconds with a relative wind (m/s) at this angle on a chord (m); exact for constant values.
  void advance(double angle, double speed, double chord, double h, const double* before, double* after) const;
  Value at(double angle, const double* state) const;

 private:
  double attached(double angle) const { return law_.lift_slope * (angle - law_.zero_lift); }
  double separation(double angle) const;
  double between(const std::vector<double>& table, double angle) const;

  const Polar& polar_;
  StallLaw law_;
  std::vector<double> attached_part_;  ///< where the flow separates, over the angles of the polar
  std::vector<double> attached_lift_, separated_lift_;
};

}  // namespace counterpoint::multibody
