#pragma once

#include <algorithm>
#include <utility>

#include "coupling/error_laws.hpp"
#include "coupling/known_events.hpp"
#include "coupling/pace.hpp"
#include "coupling/window.hpp"

namespace counterpoint {

/// One pace for all: each window is a step that a law has chosen, and every participant ends a step with it. Where it
/// rejects, a step that met something unforeseen, such as a contact, is made again, shorter.
class PacedWindow : public Window {
 public:
  PacedWindow(std::shared_ptr<StepLaw> law, const StepLimits& limits, const StepClock& clock, bool rejects = false)
      : chooser(std::move(law), limits), clock_(clock), rejects_(rejects) {}
  void join(const Network& network) override;
  double end_after(double from) override;
  bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) override;
  bool may_repeat() const override { return rejects_; }
  bool reads_earlier() const override { return false; }
  double end_of_repeat() const override { return end_; }

  StepChooser chooser;

 protected:
  /// Let a step that goes over the begin of a condition end there; false where none does.
  bool cut_at_condition(double end);

  double end_ = 0.0;  ///< of the step under way, s

 private:
  StepClock clock_;
  bool rejects_;
  const Network* network_ = nullptr;
  KnownEvents known_;
};

/// An output whose error is estimated from two passes.
struct OutputTolerance {
  int participant;
  int column;
  SignalTolerance tolerance;
};

/// What a step assumed for an input, and how much it may be wrong.
struct AssumedInput {
  SignalTolerance tolerance;
  int signal;           ///< the output behind it, by its number in the law
  double scale = 0.0;   ///< largest absolute value so far
  double defect = 0.0;  ///< of the step under way, in units of the tolerance
};

/// Steps by the difference of two passes, which a TwoPassWindow tells. It listens, too: where both passes assume the
/// same wrong input, as before a contact, their difference does not show it.
class PassLaw final : public StepLaw {
 public:
  /// `inputs`: by connection; none: what is assumed does not count.
  PassLaw(int order, double tolerance, std::vector<AssumedInput> inputs)
      : order_(order), tolerance_(tolerance), inputs_(std::move(inputs)) {}
  bool listens() const override { return !inputs_.empty(); }
  void arrived(const Arrival& arrival) override;
  void returned_to(double /*t*/) override { begin(); }
  /// A step begins.
  void begin();
  /// The largest defect since then, and its signal.
  std::pair<double, int> largest_defect() const;
  StepChoice propose(double t, double last, double known) override;
  void tell(double error, int order) {
    error_ = error;
    order_now_ = order;
  }
  int order() const { return order_; }

 private:
  int order_;  ///< the error grows with this power of the step
  double tolerance_;
  std::vector<AssumedInput> inputs_;
  int order_now_ = 1;
  double error_ = std::numeric_limits<double>::quiet_NaN();
  PiController controller_;
};

/// Lengths of steps within a window, the same for all participants.
class SharedLength final : public Pace {
 public:
  double next_end(double t, StepClock& clock, double event) override { return clock.next(t, length, event); }
  double length = Polynomial::infinity;  ///< s
};

/// Each step is made twice from the same state, and the difference of the passes at its end is its error. Where that is
/// too large, the step is rejected and a shorter one tried.
///
///  - predictor-corrector: the second pass interpolates what the first one has published.
///  - step doubling (Richardson): the second pass makes two steps of half the length.
class TwoPassWindow final : public PacedWindow {
 public:
  enum class Method { predictor_corrector, doubling };
  struct Setup {
    Method method;
    double tolerance;
    std::vector<OutputTolerance> outputs;
    std::shared_ptr<SharedLength> length = nullptr;  ///< of the participants' steps, for doubling
  };
  TwoPassWindow(std::shared_ptr<PassLaw> law, const StepLimits& limits, const StepClock& clock, Setup setup);
  double end_after(double from) override;
  bool again(int pass, double end, const std::vector<InterfaceSignal>& interface) override;
  bool reads_earlier() const override { return is_second_ && setup_.method == Method::predictor_corrector; }

 private:
  /// An output as far as it is known.
  struct Motion {
    double scale = 0.0;  ///< largest absolute value so far, or what was given
    double rate = 0.0;   ///< largest change per second so far
    double last = 0.0;   ///< its value at the end of the step before
  };
  void accept(const std::vector<InterfaceSignal>& interface);
  int place(const InterfaceSignal& signal) const;
  double share_of_step(const Motion& motion) const;
  /// The largest difference of the passes in units of the tolerance, and the output that has it.
  std::pair<double, int> error(const std::vector<InterfaceSignal>& interface);
  double change_by_slope(const InterfaceSignal& signal) const;
  void begin_pass(bool is_second);
  /// The error grows with this power of the step; with a lower one as long as there are few samples.
  int order() const { return std::min(law_->order(), 2 + windows_); }

  std::shared_ptr<PassLaw> law_;
  Setup setup_;
  std::vector<Motion> motions_;  ///< by output
  int windows_ = 0;              ///< that are behind
  bool is_second_ = false;       ///< the pass under way is the second one of its step
};

}  // namespace counterpoint
