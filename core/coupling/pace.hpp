#pragma once

#include "coupling/indicator.hpp"
#include "coupling/known_events.hpp"
#include "coupling/step_clock.hpp"
#include "coupling/step_law.hpp"
#include "coupling/subsystem.hpp"

namespace counterpoint {

/// Chooses the next step of one participant.
///
/// Contract for implementers:
///  1. `next_end(t, clock, event)` is the end of the next step from t, later than t; infinity when the run is over. It
///     is called after every step and once at the start. `clock.next(t, length, event)` computes the end of a step of
///     this length: it knows the end of the run, and ends the step at the next event.
///  2. `published(t, y)` passes what the participant has published, unless the pace does not listen (`listens`).
///  3. As an indicator it is told the assumed and the arrived values of the inputs of its participant. Before it is
///     asked, it has been told everything up to the start of the last step. Later values depend on the order of steps;
///     a pace must not use them if it is to give the same bits with any number of threads.
///  4. If `may_reject()`, the subsystem saves its state before every step, and `accepts(t, t_end, y)` is called after
///     it. If the answer is no, the state is restored and `next_end` is called again, for an earlier end. The others
///     then treat the participant as one that stops early. A subsystem that cannot save is never asked.
///  5. `returned_to(t)`: the participant is at t again, after a rejected step or in a repeated window.
///  6. `join(network, participant)` is called once, before the start. `next_end` may be called again for the same t.
///  7. `marked()`: a time span begins that may be repeated. After `returned_to` the pace must give the same ends again,
///     although the others may be at any time.
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
  /// Throws StepFailure if the preferred step does not advance the time.
  double next_end(double t, StepClock& clock, double event) override;

 private:
  const Subsystem& subsystem_;
};

/// The steps of a law, for one participant. Of the others it uses only what is known up to the start of the last step.
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
  struct Made {
    double end;                 ///< of a step, s
    StepChooser::Place chosen;  ///< when it was
  };
  double next_end_since_mark(double t, StepClock& clock, double event);
  double choose(double t, StepClock& clock, double event);
  void end_at(std::vector<Made>::iterator step, double end, double tolerance);

  KnownEvents known_;                  ///< of its own subsystem and of those connected to it
  std::vector<Made> made_;             ///< steps since the mark, and the one under way then
  double end_ = Polynomial::infinity;  ///< of the step that was chosen last, s
  bool is_marked_ = false;
  bool repeats_ = false;
};

}  // namespace counterpoint
