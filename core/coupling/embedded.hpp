#pragma once

#include "check.hpp"
#include "coupling/network.hpp"

namespace counterpoint {

/// The embedded interface: a host is the master and integrates by itself; the others advance when the host asks for its
/// inputs. Reference: González et al. (2010), Table 1.
///
///     evaluate(t, y, is_major):
///       1. at a major step, store (t, y)
///       2. slowest-first:  while t_e < t        advance the external subsystem e
///          fastest-first:  while t_e + h_e < t  advance the external subsystem e
///       3. interpolate or extrapolate u at t from all samples stored
///
/// Slowest-first is "the host waits for e", fastest-first is "e waits for the host". Unlike the scheduler, the
/// interface does not know the step of the host, so the samples behind u may change within it.
///
/// A host that may give up an attempt states this (`Reach`), and calls `give_up` when it does.
class EmbeddedInterface {
 public:
  /// How far the others may advance when the host asks between its major steps.
  enum class Reach {
    freely,       ///< as far as the answer needs: the host never gives up an attempt
    restorably,   ///< the same, undone by `give_up`; `to_accepted` if a subsystem cannot save
    to_accepted,  ///< with accepted data only; the answer may be extrapolated beyond the host's last major step
  };

  EmbeddedInterface(const RunSpec& spec, int host);

  void start();

  /// The inputs of the host at time t. `y` is used only if is_major.
  const double* evaluate(double t, const double* y, bool is_major, Reach reach = Reach::freely);

  /// The first and the last line of `evaluate` separately, for a host that needs its inputs before it knows y.
  void store(double t, const double* y);
  const double* inputs(double t, Reach reach);
  /// The next step of the host begins at t: it sees the values after jumps at t. `store` implies this.
  void begin_at(double t) { network_.participants[host_].inputs->begin_at(t); }

  /// Discard the attempt since the last major step: the others return to their state at that time.
  void give_up();

  /// The complete state at the last major step; null if a subsystem cannot save.
  std::unique_ptr<SavedState> save() const;
  void restore(const SavedState& state);
  /// Known from the start on.
  bool can_save() const { return can_save_; }

  /// Let the host, here a subsystem, integrate up to `target` with these inputs. Returns true if it has reached the
  /// target, false if `wall_seconds` passed before.
  bool advance(double target, double wall_seconds);

  /// See Scheduler.
  std::optional<CallUnderWay> call_under_way() const { return network_.call_under_way(); }

  Network& network() { return network_; }
  int host() const { return host_; }

 private:
  class HostInputs;
  struct Saved;

  void publish(double t, const double* y);
  /// In a catch block: the outputs of the host at its major step at t are not allowed.
  void note_failure_of_host(double t);
  void publish_again(const double* y);
  void reach_for(double t);
  void advance_externals(double until);
  void step_external(int e);
  double covered_by(int external) const;
  bool has_started_stepping() const;
  double answers_until(const Connection& c) const;

  int host_;
  Network network_;
  std::vector<char> waits_for_host_;
  bool has_begun_ = false;  ///< the host has stored its first major step
  Reach reach_ = Reach::freely;
  bool can_save_ = false;
  Network::Saved checkpoint_;  ///< before the first advance of the present attempt
  bool has_checkpoint_ = false;
  bool broken_ = false;  ///< a subsystem failed in the middle of a step
};

/// Represents a host that integrates by itself: ports only.
class HostPorts final : public Subsystem {
 public:
  HostPorts(int inputs, int outputs) : inputs_(inputs), zeros_(outputs) {}
  int input_width() const override { return inputs_; }
  int output_width() const override { return static_cast<int>(zeros_.size()); }
  void start(double) override {}
  double step(double, double, Inputs&) override { internal_error("a host steps itself"); }
  const double* output(double, Inputs&) override { return zeros_.data(); }
  double preferred_step() const override { return Polynomial::infinity; }
  std::unique_ptr<SavedState> save() const override { return std::make_unique<SavedState>(); }

 private:
  int inputs_;
  std::vector<double> zeros_;
};

}  // namespace counterpoint
