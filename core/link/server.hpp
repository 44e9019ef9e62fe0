#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "coupling/subsystem.hpp"
#include "link/frames.hpp"
#include "link/heartbeat.hpp"
#include "link/ports.hpp"

namespace counterpoint::link {

/// Hosts one subsystem and answers the commands of a master at the other end.
///
///     say which ports the subsystem has
///     for each frame that comes:
///       start, begin, step, output, restore:  do it, reply with time, next step and outputs
///         inputs at a time that did not come with the command:  request them and wait
///         an exception:  reply with an error; the next command may follow
///       save:    keep the state, reply with its handle; forget: drop it
///       finish:  let the subsystem release what it holds
///       ping:    pong; call: what the program agreed on with the master
///       bye:     end
///       alive:   the master still runs; without a frame for as long as `silence` says it is given up
class LinkServer {
 public:
  using Calls = std::function<std::string(const std::string&)>;

  LinkServer(FrameLink& link, Subsystem& model, Ports ports);
  ~LinkServer();
  LinkServer(const LinkServer&) = delete;
  LinkServer& operator=(const LinkServer&) = delete;

  /// What `call` frames do.
  void set_calls(Calls calls) { calls_ = std::move(calls); }

  /// Called periodically while no command comes; may throw to end serving.
  void set_idle(std::function<void()> idle) { idle_ = std::move(idle); }

  /// Answer until the master sends bye; throws ChannelClosed when the master is gone without it,
  /// ChannelTimeout when it was silent for too long.
  void serve();

 private:
  class RequestedInputs;

  Frame next_command();
  [[noreturn]] void throw_silent() const;
  void execute(const Frame& frame);
  void advance(FrameKind kind);
  void reply(double reached, bool with_outputs);
  void save();
  void restore();
  void describe_failure();

  FrameLink& link_;
  Subsystem& model_;
  Ports ports_;
  double silence_;  ///< of the master after which it is given up, s
  Calls calls_;
  std::function<void()> idle_;
  std::unique_ptr<RequestedInputs> inputs_;
  std::unique_ptr<Heartbeat> heartbeat_;
  std::vector<double> command_;
  std::vector<double> input_shares_;
  std::map<double, std::unique_ptr<SavedState>> saved_;
  double last_handle_ = 0.0;
};

/// The shares of a step from t to t_end that denote times at which inputs were requested; times that no simple share
/// reaches to the last bit are left out.
void find_shares(double t, double t_end, const std::vector<double>& times, std::vector<double>& shares);

/// Call `use` with each time that a share of a step denotes: half a step has two names, t + h/2 and (t + t_end)/2,
/// that may differ in the last bit.
template <class Use>
void for_times_of(double share, double t, double t_end, const Use& use) {
  if (share == 0.0) return use(t);
  if (share == 1.0) return use(t_end);
  const double time = t + share * (t_end - t);
  use(time);
  if (share == 0.5 && time != 0.5 * (t + t_end)) use(0.5 * (t + t_end));
}

}  // namespace counterpoint::link
