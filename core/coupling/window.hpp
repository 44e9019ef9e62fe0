#pragma once

#include <vector>

#include "signal/history.hpp"
#include "signal/polynomial.hpp"

namespace counterpoint {

class Network;

/// A scalar output that a consumer extrapolates in the first pass of a window and interpolates in the others.
struct InterfaceSignal {
  int source;  ///< participant
  int column;
  const History* now;     ///< what this pass has published, from the beginning of the window on
  const History* before;  ///< what the pass before has published
};

/// What windows have said about themselves so far.
struct WindowTally {
  long windows = 0;
  long passes = 0;               ///< first ones and repeats of these windows
  long not_converged = 0;        ///< windows whose last repeat changed more than the tolerance
  double largest_change = 0.0;   ///< by the last repeat of a window, relative
  double time_of_largest = 0.0;  ///< end of that window, s
};

/// A stretch of time that may be repeated until it converges.
///
/// Contract for implementers:
///  1. `end_after(from)` is where the window that begins at `from` ends, later than `from`; it is asked once for each
///     window, in order. The end of the run cuts it.
///  2. `opened(interface)` tells what the interface is at the beginning, from the last samples of `now`.
///  3. `again(pass, end, interface)` is asked after every pass, the first being number 0: whether all participants are
///     restored to the beginning and go through the window again. It is told the interface over the stretch.
///  4. When it says no and `discards_repeats`, the window is gone through once more as in the first pass. The same is
///     done when the numbers of a repeat fail (NaN, a solver that gives up) and `repeat_failed` says so; else the run
///     ends.
///  5. `is_over(from, tolerance)` is asked before each window: the run then goes on without.
///  6. Where no consumer extrapolates there is no interface: neither is called, and there is one pass.
///  7. What it answers follows from what it is told, so that equal runs give equal bits.
///  8. One that never answers yes says so (`may_repeat`): subsystems that cannot save will do then.
///  9. After a yes, `reads_earlier` says whether the next pass interpolates what this one has published, or begins
///     afresh, and `end_of_repeat` where it ends: not after the window.
class Window {
 public:
  virtual ~Window() = default;
  virtual void join(const Network& /*network*/) {}
  virtual double end_after(double from) = 0;
  virtual void opened(const std::vector<InterfaceSignal>& /*interface*/) {}
  virtual bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) = 0;
  virtual bool discards_repeats() const { return false; }
  virtual bool repeat_failed() { return false; }
  virtual bool is_over(double /*from*/, double /*tolerance*/) const { return false; }
  virtual bool may_repeat() const { return true; }
  virtual bool reads_earlier() const { return true; }
  virtual double end_of_repeat() const { return Polynomial::infinity; }
  /// Whether repeats take samples from both sides, since those ahead are known.
  virtual bool centred() const { return false; }
  /// Add what it has to say.
  virtual void report(WindowTally& /*tally*/) const {}
};

/// How long windows of equal length are, and when they have been repeated enough.
struct WindowSpec {
  double length = 0.0;     ///< s
  int repeats = 1;         ///< after the first pass, at most
  double tolerance = 0.0;  ///< a repeat that changes less is the last one; 0: repeat as often as said
  bool centred = false;    ///< repeats take samples from both sides
};

/// Windows of equal length, repeated a number of times or until a repeat changes little.
/// Change: of an output at the end of the window, from one pass to the next, relative to its largest absolute value at
/// the ends of windows so far.
class RepeatedWindow final : public Window {
 public:
  RepeatedWindow(const WindowSpec& spec, double start) : spec_(spec), start_(start) {}
  double end_after(double from) override;
  void opened(const std::vector<InterfaceSignal>& interface) override;
  bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) override;
  bool centred() const override { return spec_.centred; }
  void report(WindowTally& tally) const override;

 private:
  double change(const std::vector<InterfaceSignal>& interface) const;

  WindowSpec spec_;
  double start_;
  double count_ = 0.0;          ///< of windows, a whole number
  std::vector<double> scales_;  ///< largest absolute values of the interface at the ends of windows
  long not_converged_ = 0;
  double largest_change_ = 0.0;
  double time_of_largest_ = 0.0;
};

}  // namespace counterpoint
