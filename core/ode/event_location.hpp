#pragma once

#include <utility>
#include <vector>

#include "ode/first_crossing.hpp"
#include "ode/method.hpp"

namespace counterpoint {

/// A model within a step, its modes frozen, as event location asks it.
class CrossingModel {
 public:
  virtual ~CrossingModel() = default;
  /// The attempt's `x_end` holds the state at t, found without a step: evaluate what depends on it.
  virtual void evaluate_guess(double t) = 0;
  /// Make a step of the method from the begin of the attempt to t, its end in `x_end`, and evaluate what depends on it.
  virtual void step_again(double t) = 0;
  /// Crossing functions and dx/dt where the model was evaluated last.
  virtual void crossing(double* g) = 0;
  virtual void slopes(double* dx) = 0;
};

/// Finds the first time within a step at which a crossing function of a model changes its sign.
///
/// It looks on the method's interpolant, or for methods without one on the cubic through both ends of the step; the
/// time is then confirmed by steps of the method itself. A function that changes its sign twice within one step is not
/// seen.
class EventLocation {
 public:
  EventLocation(Method& method, CrossingModel& model, int states, int functions);

  /// A step that was made; `x_end` holds its end, and afterwards the state where the model was evaluated last.
  struct Attempt {
    double begin, end;
    const double* x;
    const double* slope;
    double* x_end;
  };

  /// How near a crossing is located, s, from `begin` in a step of this length.
  double tolerance(double begin, double step) const;

  /// The time right after the first crossing. There is one: signs differ between `g_begin` and `g_end`. The model
  /// is evaluated at this time, and `g_end` holds its functions there.
  double locate(const Attempt& attempt, const std::vector<double>& g_begin, std::vector<double>& g_end);

  /// Shorten the attempt to `end` and evaluate the model there.
  void shorten(const Attempt& attempt, double end);

 private:
  void keep(const Attempt& attempt);
  void guess(const Attempt& attempt, double t);
  void find_rates(const Attempt& attempt);
  double confirm(const Attempt& attempt, double tolerance, const std::vector<double>& g_begin,
                 std::vector<double>& g_end);

  Method& method_;
  CrossingModel& model_;
  Bracket bracket_;
  std::vector<double> x_whole_, slope_whole_;  ///< at the end of the whole attempt
  std::vector<double> rates_;                  ///< of crossing functions near the crossing
};

/// Watches for events of one function that follow each other without end.
class ChatterWatch {
 public:
  static constexpr double most = 6.0;    ///< events within a window
  static constexpr double window = 1e5;  ///< in tolerances of location

  explicit ChatterWatch(int functions) : begin_(functions), count_(functions) { start(); }
  void start();
  /// Note an event at t; false when there were too many of this function within a window.
  bool note(int function, double t, double tolerance);
  /// Since when the events of a function follow each other closely, s.
  double since(int function) const { return begin_[function]; }

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
