#pragma once

#include "coupling/indicator.hpp"
#include "coupling/known_events.hpp"
#include "coupling/step_clock.hpp"
#include "coupling/step_law.hpp"
#include "coupling/subsystem.hpp"

namespace counterpoint {

/// How the next step of one participant is chosen.
///
/// Contract for implementers:
///  1. `next_end(t, clock, event)` is the end of the next step from t, later than t; infinity when the run is over. It
///  is
///     asked after every step and once at the start. `clock.next(t, length, event)` makes an end of a length: it
///     knows the end of the run, and that a step does not go over the next event.
///  2. `published(t, y)` tells what the participant has published, unless the pace does not listen (`listens`).
///  3. As an indicator it is told what was assumed of the inputs of its participant and what arrived. Of times up
///     to the start of the last step all is known before it is asked; what else is known depends on the order of steps,
///     so that it is left alone by a pace that gives the same bits with any number of threads.
///  4. Where `may_reject()`, the subsystem saves its state before every step, and `accepts(t, t_end, y)` is asked
///     afterwards. When it says no, the state is restored and `next_end` is asked again, for an earlier end. Others
///     then take the participant for one that stops early. A subsystem that cannot save is never asked.
///  5. `returned_to(t)` says that the participant stands at t again, after a rejected step or in a repeated window.
///  6. `join(network, participant)` is called once, before the start. `next_end` may be asked again for the same t.
///  7. `marked()` says that a stretch begins which may be repeated: after `returned_to` the same ends follow again, for
///     then the others stand anywhere.
class Pace : public Indicator {
 public:
  virtual void join(const Network& /*network*/, int /*participant*/) {}
  virtual double next_end(double t, StepClock& clock, double event) = 0;
  virtual bool listens() const { return true; }
  virtual void published(double /*t*/, const double* /*y*/) {}
  void arrived(const Arrival&) override {}
  virtual bool may_reject() const { return false; }
  virtual bool accepts(double /*t*/, double /*t_end*/, const double* /*y*/) { return true; }
  virtual void marked() {}
};

/// Equal steps on the grid of the clock.
class FixedPace final : public Pace {
 public:
  double next_end(double t, StepClock& clock, double /*event*/) override { return clock.next_fixed(t); }
};

/// The steps that the subsystem prefers.
class OwnPace final : public Pace {
 public:
  explicit OwnPace(const Subsystem& subsystem) : subsystem_(subsystem) {}
  /// Throws StepFailure when the preferred step does not move the time.
  double next_end(double t, StepClock& clock, double event) override;

 private:
  const Subsystem& subsystem_;
};

/// The steps of a law, for one participant. Of others it looks at what is known up to the start of the last step.
class LawPace final : public Pace {
 public:
  LawPace(std::shared_ptr<StepLaw> law, const StepLimits& limits) : chooser(std::move(law), limits) {}
  void join(const Network& network, int participant) override;
  bool listens() const override { return chooser.law().listens(); }
  double next_end(double t, StepClock& clock, double event) override;
  void arrived(const Arrival& arrival) override {
    if (!repeats_) chooser.law().arrived(arrival);
  }
  void marked() override;
  void returned_to(double /*t*/) override { repeats_ = is_marked_; }

  StepChooser chooser;

 private:
  double next_end_since_mark(double t, StepClock& clock, double event);

  KnownEvents known_;         ///< of its own and of those that it is connected with
  std::vector<double> ends_;  ///< of the steps since the mark, s
  bool is_marked_ = false;
  bool repeats_ = false;
};

}  // namespace counterpoint
