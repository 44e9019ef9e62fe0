// Child processes on Linux: shared memory, descriptors of processes, filters of system calls.

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>

#include "link/child_system.hpp"
#include "link/memory_channel.hpp"

namespace counterpoint::link {

namespace {

/// Bytes of address space that are taken now.
double memory_taken() {
  long pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

ChildLink::ChildLink() : theirs_(out_of_the_way(make_memory())) {}

ChannelPointer ChildLink::open(int process, std::string name) {
  return open_memory(theirs_, MemorySide::maker, watch_process(process), std::move(name));
}

ChannelPointer ChildLink::open_in_child(int parent) {
  const Descriptor memory(link_descriptor);
  return open_memory(memory, MemorySide::guest, watch_process(parent), "the master");
}

Descriptor make_output_file() { return out_of_the_way(Descriptor(::memfd_create("counterpoint-output", MFD_CLOEXEC))); }

Descriptor watch_process(int process) {
  Descriptor life(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!life.open()) throw_errno("process " + std::to_string(process) + " cannot be watched");
  return life;
}

void close_inherited() { ::syscall(SYS_close_range, link_descriptor + 1, ~0u, 0); }

int spawn_flags() { return 0; }

void limit_memory(double bytes) {
  const auto most = static_cast<rlim_t>(memory_taken() + bytes);
  const rlimit limit{most, most};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) throw_errno("the memory of the child process cannot be limited");
}

/// When the memory of the computer runs out, the kernel shall end this process and not its parent.
void prefer_for_oom_kill() {
  if (FILE* file = std::fopen("/proc/self/oom_score_adj", "w")) {
    std::fputs("1000", file);
    std::fclose(file);
  }
}

/// Let the kernel refuse new processes; threads continue to work. RLIMIT_NPROC would count all processes of the user,
/// and does not hold for root.
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

}  // namespace counterpoint::link
