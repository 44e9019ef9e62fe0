#include "link/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "link/memory_channel.hpp"

namespace counterpoint::link {

namespace {

/// What posix_spawn wants to know, released at the end.
class SpawnSettings {
 public:
  SpawnSettings(int memory, int output) {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output, 1);
    ::posix_spawn_file_actions_adddup2(&files, output, 2);
    ::posix_spawn_file_actions_adddup2(&files, memory, ChildProcess::memory_descriptor);
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

/// A number beyond those that the child's standard files and memory get.
Descriptor out_of_the_way(Descriptor low) {
  Descriptor made(::fcntl(low.get(), F_DUPFD_CLOEXEC, 16));
  if (!made.open()) throw_errno("no file descriptor is left for a child process");
  return made;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> made;
  for (const std::string& text : texts) made.push_back(const_cast<char*>(text.c_str()));
  made.push_back(nullptr);
  return made;
}

std::string name_of_signal(int number) {
  static const std::pair<int, const char*> names[] = {
      {SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
      {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"}, {SIGPIPE, "SIGPIPE"}, {SIGSYS, "SIGSYS"},
      {SIGTRAP, "SIGTRAP"}, {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGQUIT, "SIGQUIT"}, {SIGXFSZ, "SIGXFSZ"}};
  for (const auto& [known, name] : names) {
    if (known == number) return std::string(name) + ": " + ::strsignal(number);
  }
  return "signal " + std::to_string(number);
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return "died (" + name_of_signal(WTERMSIG(status)) + ")";
  return "ended itself with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildProcess::ChildProcess(const ChildPlan& plan)
    : owner_(::getpid()),
      memory_(out_of_the_way(make_memory())),
      output_(out_of_the_way(Descriptor(::memfd_create("counterpoint-output", MFD_CLOEXEC)))) {
  if (::fcntl(output_.get(), F_SETFL, O_APPEND) != 0) throw_errno("cannot collect what a child process prints");
  spawn(plan);
  life_ = watch_process(process_);
}

void ChildProcess::spawn(const ChildPlan& plan) {
  const SpawnSettings settings(memory_.get(), output_.get());
  const std::vector<std::string> arguments = {plan.program, plan.folder, std::to_string(owner_)};
  const int error = ::posix_spawn(&process_, plan.program.c_str(), &settings.files, &settings.attributes,
                                  pointers(arguments).data(), pointers(plan.environment).data());
  if (error != 0) throw std::runtime_error(plan.program + ": cannot be started: " + std::strerror(error));
}

ChildProcess::~ChildProcess() {
  if (::getpid() == owner_) end(0.0);
}

ChannelPointer ChildProcess::open(std::string name) const {
  return open_memory(memory_, MemorySide::maker, watch_process(process_), std::move(name));
}

bool ChildProcess::is_running() const {
  pollfd life{life_.get(), POLLIN, 0};
  return ended_.empty() && ::poll(&life, 1, 0) == 0;
}

std::string ChildProcess::end(double timeout) {
  if (!ended_.empty()) return ended_;
  pollfd life{life_.get(), POLLIN, 0};
  ::poll(&life, 1, static_cast<int>(1000.0 * timeout));
  // Its group has its number, and lasts as long as it was not waited for: what it has started ends with it.
  ::kill(-process_, SIGKILL);
  int status = 0;
  int waited = 0;
  do {
    waited = ::waitpid(process_, &status, 0);
  } while (waited < 0 && errno == EINTR);
  ended_ = waited == process_ ? describe_end(status) : "ended; its exit status was collected elsewhere in this program";
  return ended_;
}

std::string ChildProcess::printed(std::size_t most) const {
  struct stat state{};
  ::fstat(output_.get(), &state);
  const auto size = static_cast<std::size_t>(state.st_size);
  std::string text(std::min(size, most), '\0');
  const ssize_t count = ::pread(output_.get(), text.data(), text.size(), static_cast<off_t>(size - text.size()));
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace counterpoint::link
