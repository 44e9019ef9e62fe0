#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "coupling/abilities.hpp"
#include "coupling/subsystem.hpp"
#include "link/frames.hpp"
#include "link/ports.hpp"

namespace counterpoint::link {

/// How to deal with the other end.
struct RemoteSettings {
  double deadline = 60.0;  ///< for each answer, s
  /// Called with what the subsystem logs: time, status, category and text with tabs between. Without it, see
  /// `messages`.
  std::function<void(const std::string&)> log = nullptr;
  /// Called when the other end is lost, with the reason; returns what to say.
  std::function<std::string(const std::string&)> explain_loss = nullptr;
};

/// A subsystem at the other end of a link.
///
/// One round trip makes a step: the command brings the inputs at those shares of the step at which they were asked last
/// time, the reply brings the outputs. Inputs at other times are requested, so that a run gives the same bits as one
/// with the subsystem in this process.
class RemoteSubsystem final : public Subsystem, public AnnouncedStepper {
 public:
  /// Takes a link after the handshake; waits for the ports.
  RemoteSubsystem(std::unique_ptr<FrameLink> link, RemoteSettings settings);
  ~RemoteSubsystem() override;

  const Ports& ports() const { return ports_; }
  const std::string& peer() const { return peer_; }

  int input_width() const override { return inputs_; }
  int output_width() const override { return static_cast<int>(y_.size()); }
  void start(double t) override;
  bool begin(double t, Inputs& u) override;
  void finish() noexcept override;
  double step(double t, double t_end, Inputs& u) override;
  const double* output(double t, Inputs& u) override;
  bool stops_early() const override { return ports_.stops_early; }
  const double* output_before_event() override { return has_before_ ? before_.data() : nullptr; }
  void announce(double t, double t_end, Inputs& u) override;
  bool offers_derivatives() const override { return ports_.derivatives; }
  const double* output_derivative(double t, Inputs& u) override;
  double preferred_step() const override { return preferred_step_; }
  std::unique_ptr<SavedState> save() const override;
  void restore(const SavedState& state) override;

  /// What the subsystem logged in its latest run, at most a thousand lines.
  const std::vector<std::string>& messages() const;
  /// A private call between the two programs, beside the protocol.
  std::string call(const std::string& bytes);
  /// End the connection; nothing can follow.
  void close() noexcept;
  /// A round trip that does nothing.
  void ping();

 private:
  struct Saved;
  class Session;

  void command(FrameKind kind, double t, double t_end, Inputs* u, const std::vector<double>& shares);
  void send(FrameKind kind, double t, double t_end, Inputs* u, const std::vector<double>& shares);
  void await_reply(Inputs* u);
  void receive_announced() noexcept;
  void discard_announced() noexcept;
  void answer_request(FrameLink& link, double t, Inputs& u, const Deadline& deadline, std::exception_ptr& failed);
  void collect_inputs(double t, double t_end, Inputs& u, const std::vector<double>& shares);
  void take_reply(const Frame& frame);

  std::shared_ptr<Session> session_;
  std::string peer_;
  Ports ports_;
  int inputs_ = 0;
  bool running_ = false;
  double preferred_step_ = 0.0;
  std::vector<double> input_shares_;
  std::vector<double> rows_;  ///< times and inputs that go with a command
  std::vector<double> reply_;
  double reached_ = 0.0;
  bool outputs_fresh_ = false;       ///< those of the last step have not been read yet
  Inputs* announced_ = nullptr;      ///< inputs of a step that was sent off and not yet asked for
  bool announced_answered_ = false;  ///< its answer has come before it was asked for, or
  std::exception_ptr failed_;        ///< its failure
  bool has_before_ = false;
  std::vector<double> before_;  ///< outputs right before the event that ended the last step
  bool wants_derivatives_ = false;
  bool has_derivatives_ = false;
  std::vector<double> y_;
  std::vector<double> dy_;
};

}  // namespace counterpoint::link
