#pragma once

#include <array>
#include <vector>

#include "multibody/polar.hpp"

namespace counterpoint::multibody {

/// Dynamic stall of Beddoes and Leishman in the variant of Minnema and Pierce: R. Damiani and G. Hayman, "The Unsteady
/// Aerodynamics Module for FAST8", NREL/TP-5000-66347 (2019); normal force with the separated part of the polar as in
/// OpenFAST 3 and later. Angles of attack are those at the quarter chord.
struct StallLaw {
  double zero_lift = 0.0;                                    ///< angle of attack without lift, rad
  double lift_slope = 0.0;                                   ///< of the normal force in attached flow, 1/rad; 0: off
  double least_drag = 0.0;                                   ///< drag coefficient without lift
  double upper_stall = 2.0, lower_stall = -2.0;              ///< normal force at which the leading edge separates
  double speed_of_sound = 340.0;                             ///< m/s
  double pressure_lag = 1.7, wake_lag = 3.0;                 ///< T_p and T_f0, in half chords travelled
  double vortex_lag = 6.0, vortex_passage = 11.0;            ///< T_V0 and T_VL, in half chords
  double shedding = 0.19;                                    ///< Strouhal number of the vortices
  std::array<double, 2> weight{0.3, 0.7}, rate{0.14, 0.53};  ///< of the response to a step
  double filter = 0.5;                                       ///< reduced frequency up to which angles are followed
};

class DynamicStall {
 public:
  /// What is remembered from step to step, in the order in which `advance` writes it.
  enum State {
    angle_filtered,     ///< angle of attack, low-pass filtered
    angle_rate,         ///< its rate, filtered, 1/s
    pitch_rate,         ///< rate times chord over speed
    pitch_filtered,     ///< the same, filtered
    pitch_change,       ///< its change per second, filtered
    impulse_angle,      ///< deficiency of the impulsive load by the rate of the angle
    impulse_pitch,      ///< deficiency of that by the change of the rate
    wake_first,         ///< deficiency of the angle by the shed wake, slow part
    wake_second,        ///< fast part
    impulsive,          ///< normal force of the impulsive loads
    potential,          ///< normal force of attached flow
    pressure,           ///< deficiency of its pressure
    separation_wanted,  ///< point of separation that the pressure asks for
    separation_lag,     ///< by how much the point of separation is behind it
    chord_wanted,       ///< as separation_wanted, for the chordwise force
    chord_lag,          ///< as separation_lag, for the chordwise force
    separation_point,   ///< 1: attached, 0: separated
    vortex_feed,        ///< what feeds the vortex at the leading edge
    vortex_lift,        ///< normal force of the vortex
    vortex_way,         ///< half chords that it has travelled; 0: there is none
    separation_pace,    ///< sigma_1: how many times faster the point of separation follows
    vortex_pace,        ///< sigma_3: how many times faster the vortex dies away
    states
  };
  struct Value {
    double lift = 0.0, drag = 0.0, moment = 0.0;
  };

  DynamicStall(const Polar& polar, const StallLaw& law) : polar_(polar), law_(law) {}
  bool on() const { return law_.lift_slope > 0.0; }
  /// States that have been at an angle of attack for ever.
  void settle(double angle, double speed, double* state) const;
  /// States after h seconds with a relative wind (m/s) at this angle on a chord (m).
  void advance(double angle, double speed, double chord, double h, const double* before, double* after) const;
  Value at(double angle, double speed, const double* state) const;

 private:
  struct Steady {
    double separation = 0.0, chordwise = 0.0, separated = 0.0;
  };
  /// Compressible slope of the normal force, 1/rad (Prandtl and Glauert).
  double slope(double speed) const;
  /// Points of separation of the steady polar (for the normal and the chordwise force), and its separated normal force.
  Steady steady(double angle, double slope) const;
  void pace(double h_chords, const double* before, double* after) const;

  const Polar& polar_;
  StallLaw law_;
};

}  // namespace counterpoint::multibody
