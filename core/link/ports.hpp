#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace counterpoint::link {

/// An input or output of a subsystem behind a link.
struct LinkPort {
  std::string name;
  int width = 1;
  std::string unit;
  std::vector<double> start;  ///< of an input that nothing drives: one number for each scalar, or none
};

using PortPair = std::pair<std::string, std::string>;  ///< output, input

/// What a subsystem behind a link says about itself.
struct Ports {
  std::string name;
  std::vector<LinkPort> inputs;
  std::vector<LinkPort> outputs;
  std::vector<PortPair> feedthrough;
  std::vector<PortPair> initial_feedthrough;    ///< at the start only
  double step = 0.0;                            ///< fixed step it prefers, s; 0: none
  std::vector<double> asks = {0.0};             ///< shares of a step at which inputs are sent to it, 0 to 1
  std::string approximation;                    ///< of its outputs that it prefers: kind and option, "hold behind"
  std::vector<PortPair> output_approximations;  ///< output, words: of outputs that are not like the rest
  std::vector<PortPair> input_approximations;   ///< input, words: of inputs that need more than straight lines
  double heartbeat = 0.0;                       ///< interval of heartbeats while it works, s; 0: none
  double silence = 0.0;                         ///< of the master after which it is given up, s; 0: never
  bool can_save = false;
  bool repeats_unasked = false;  ///< its first steps may be repeated from a saved state without being asked for
  bool derivatives = false;      ///< replies hold dy/dt after y
  bool requests = false;         ///< it may ask for inputs at other times
  bool begins = false;           ///< it is told when the initial outputs of all subsystems are found
  bool paces = false;            ///< replies hold its preferred step
  bool stops_early = false;
  bool jumps = false;  ///< replies say what the outputs were right before an event that ended the step

  int input_width() const;
  int output_width() const;

  /// Lines of words separated by tabs.
  std::string to_text() const;
  /// Throws ProtocolFailure with the line that is wrong. Lines that begin with another word are ignored.
  static Ports from_text(std::string_view text);
};

}  // namespace counterpoint::link
