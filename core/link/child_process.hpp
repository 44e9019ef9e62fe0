#pragma once

#include <memory>
#include <string>
#include <vector>

#include "link/frames.hpp"

namespace counterpoint::link {

/// What a child process may take; 0: no limit.
struct ChildLimits {
  double memory = 0.0;          ///< bytes of address space beyond what the program itself takes
  double processor_time = 0.0;  ///< s
  bool processes = false;       ///< it may start processes of its own
};

/// How to start a child process.
struct ChildPlan {
  std::string program;
  std::string folder;                    ///< its working directory
  std::vector<std::string> environment;  ///< NAME=value
};

/// A program that runs in a process (group) of its own, with a link between us and what it prints kept. The link is
/// shared memory on Linux, a pair of sockets on macOS, a pipe on Windows.
///
/// The program is one of ours: it hands its arguments to `prepare_child`.
class ChildProcess {
 public:
  explicit ChildProcess(const ChildPlan& plan);
  /// Kills whatever is left of it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Our end of the link to it; once.
  ChannelPointer open(std::string name);
  bool is_running() const;
  /// Wait `timeout` seconds for it to end by itself, kill what is left of it, and say how it ended:
  /// "died (SIGSEGV: ...)".
  std::string end(double timeout);
  /// The last of what it printed, at most so many bytes.
  std::string printed(std::size_t most) const;

 private:
  struct Process;

  std::unique_ptr<Process> process_;
  std::string ended_;
};

/// To be called first in a child process: closes what it inherited by mistake, goes to its folder, and sees that it
/// ends with the process that started it. Returns the link to that one; null when the arguments are not
/// those of a child.
ChannelPointer prepare_child(int count, char** arguments);

/// To be called in a child process before it runs code of others. Throws when the system cannot keep a limit.
void limit_child(const ChildLimits& limits);

}  // namespace counterpoint::link
