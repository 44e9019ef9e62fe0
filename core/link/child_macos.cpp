// Child processes on macOS: a pair of sockets, kernel queues that tell when a process ends.

#include <fcntl.h>
#include <spawn.h>
#include <sys/event.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "link/child_system.hpp"
#include "link/network.hpp"
#include "link/socket.hpp"

namespace counterpoint::link {

namespace {

/// A descriptor that can be read from the beginning: the process has gone already.
Descriptor readable() {
  int ends[2];
  if (::pipe(ends) != 0) throw_errno("cannot create a pipe");
  ::close(ends[1]);
  return Descriptor(ends[0]);
}

}  // namespace

ChildLink::ChildLink() {
  auto [ours, theirs] = make_connected_sockets();
  ours_ = std::move(ours);
  theirs_ = out_of_the_way(std::move(theirs));
}

ChannelPointer ChildLink::open(int, std::string name) {
  theirs_ = Descriptor();  // with the child's copy alone the link ends with the child
  return make_socket_channel(std::move(ours_), std::move(name));
}

ChannelPointer ChildLink::open_in_child(int) { return make_socket_channel(Descriptor(link_descriptor), "the master"); }

Descriptor make_output_file() {
  const char* const folder = std::getenv("TMPDIR");
  std::string name = std::string(folder != nullptr ? folder : "/tmp") + "/counterpoint-output-XXXXXX";
  Descriptor file(::mkstemp(name.data()));
  if (!file.open()) throw_errno(name);
  ::unlink(name.c_str());
  return out_of_the_way(std::move(file));
}

Descriptor watch_process(int process) {
  Descriptor life(::kqueue());
  if (!life.open()) throw_errno("process " + std::to_string(process) + " cannot be watched");
  struct kevent end;
  EV_SET(&end, process, EVFILT_PROC, EV_ADD, NOTE_EXIT, 0, nullptr);
  if (::kevent(life.get(), &end, 1, nullptr, 0, nullptr) == 0) return life;
  if (errno == ESRCH) return readable();
  throw_errno("process " + std::to_string(process) + " cannot be watched");
}

void close_inherited() {}

int spawn_flags() { return POSIX_SPAWN_CLOEXEC_DEFAULT; }

void limit_memory(double) {
  throw std::runtime_error("macOS cannot limit the memory of a process; leave memory out of isolate");
}

/// For the processes of the user together: none may be added. This does not hold for the superuser.
void forbid_processes() {
  const rlimit none{0, 0};
  if (::geteuid() == 0 || ::setrlimit(RLIMIT_NPROC, &none) != 0)
    throw std::runtime_error("cannot forbid the FMU to start processes here; allow them with processes=True");
}

void prefer_for_oom_kill() {}

}  // namespace counterpoint::link
