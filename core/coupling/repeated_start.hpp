#pragma once

#include "coupling/window.hpp"

namespace counterpoint {

/// The first steps of a run, repeated until they agree; after them the run continues without windows.
///
/// At the start there is one sample to extrapolate from: the first steps hold or draw lines whatever order is asked
/// for, and what they leave decides the error of a run of order 2 and above. Repeats interpolate instead, with samples
/// on both sides of the time asked.
///
///     after every repeat: the change of the interface, at the samples that both passes have, relative to its size
///       small enough, or as often as allowed:      the steps agree
///       hardly smaller than two repeats before:    they agree as well as they ever will, if that is small;
///                                                  else the repeats lead nowhere, and the first pass is made again
///     Two, because what changes goes around: where none waits, an output changes one pass after its inputs.
class RepeatedStart final : public Window {
 public:
  /// `end`: where the first steps end, s. `optional`: where they cannot be repeated, the run continues without.
  RepeatedStart(double end, double tolerance, bool optional) : end_(end), tolerance_(tolerance), optional_(optional) {}

  double end_after(double) override { return end_; }
  bool is_over(double from, double tolerance) const override { return from >= end_ - tolerance; }
  bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) override;
  bool discards_repeats() const override { return discards_; }
  bool pass_failed(int pass) override { return pass > 0 && (discards_ = true); }
  bool is_optional() const override { return optional_; }
  bool centred() const override { return true; }
  void report(WindowTally& tally) const override;

 private:
  double end_;
  double tolerance_;
  bool optional_;
  double change_ = 0.0;         ///< by the last repeat
  double change_before_ = 0.0;  ///< by the one before
  bool discards_ = false;
};

}  // namespace counterpoint
