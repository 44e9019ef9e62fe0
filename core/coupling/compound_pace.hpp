#pragma once

#include <optional>

#include "coupling/pace.hpp"

namespace counterpoint {

/// Steps of a participant in a compound step: one for the whole stretch while all are solved together, and its own
/// fixed steps when it is refined.
class CompoundPace final : public Pace {
 public:
  /// `own`: its fixed steps.
  explicit CompoundPace(const StepClock& own) : own_(own) {}

  double next_end(double t, StepClock& clock, double event) override {
    if (whole) return clock.next(t, Polynomial::infinity, event);
    own_.end_at(clock.end());
    return own_.next_fixed(t);
  }
  void marked() override { marked_ = own_; }
  void returned_to(double /*t*/) override {
    if (marked_) own_ = *marked_;
  }

  bool whole = true;

 private:
  StepClock own_;
  std::optional<StepClock> marked_;
};

}  // namespace counterpoint
