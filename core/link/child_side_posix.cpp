// What a child process does to itself before it runs code of others.

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "link/child_system.hpp"

namespace counterpoint::link {

namespace {

constexpr int look_milliseconds = 200;
constexpr off_t max_printed = 1 << 20;  ///< bytes kept of what the process prints
int parent_life = -1;

/// A thread that ends the process group with its parent, and keeps what is printed from growing without limit. The
/// death signal of the kernel (PR_SET_PDEATHSIG) would come when the *thread* ends that started us, and to us alone.
/// Memory is not allocated here: an arena of its own would count against the limit.
void* watch(void*) {
  pollfd life{parent_life, POLLIN, 0};
  while (::poll(&life, 1, look_milliseconds) <= 0) {
    struct stat state{};
    if (::fstat(1, &state) == 0 && S_ISREG(state.st_mode) && state.st_size > max_printed) {
      if (::ftruncate(1, 0) != 0) continue;
    }
  }
  ::kill(0, SIGKILL);
  return nullptr;
}

void start_watching() {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, 1 << 16);
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const int error = ::pthread_create(&thread, &attributes, watch, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) throw std::runtime_error("cannot start a thread in the child process");
}

template <class Resource>
void set_limit(Resource resource, double value, const char* what) {
  const auto most = static_cast<rlim_t>(value);
  // From the first limit of processor time on there is a signal that says so, at the second one the process is killed.
  const rlimit limit{most, resource == RLIMIT_CPU ? most + 2 : most};
  if (::setrlimit(resource, &limit) != 0)
    throw_errno(std::string("the ") + what + " of the child process cannot be limited");
}

}  // namespace

ChannelPointer prepare_child(int count, char** arguments) {
  if (count != 3) return nullptr;
  const int parent = std::atoi(arguments[2]);
  close_inherited();
  parent_life = watch_process(parent).release();
  if (::getppid() != parent) ::_exit(0);  // it has gone meanwhile
  start_watching();
  if (::chdir(arguments[1]) != 0) throw_errno(arguments[1]);
  return ChildLink::open_in_child(parent);
}

void limit_child(const ChildLimits& limits) {
  prefer_for_oom_kill();
  set_limit(RLIMIT_CORE, 0.0, "core file");
  if (limits.processor_time > 0.0) set_limit(RLIMIT_CPU, limits.processor_time + 0.999, "processor time");
  if (limits.memory > 0.0) limit_memory(limits.memory);
  if (!limits.processes) forbid_processes();
}

}  // namespace counterpoint::link
