#pragma once

#include <string>
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
  long growing = 0;              ///< windows without a tolerance whose repeats changed more and more, or all there is
  long cuts = 0;                 ///< windows that were begun again with an earlier end
  std::vector<double> changes;   ///< by the repeats of the window with the largest change that has not converged
  int participant = -1;          ///< whose output changed most there, and
  int column = -1;               ///< which one it is; -1: all windows have converged
  std::string obstacle;          ///< why nothing was repeated after all
};

/// A stretch of time that may be repeated until it converges.
///
/// Contract for implementers:
///  1. `end_after(from)` is where the window that begins at `from` ends, later than `from`; it is asked once for each
///     window, in order. The end of the run cuts it.
///  2. `opened(interface)` tells what the interface is at the beginning, from the last samples of `now`.
///  3. `again(pass, end, interface)` is asked after every pass, the first being number 0: whether all participants are
///     restored to the beginning and go through the window again. It is told the interface over the stretch.
///     `propose(interface, read)` follows a yes and may change what the next pass will read: that which this one has
///     published, in `read` by participant.
///  4. When it says no and `discards_repeats`, the window is gone through once more as in the first pass. The same is
///     done when the numbers of a pass fail (NaN, a solver that gives up) and `pass_failed` says yes; where repeats are
///     not discarded, `end_of_repeat` then says where the next pass ends. After a no the run ends.
///  5. `is_over(from, tolerance)` is asked before each window: the run then goes on without.
///  6. Where no consumer extrapolates there is no interface: neither is called, and there is one pass.
///  7. What it answers follows from what it is told, so that equal runs give equal bits.
///  8. One that never answers yes says so (`may_repeat`): subsystems that cannot save will do then.
///  9. One that `predicts` is asked before each first pass for what consumers read instead of extrapolating: `predict`
///     writes it into `read`, by participant, from what was published up to the beginning to the end of the window.
/// 10. After a yes, `reads_earlier` says whether the next pass interpolates what this one has published, or begins
///     afresh, and `end_of_repeat` where it ends: not after the window. `end_of(i, end)` is where participant i ends
///     its pass, not later, and `keeps(i)` whether it stays where it is instead of going through the window again.
/// 11. `is_provisional` says of the next pass that another one follows it whatever it comes to, or that the run ends:
/// it
///     records nothing, and what was assumed in it is not compared.
/// 12. `repeats_alike` says that all passes go over the whole window, and that one that reads earlier samples reads
/// those
///     of the pass before: participants that step together may then do so in every pass (fast/round.hpp).
/// 13. Without one that `is_optional` the run can be made as well: where a state cannot be saved or restored, where a
///     repeat fails or ends the run, the first pass counts (`pass_failed` tells it), also if it is not complete.
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
  /// Whether repeats take samples from both sides, since those ahead are known.
  virtual bool centred() const { return false; }
  /// Add what it has to say.
  virtual void report(WindowTally& /*tally*/) const {}
};

}  // namespace counterpoint
