#pragma once

#include "coupling/step_law.hpp"

namespace counterpoint {

/// How much a signal may be wrong: absolute + tolerance * largest absolute value so far.
struct SignalTolerance {
  double absolute = 0.0;  ///< in units of the signal
  double scale = 0.0;     ///< instead of the largest absolute value; 0: that
  int order = 1;          ///< the error grows with this power of the step
  bool counts = true;
};

/// Proportional-integral step control: how many times longer the next step is, from the errors of this step and the one
/// before. Reference: Gustafsson (1991). In logarithms, of which one per signal and an exponential per step are needed.
class PiController {
 public:
  /// Logarithm of the factor. `error`: of the step that has ended, in units of the tolerance; it grows with this power
  /// of the step.
  double tell(double error, double power);
  /// The factor that belongs to a logarithm: the smallest of all signals. Where steps are rejected, a little less than
  /// what would just do is tried.
  static double factor(double logarithm, double safety = 1.0);
  /// As at the start.
  void forget() { before_ = 0.0; }

 private:
  double before_ = 0.0;  ///< logarithm of the error of the step before
};

/// Steps by interface defects: what was assumed for the end of a step against what arrived. Nothing is repeated, so
/// that any subsystem can be stepped this way.
class DefectLaw final : public StepLaw {
 public:
  /// One tolerance for each connection of the run, by number. `ahead`: see SignalSize, s.
  DefectLaw(double tolerance, std::vector<SignalTolerance> signals, double ahead);
  void join(const Network& network, int participant) override;
  void may_be_taken_back() override { keeps_before_ = true; }
  bool listens() const override { return true; }
  StepChoice propose(double t, double last, double known) override;
  StepError error_of_step(double t_end, double length) override;
  void arrived(const Arrival& arrival) override;
  void returned_to(double t) override;
  void begin_anew() override;

 private:
  struct Told {
    double sample;  ///< s
    double error;   ///< in units of the tolerance
  };
  struct Slot {
    SignalTolerance tolerance;
    std::vector<SignalSize> sizes;   ///< by component
    std::vector<SignalSize> before;  ///< the same when the step under way began, where it may be taken back
    PiController controller;
    std::vector<Told> told;  ///< the first `count` of them: not yet used
    std::size_t count = 0;   ///< of those
    double sample = 0.0;     ///< of the source, up to which they were used, s
  };
  void make_room(const Arrival& arrival);
  static void drop(Slot& slot, std::size_t used);
  /// With which the error of the step under way grows: few samples since an event allow low orders only.
  int power(const Slot& slot) const { return slot.tolerance.order < steps_ ? slot.tolerance.order + 1 : steps_ + 1; }

  /// By which an error counts. What a step leaves behind is its error times its length; steps that are shorter than the
  /// mean are no more wrong for that where many of them may follow each other. Right after an event there are few: half
  /// way between the two.
  double weight(double length) const;

  double tolerance_;
  double ahead_;
  bool keeps_before_ = false;
  MeanStep mean_;
  int steps_ = 0;  ///< since the start or the last event
  bool had_event_ = false;
  double logarithm_ = 0.0;   ///< of the factor found last
  double factor_ = 1.0;      ///< the same where nothing changes: found once
  std::vector<Slot> slots_;  ///< by connection: each is told by one thread
  std::vector<int> heard_;   ///< connections that tell it anything, by number
};

/// A power bond: two connections that carry an effort and a flow in opposite directions.
struct BondSpec {
  int effort;  ///< connection, by number
  int flow;
};

/// Steps by the power that the interface creates or destroys: |u_e f - e u_f| against the mean power so far, where
/// u_e and u_f are the inputs that were assumed and e and f what arrived. Reference: Sadjina et al. (2017), with the
/// power exchanged and not the residual as the measure.
class EnergyLaw final : public StepLaw {
 public:
  EnergyLaw(double tolerance, double absolute, std::vector<BondSpec> bonds, int connections, int order);
  void join(const Network& network, int participant) override;
  bool listens() const override { return true; }
  StepChoice propose(double t, double last, double known) override;
  void arrived(const Arrival& arrival) override;

 private:
  struct Value {
    double t = -std::numeric_limits<double>::infinity();
    double assumed = 0.0;
  };
  struct Bond {
    BondSpec connections;
    double energy = 0.0;  ///< exchanged so far, J
    PiController controller;
  };
  /// The output behind a connection, in units of its input.
  double output(int connection) const;

  double tolerance_;
  double absolute_;
  std::vector<Bond> bonds_;
  std::vector<Value> values_;  ///< by connection, what was assumed last
  int order_;
  double time_ = 0.0;  ///< since the start, s
  MeanStep mean_;
  const Network* network_ = nullptr;
};

}  // namespace counterpoint
