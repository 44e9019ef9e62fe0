#pragma once

#include "fmi/instance.hpp"

namespace counterpoint::fmi {

/// The way of a held step, the same in all versions of FMI: set doubles, make a step, get doubles.
///
/// `Version` adds the calls (by `shielded_next`), all inside the ForeignCall of the caller:
///   `void set_doubles(const Exchange&, const double* u)` and `void get_doubles(const Exchange&, double* y)`;
///   `bool makes_step(double t, double h, StepEnd& end)`: false when the step did not end at t + h, but as `end` says;
///   nothing is written there otherwise.
template <class Version>
class HeldSteps : public Instance {
 public:
  HeldFunction held_function() const final {
    return [](void* instance, double t, double t_end, const double* u, double* y) {
      static_cast<Version*>(static_cast<Instance*>(instance))->step_held(t, t_end, u, y);
    };
  }
  void step_held(double t, double t_end, const double* u, double* y) final {
    Exchange& x = exchange_;
    code_.call->turn_to(code_);
    x.time = t;
    const StepLength::Step step = x.length.of(t, t_end);
    if (!exchanges_in_step(step.t, step.length, u, y)) [[unlikely]]
      x.unusual(end_, t, t_end, u, y);
  }

 protected:
  using Instance::Instance;

 private:
  /// Afterwards our own code runs: a step is no call of a callback, around which another function would be running.
  struct OwnCodeAfterwards {
    ForeignCode& code;
    ~OwnCodeAfterwards() { code.function = nullptr; }
  };

  /// One mark serves the three calls; what is unusual is told when it is gone.
  bool exchanges_in_step(double t, double h, const double* u, double* y) {
    Version& version = static_cast<Version&>(*this);
    const Exchange& x = exchange_;
    const OwnCodeAfterwards mark{code_};
    if (x.input_count > 0) version.set_doubles(x, u + x.input_offset);
    if (!version.makes_step(t, h, end_)) [[unlikely]]
      return false;
    if (x.output_count > 0) version.get_doubles(x, y);
    return true;
  }

  StepEnd end_;  ///< of the last step that was unusual
};

}  // namespace counterpoint::fmi
