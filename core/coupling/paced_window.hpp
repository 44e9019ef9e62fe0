#pragma once

#include <utility>

#include "coupling/error_laws.hpp"
#include "coupling/pace.hpp"
#include "coupling/window.hpp"

namespace counterpoint {

/// One pace for all: each window is a step that a law has chosen, and every participant ends a step with it.
class PacedWindow : public Window {
 public:
  PacedWindow(std::shared_ptr<StepLaw> law, const StepLimits& limits, const StepClock& clock)
      : chooser(std::move(law), limits), clock_(clock) {}
  void join(const Network& network) override;
  double end_after(double from) override;
  bool again(int /*pass*/, double /*end*/, const std::vector<InterfaceSignal>& /*interface*/) override { return false; }
  bool may_repeat() const override { return false; }

  StepChooser chooser;

 private:
  StepClock clock_;
  const Network* network_ = nullptr;
};

/// An output whose error is estimated from two passes.
struct OutputTolerance {
  int participant;
  int column;
  SignalTolerance tolerance;
};

/// Steps by the difference of two passes, which a TwoPassWindow tells.
class PassLaw final : public StepLaw {
 public:
  explicit PassLaw(int order) : order_(order) {}
  StepChoice propose(double t, double last, double known) override;
  void tell(double error) { error_ = error; }
  int order() const { return order_; }

 private:
  int order_;  ///< the error grows with this power of the step
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
  bool may_repeat() const override { return true; }
  bool reads_earlier() const override { return is_second_ && setup_.method == Method::predictor_corrector; }
  double end_of_repeat() const override { return end_; }

 private:
  /// The largest difference of the passes in units of the tolerance, and the output that has it.
  std::pair<double, int> error(const std::vector<InterfaceSignal>& interface);
  void begin_pass(bool is_second);

  std::shared_ptr<PassLaw> law_;
  Setup setup_;
  std::vector<double> scales_;
  double divisor_;  ///< by which the difference is larger than the error
  double end_ = 0.0;
  bool is_second_ = false;  ///< the pass under way is the second one of its step
};

}  // namespace counterpoint
