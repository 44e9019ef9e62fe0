#include "link/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "link/child_system.hpp"

namespace counterpoint::link {

namespace {

/// What posix_spawn wants to know, released at the end.
class SpawnSettings {
 public:
  SpawnSettings(int link, int output) {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, output, 1);
    ::posix_spawn_file_actions_adddup2(&files, output, 2);
    ::posix_spawn_file_actions_adddup2(&files, link, link_descriptor);
    sigset_t all, none;
    sigfillset(&all);  // macros on macOS
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    const int flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | spawn_flags();
    ::posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
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

Descriptor out_of_the_way(Descriptor low) {
  Descriptor made(::fcntl(low.get(), F_DUPFD_CLOEXEC, 16));
  if (!made.open()) throw_errno("no file descriptor is left for a child process");
  return made;
}

struct ChildProcess::Process {
  explicit Process(const ChildPlan& plan) {
    if (::fcntl(output.get(), F_SETFL, O_APPEND) != 0) throw_errno("cannot collect what a child process prints");
    const SpawnSettings settings(link.for_child(), output.get());
    const std::vector<std::string> arguments = {plan.program, plan.folder, std::to_string(owner)};
    const int error = ::posix_spawn(&number, plan.program.c_str(), &settings.files, &settings.attributes,
                                    pointers(arguments).data(), pointers(plan.environment).data());
    if (error != 0) throw std::runtime_error(plan.program + ": cannot be started: " + std::strerror(error));
    life = watch_process(number);
  }

  int owner = this_process();  ///< that made it: a forked copy of that process leaves it alone
  int number = -1;
  ChildLink link;
  Descriptor output = make_output_file();
  Descriptor life;
};

ChildProcess::ChildProcess(const ChildPlan& plan) : process_(std::make_unique<Process>(plan)) {}

ChildProcess::~ChildProcess() {
  if (this_process() == process_->owner) end(0.0);
}

ChannelPointer ChildProcess::open(std::string name) { return process_->link.open(process_->number, std::move(name)); }

bool ChildProcess::is_running() const {
  pollfd life{process_->life.get(), POLLIN, 0};
  return ended_.empty() && ::poll(&life, 1, 0) == 0;
}

std::string ChildProcess::end(double timeout) {
  if (!ended_.empty()) return ended_;
  const int number = process_->number;
  pollfd life{process_->life.get(), POLLIN, 0};
  ::poll(&life, 1, static_cast<int>(1000.0 * timeout));
  // Its group has its number, and lasts as long as it was not waited for: what it has started ends with it.
  ::kill(-number, SIGKILL);
  int status = 0;
  int waited = 0;
  do {
    waited = ::waitpid(number, &status, 0);
  } while (waited < 0 && errno == EINTR);
  ended_ = waited == number ? describe_end(status) : "ended; its exit status was collected elsewhere in this program";
  return ended_;
}

std::string ChildProcess::printed(std::size_t most) const {
  struct stat state{};
  ::fstat(process_->output.get(), &state);
  const auto size = static_cast<std::size_t>(state.st_size);
  std::string text(std::min(size, most), '\0');
  const auto from = static_cast<off_t>(size - text.size());
  const ssize_t count = ::pread(process_->output.get(), text.data(), text.size(), from);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace counterpoint::link
