#pragma once

#include "coupling/network.hpp"

namespace counterpoint {

/// The embedded interface: a host is master and integrates by itself; the others are advanced when
/// the host asks for its inputs. Reference: González et al. (2010), Table 1.
///
///     evaluate(t, y, is_major):
///       1. at a major step, store (t, y)
///       2. slowest-first:  while t_e < t        advance the external subsystem e
///          fastest-first:  while t_e + h_e < t  advance the external subsystem e
///       3. interpolate or extrapolate u at t from all samples stored
///
/// Slowest-first is "the host waits for e", fastest-first is "e waits for the host". Unlike the
/// scheduler it does not know the host's step, so the samples behind u may change within one.
class EmbeddedInterface {
 public:
  EmbeddedInterface(const RunSpec& spec, int host);

  void start();

  /// The host's inputs at time t. `y` is looked at only when is_major.
  const double* evaluate(double t, const double* y, bool is_major);

  /// Let the host, a subsystem of ours, integrate up to `target` with these inputs.
  /// Returns true when it has reached it, false when `wall_seconds` passed before.
  bool advance(double target, double wall_seconds);

  Network& network() { return network_; }
  int host() const { return host_; }

 private:
  class HostInputs;

  void store(double t, const double* y);
  void advance_externals(double t);
  void step_external(int e);
  bool must_advance(const Participant& external, bool waits, double t) const;
  double answers_until(const Term& term) const;

  int host_;
  Network network_;
  std::vector<char> waits_for_host_;
  bool has_begun_ = false;  ///< the host has stored its first major step
  bool broken_ = false;     ///< a subsystem failed in the middle of a step
};

/// Stands for a host that integrates by itself: ports only.
class HostPorts final : public Subsystem {
 public:
  HostPorts(int inputs, int outputs) : inputs_(inputs), zeros_(outputs) {}
  int input_width() const override { return inputs_; }
  int output_width() const override { return static_cast<int>(zeros_.size()); }
  void start(double) override {}
  double step(double, double, Inputs&) override { throw std::logic_error("a host steps itself"); }
  const double* output(double, Inputs&) override { return zeros_.data(); }
  double next_step() const override { return Polynomial::infinity; }

 private:
  int inputs_;
  std::vector<double> zeros_;
};

}  // namespace counterpoint
