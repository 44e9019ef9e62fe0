#pragma once

#include "link/child_process.hpp"

namespace counterpoint::link {

// What Linux and macOS do in different ways for child processes.

constexpr int link_descriptor = 3;  ///< where a child finds its end of the link

/// The link between a child process and its parent.
class ChildLink {
 public:
  ChildLink();
  /// What the child gets.
  int for_child() const { return theirs_.get(); }
  /// Our end, when the child runs; once.
  ChannelPointer open(int process, std::string name);
  static ChannelPointer open_in_child(int parent);

 private:
  Descriptor ours_;  ///< none where both ends are the same memory
  Descriptor theirs_;
};

/// The same file under a number beyond those that the child's standard files and link get.
Descriptor out_of_the_way(Descriptor low);

/// A file without a name.
Descriptor make_output_file();
/// A descriptor that can be read when a process has ended.
Descriptor watch_process(int process);
/// Close what a child has inherited by mistake; macOS has done so when it started it.
void close_inherited();
/// More flags for posix_spawn.
int spawn_flags();
void limit_memory(double bytes);
void forbid_processes();
void prefer_for_oom_kill();

}  // namespace counterpoint::link
