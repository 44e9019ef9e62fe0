#pragma once

#include <utility>
#include <vector>

#include "ode/first_crossing.hpp"
#include "ode/hybrid_system.hpp"

namespace counterpoint {

/// Finds the first time within a step at which an event indicator of a system changes its sign.
///
/// It searches on the method's interpolant, or for methods without one on the cubic through both ends of the step; the
/// time is then confirmed by steps of the method itself. An indicator that changes its sign twice within one step is
/// not seen.
class EventLocation {
 public:
  EventLocation(Method& method, HybridSystem& system, int states, int indicators);

  /// A step that was made; `x_end` holds its end, and afterwards the state where the system was placed last.
  struct Attempt {
    double begin, end;
    const double* x;
    const double* slope;
    double* x_end;
    int number;  ///< attempts given up so far, counted on
  };

  /// How near a crossing is located, s, from `begin` in a step of this length.
  double tolerance(double begin, double step) const;

  /// The time right after the first crossing. There is one: signs differ between `g_begin` and `g_end`. The system
  /// is placed at this time, and `g_end` holds its indicators there.
  double locate(Attempt& attempt, const std::vector<double>& g_begin, std::vector<double>& g_end);

  /// Shorten the attempt to `end` and place the system there.
  void shorten(Attempt& attempt, double end);

 private:
  void keep(const Attempt& attempt);
  void interpolate(const Attempt& attempt, double t);
  void step_again(Attempt& attempt, double t);
  void find_rates(const Attempt& attempt);
  double confirm(Attempt& attempt, double tolerance, const std::vector<double>& g_begin, std::vector<double>& g_end);

  Method& method_;
  HybridSystem& system_;
  Bracket bracket_;
  std::vector<double> x_whole_, slope_whole_;  ///< at the end of the whole attempt
  std::vector<double> rates_;                  ///< of indicators near the crossing
};

/// Watches for chattering: too many events of one indicator in a short time.
class ChatterWatch {
 public:
  static constexpr double most = 6.0;    ///< events within a window
  static constexpr double window = 1e5;  ///< in tolerances of location

  explicit ChatterWatch(int indicators) : begin_(indicators), count_(indicators) { start(); }
  void start();
  /// Note an event at t; false when there were too many of this indicator within a window.
  bool note(int indicator, double t, double tolerance);
  /// Since when the events of an indicator follow each other closely, s.
  double since(int indicator) const { return begin_[indicator]; }

  const std::vector<double>& begins() const { return begin_; }
  const std::vector<double>& counts() const { return count_; }
  void set(std::vector<double> begins, std::vector<double> counts) {
    begin_ = std::move(begins);
    count_ = std::move(counts);
  }

 private:
  std::vector<double> begin_, count_;
};

}  // namespace counterpoint
