#pragma once

#include <memory>
#include <optional>
#include <stdexcept>

#include "coupling/acceleration.hpp"
#include "coupling/compound_pace.hpp"
#include "coupling/interface_model.hpp"
#include "coupling/waveform.hpp"
#include "coupling/window.hpp"

namespace counterpoint {

/// A window did not converge, and the run must not continue.
class WindowFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A participant that is solved with one step together with the others, and refined afterwards.
struct CompoundMember {
  int participant = 0;
  double share = 1.0;  ///< of the window that the one step covers
  std::shared_ptr<CompoundPace> pace;
  double step = 0.0;  ///< s, that it covers of a window which is shorter than the others; 0: the share
};

/// How long windows of equal length are, and when they have been repeated enough.
struct WindowSpec {
  enum class Method { none, aitken, anderson, iqn_ils, newton };
  enum class Failing { go_on, cut, stop };

  double length = 0.0;                    ///< s
  int repeats = 1;                        ///< after the first pass, at most
  double tolerance = 0.0;                 ///< a repeat that changes less is the last one; 0: repeat as often as said
  bool centred = false;                   ///< repeats take samples from both sides
  Method method = Method::none;           ///< which iterate a repeat reads
  double relaxation = 1.0;                ///< of the first repeats of an accelerated iteration
  int reused_windows = 8;                 ///< whose differences serve the next ones, for IQN-ILS
  Failing failing = Failing::go_on;       ///< what is done with a window that does not converge
  double unit = 0.0;                      ///< windows are cut to multiples of this, s; 0: anywhere
  std::vector<CompoundMember> fast = {};  ///< compound steps: those that are refined; empty: none
  InterfaceModel derivatives = {};        ///< for Newton's method; none: measured in additional passes
};

/// Windows of equal length, repeated a number of times or until a repeat changes little.
///
/// Change: of an output from one pass to the next, the largest one over the window, relative to the largest absolute
/// value that this output has had so far.
///
///     after every repeat:
///       the change is small enough:         the window has converged
///       there are repeats left:             the next iterate, which the method of acceleration proposes
///       else, as asked:  go on and tell of it; stop; or cut: begin again with half the window, until that converges or
///                        is as short as it may be, which stops the run. After a cut windows grow again.
///
/// Compound-fast: the fast participants go through the repeated passes with one step each, over the whole window or a
/// share of it; then the others stay where they are and the fast ones go through the window again with their own steps.
/// References: Verhoeven et al. (2006); Solcia (2010), section 3.2.
class RepeatedWindow final : public Window {
 public:
  /// `tolerance`: times closer than this are the same time, s.
  RepeatedWindow(const WindowSpec& spec, double start, double tolerance);

  double end_after(double from) override;
  void opened(const std::vector<InterfaceSignal>& interface) override;
  bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) override;
  void propose(const std::vector<InterfaceSignal>& interface, std::vector<History>& read) override;
  bool pass_failed(int pass) override;
  bool is_provisional() const override;
  bool repeats_alike() const override { return spec_.fast.empty(); }
  bool reads_earlier() const override { return pass_ > 0 && !refines_; }
  double end_of(int participant, double end) const override;
  bool keeps(int participant) const override { return refines_ && member(participant) == nullptr; }
  bool refines_later() const override { return !spec_.fast.empty() && !refines_; }
  double end_of_repeat() const override { return end_; }
  bool centred() const override { return spec_.centred; }
  void report(WindowTally& tally) const override { tally = merged(tally); }

 private:
  const CompoundMember* member(int participant) const;
  void refine(bool refines);
  bool is_first_pass(const std::vector<InterfaceSignal>& interface);
  double measure(const std::vector<InterfaceSignal>& interface);
  void prepare_next(const std::vector<InterfaceSignal>& interface);
  bool learns(const Eigen::VectorXd& x, const Eigen::VectorXd& made);
  void learn_from_derivatives();
  std::vector<ModelResponse::Trial> trials() const;
  Eigen::VectorXd vector_of(const ModelResponse::Trial& trial) const;
  bool settle(bool converged, double end);
  void note(double end);
  bool cut(double end);
  double piece(int halvings) const;
  void accept(bool converged);
  WindowTally merged(const WindowTally& tally) const;

  WindowSpec spec_;
  double start_;
  double time_tolerance_;
  Waveform waveform_;
  std::unique_ptr<Acceleration> acceleration_;
  QuasiNewton* learning_ = nullptr;  ///< the acceleration, where passes are made to learn from
  std::optional<ModelResponse> response_;

  double count_ = 0.0;  ///< of whole windows, a whole number
  double from_ = 0.0;   ///< of the window under way, s
  double end_ = 0.0;
  int halvings_ = 0;
  bool refines_ = false;  ///< fast participants go through the window with their own steps
  int pass_ = 0;          ///< the next one, since the window began or was cut
  int repeats_ = 0;       ///< made, without those that were made to learn from

  std::vector<double> sizes_;          ///< largest absolute values of the interface so far
  std::vector<double> present_sizes_;  ///< those of this window among them
  std::vector<double> changes_;        ///< by the repeats of this window
  int worst_ = -1;                     ///< signal with the largest change of the last repeat
  std::vector<Eigen::Index> shape_;
  Eigen::VectorXd shift_;  ///< from what was published to the next iterate; empty: none
  Eigen::VectorXd base_x_, base_made_, trial_;
  std::size_t trials_ = 0;                  ///< passes still to be made to learn from
  bool slow_ = false;                       ///< the last window needed many repeats: what was learnt may be out of date
  int since_learning_ = 0;                  ///< windows
  std::vector<std::pair<int, int>> names_;  ///< of signals: participant and column
  WindowTally tally_;
};

}  // namespace counterpoint
