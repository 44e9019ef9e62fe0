// What a child process does to itself before it runs code of others.

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "link/child_process.hpp"
#include "link/memory_channel.hpp"

namespace counterpoint::link {

namespace {

constexpr int poll_milliseconds = 200;
constexpr off_t max_printed = 1 << 20;  ///< bytes kept of what the process prints
int parent_life = -1;

/// A thread that ends the process group with its parent, and keeps what is printed from growing without limit. The
/// death signal of the kernel (PR_SET_PDEATHSIG) would come when the *thread* ends that started us, and to us alone.
/// Memory is not allocated here: an arena of its own would count against the limit.
void* watch(void*) {
  pollfd life{parent_life, POLLIN, 0};
  while (::poll(&life, 1, poll_milliseconds) <= 0) {
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

/// Bytes of address space that are taken now.
double memory_taken() {
  long pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// When the memory of the computer runs out, the kernel shall end this process and not its parent.
void prefer_for_oom_kill() {
  if (FILE* file = std::fopen("/proc/self/oom_score_adj", "w")) {
    std::fputs("1000", file);
    std::fclose(file);
  }
}

/// Let the kernel refuse new processes; threads go on working. RLIMIT_NPROC would count all processes of the user, and
/// does not hold for root.
void forbid_processes() {
#if defined(__x86_64__)
  constexpr unsigned machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr unsigned machine = AUDIT_ARCH_AARCH64;
#else
#error "processes=True is the only choice on this machine: its name for system call filters is not known here"
#endif
  constexpr unsigned flags_low = offsetof(seccomp_data, args);
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
#if defined(__x86_64__)
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 6, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vfork, 5, 0),
#else
      BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0),
      BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0),
#endif
      // The arguments of clone3 lie in memory, which filters cannot read: libraries fall back to clone.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags_low),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  const sock_fprog program{sizeof rules / sizeof *rules, rules};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    throw_errno("cannot forbid the FMU to start processes here; allow them with processes=True");
  }
}

}  // namespace

void prepare_child(const std::string& folder, int parent) {
  ::syscall(SYS_close_range, ChildProcess::memory_descriptor + 1, ~0u, 0);
  parent_life = watch_process(parent).release();
  if (::getppid() != parent) ::_exit(0);  // it has gone meanwhile
  start_watching();
  if (::chdir(folder.c_str()) != 0) throw_errno(folder);
}

void limit_child(const ChildLimits& limits) {
  prefer_for_oom_kill();
  set_limit(RLIMIT_CORE, 0.0, "core file");
  if (limits.processor_time > 0.0) set_limit(RLIMIT_CPU, limits.processor_time + 0.999, "processor time");
  if (limits.memory > 0.0) set_limit(RLIMIT_AS, memory_taken() + limits.memory, "memory");
  if (!limits.processes) forbid_processes();
}

}  // namespace counterpoint::link
