#pragma once

#include <string>
#include <vector>

#include "signal/history.hpp"
#include "signal/polynomial.hpp"

namespace counterpoint {

class Network;

/// A scalar output that a consumer extrapolates in the first pass of a window and interpolates in the repeats.
struct InterfaceSignal {
  int source;  ///< participant
  int column;
  const History* now;     ///< published in this pass, from the beginning of the window on
  const History* before;  ///< published in the previous pass
};

/// Statistics of the windows so far.
struct WindowTally {
  long windows = 0;
  long passes = 0;               ///< first passes and repeats
  long not_converged = 0;        ///< windows whose last repeat changed more than the tolerance
  double largest_change = 0.0;   ///< by the last repeat of a window, relative
  double time_of_largest = 0.0;  ///< end of that window, s
  long growing =
      0;          ///< windows without a tolerance whose repeats changed more and more, or more than the signal itself
  long cuts = 0;  ///< windows that were restarted with an earlier end
  std::vector<double> changes;  ///< by each repeat of the window that missed convergence the most
  int participant = -1;         ///< whose output changed most in that window
  int column = -1;              ///< number of that output; -1: all windows have converged
  std::string obstacle;         ///< why nothing was repeated after all
};

/// A time span that may be repeated until it converges.
///
/// Contract for implementers:
///  1. `end_after(from)` is the end of the window that begins at `from`, later than `from`. It is called once per
///  window,
///     in order. The end of the run cuts the last window.
///  2. `opened(interface)` passes the interface at the beginning, from the last samples of `now`.
///  3. `again(pass, end, interface)` is called after every pass, the first being number 0. If it returns true, all
///     participants are restored to the beginning and make the window again. It gets the interface over the whole
///     window. `propose(interface, read)` is called then; it may change what the next pass reads, which is what this
///     pass has published (`read`, by participant).
///  4. If it returns false and `discards_repeats`, the window is made once more, as in the first pass. The same happens
///     if a pass fails numerically (NaN, a solver that gives up) and `pass_failed` returns true; if repeats are not
///     discarded, `end_of_repeat` then gives the end of the next pass. If `pass_failed` returns false, the run ends.
///  5. `is_over(from, tolerance)` is called before each window: true ends the windows; the run continues without.
///  6. If no consumer extrapolates, there is no interface: then neither 2 nor 3 is called, and there is one pass.
///  7. Its answers depend only on what it is told, so that equal runs give equal bits.
///  8. If `again` is never true, `may_repeat` is false: then subsystems need not be able to save.
///  9. If it `predicts`, `predict` is called before each first pass. It writes what consumers read instead of
///     extrapolating into `read`, by participant, from the beginning to the end of the window.
/// 10. After a yes, `reads_earlier` tells whether the next pass interpolates what this one has published or starts
///     afresh, and `end_of_repeat` gives its end, not after that of the window. `end_of(i, end)` is where participant i
///     ends its pass, not later. If `keeps(i)`, participant i stays where it is and does not make the window again.
///     `refines_later`: a later pass of the window keeps some; the samples of the others are final only then.
/// 11. `is_provisional`: after the next pass another one follows in any case, or the run ends. It records nothing, and
///     its assumed values are not compared.
/// 12. `repeats_alike`: all passes cover the whole window, and a pass that reads earlier samples reads those of the
///     previous pass. Participants that step together may then do so in every pass (fast/round.hpp).
/// 13. `is_optional`: the run can also be made without it. If a state cannot be saved or restored, or a repeat fails or
///     ends the run, the first pass counts, even if it is not complete (`pass_failed` is told).
class Window {
 public:
  virtual ~Window() = default;
  virtual void join(const Network& /*network*/) {}
  virtual double end_after(double from) = 0;
  virtual void opened(const std::vector<InterfaceSignal>& /*interface*/) {}
  virtual bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) = 0;
  virtual void propose(const std::vector<InterfaceSignal>& /*interface*/, std::vector<History>& /*read*/) {}
  virtual bool discards_repeats() const { return false; }
  virtual bool pass_failed(int /*pass*/) { return false; }
  virtual bool is_optional() const { return false; }
  virtual bool is_over(double /*from*/, double /*tolerance*/) const { return false; }
  virtual bool may_repeat() const { return true; }
  virtual bool is_provisional() const { return false; }
  virtual bool repeats_alike() const { return false; }
  virtual bool predicts() const { return false; }
  virtual void predict(double /*end*/, const std::vector<InterfaceSignal>& /*interface*/,
                       std::vector<History>& /*read*/) {}
  virtual bool reads_earlier() const { return true; }
  virtual double end_of_repeat() const { return Polynomial::infinity; }
  virtual double end_of(int /*participant*/, double end) const { return end; }
  virtual bool keeps(int /*participant*/) const { return false; }
  virtual bool refines_later() const { return false; }
  /// Whether repeats use samples on both sides, because those ahead are known.
  virtual bool centred() const { return false; }
  /// Add its own statistics.
  virtual void report(WindowTally& /*tally*/) const {}
};

}  // namespace counterpoint
