// Child processes on Windows: a pipe, and jobs, which end with the process that made them and keep limits.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "link/child_process.hpp"
#include "link/pipe_channel.hpp"

#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace counterpoint::link {

namespace {

constexpr LONGLONG max_printed = 1 << 20;  ///< bytes kept of what the process prints
constexpr std::chrono::milliseconds look_interval{200};
constexpr UINT killed = 0xC000013A;  ///< exit code of a process that we ended

std::wstring widen(const std::string& text) {
  const int size = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring wide(static_cast<std::size_t>(size), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), wide.data(), size);
  return wide;
}

/// A file in the folder for temporary ones that vanishes when the last handle is closed; children inherit it.
Handle make_output_file() {
  static std::atomic<unsigned> made{0};
  wchar_t folder[MAX_PATH + 1] = L"";
  ::GetTempPathW(MAX_PATH + 1, folder);
  const std::wstring name = std::wstring(folder) + L"counterpoint-output-" + std::to_wstring(::GetCurrentProcessId()) +
                            L"-" + std::to_wstring(++made);
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const HANDLE file =
      ::CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    &inherited, CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  if (file == INVALID_HANDLE_VALUE) throw_windows_error("cannot collect what a child process prints");
  return Handle(file);
}

Handle make_job(DWORD flags, const JOBOBJECT_EXTENDED_LIMIT_INFORMATION& limits) {
  Handle job(::CreateJobObjectW(nullptr, nullptr));
  if (job.get() == nullptr) throw_windows_error("cannot make a job");
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION all = limits;
  all.BasicLimitInformation.LimitFlags = flags;
  if (!::SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &all, sizeof all))
    throw_windows_error("cannot set the limits of a job");
  return job;
}

/// `"program" number-of-the-pipe`: a path cannot contain quotes on Windows.
std::wstring command_line(const ChildPlan& plan, const Handle& link) {
  const auto number = reinterpret_cast<std::uintptr_t>(link.get());
  return L"\"" + widen(plan.program) + L"\" " + std::to_wstring(number);
}

/// NAME=value, each with a zero at its end, in the order that Windows asks for.
std::wstring environment_block(std::vector<std::string> environment) {
  const char* const root = std::getenv("SystemRoot");  // without it sockets and random numbers do not work
  if (root != nullptr) environment.push_back(std::string("SystemRoot=") + root);
  std::sort(environment.begin(), environment.end());
  environment.erase(std::unique(environment.begin(), environment.end()), environment.end());
  std::wstring block;
  for (const std::string& entry : environment) block += widen(entry) + L'\0';
  return block + L'\0';
}

/// Which handles a process inherits: these and no other.
class InheritedHandles {
 public:
  InheritedHandles(HANDLE first, HANDLE second) : handles_{first, second} {
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    room_.resize(size);
    if (!::InitializeProcThreadAttributeList(list(), 1, 0, &size) ||
        !::UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_, sizeof handles_, nullptr,
                                     nullptr)) {
      throw_windows_error("cannot prepare a child process");
    }
  }
  ~InheritedHandles() { ::DeleteProcThreadAttributeList(list()); }
  InheritedHandles(const InheritedHandles&) = delete;
  InheritedHandles& operator=(const InheritedHandles&) = delete;
  LPPROC_THREAD_ATTRIBUTE_LIST list() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(room_.data()); }

 private:
  std::vector<char> room_;
  HANDLE handles_[2];
};

std::string describe_end(DWORD code) {
  static const std::pair<DWORD, const char*> names[] = {{EXCEPTION_ACCESS_VIOLATION, "access violation"},
                                                        {EXCEPTION_STACK_OVERFLOW, "stack overflow"},
                                                        {EXCEPTION_ILLEGAL_INSTRUCTION, "illegal instruction"},
                                                        {EXCEPTION_INT_DIVIDE_BY_ZERO, "division by zero"},
                                                        {0xC0000374, "damaged heap"},
                                                        {0xC0000409, "abort"},
                                                        {killed, "killed"}};
  for (const auto& [known, name] : names) {
    if (known == code) return std::string("died (") + name + ")";
  }
  char hexadecimal[16];
  std::snprintf(hexadecimal, sizeof hexadecimal, "%08lX", static_cast<unsigned long>(code));
  if (code >= 0xC0000000) return std::string("died (exception ") + hexadecimal + ")";
  return "ended itself with exit code " + std::to_string(code);
}

/// Keeps what is printed from growing without limit.
void watch_output() {
  const HANDLE file = ::GetStdHandle(STD_OUTPUT_HANDLE);
  while (true) {
    std::this_thread::sleep_for(look_interval);
    LARGE_INTEGER size{};
    if (!::GetFileSizeEx(file, &size) || size.QuadPart <= max_printed) continue;
    ::SetFilePointer(file, 0, nullptr, FILE_BEGIN);
    ::SetEndOfFile(file);
  }
}

}  // namespace

struct ChildProcess::Process {
  explicit Process(const ChildPlan& plan) {
    auto [near_end, far_end] = make_pipe();
    ours = std::move(near_end);
    job = make_job(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, {});
    start(plan, far_end);
  }

  void start(const ChildPlan& plan, const Handle& theirs) {
    InheritedHandles inherited(theirs.get(), output.get());
    STARTUPINFOEXW settings{};
    settings.StartupInfo.cb = sizeof settings;
    settings.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    settings.StartupInfo.hStdOutput = settings.StartupInfo.hStdError = output.get();
    settings.lpAttributeList = inherited.list();
    std::wstring command = command_line(plan, theirs);
    std::wstring environment = environment_block(plan.environment);
    PROCESS_INFORMATION made{};
    // Suspended until it is in its job: nothing that it starts escapes.
    constexpr DWORD flags =
        CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT | CREATE_NO_WINDOW;
    if (!::CreateProcessW(widen(plan.program).c_str(), command.data(), nullptr, nullptr, TRUE, flags,
                          environment.data(), widen(plan.folder).c_str(), &settings.StartupInfo, &made)) {
      throw_windows_error(plan.program + ": cannot be started");
    }
    handle = Handle(made.hProcess);
    const Handle thread(made.hThread);
    if (!::AssignProcessToJobObject(job.get(), handle.get())) {
      ::TerminateProcess(handle.get(), killed);
      throw_windows_error(plan.program + ": cannot be put into a job");
    }
    ::ResumeThread(thread.get());
  }

  Handle ours;
  Handle output = make_output_file();
  Handle job;
  Handle handle;
};

ChildProcess::ChildProcess(const ChildPlan& plan) : process_(std::make_unique<Process>(plan)) {}

ChildProcess::~ChildProcess() { end(0.0); }

ChannelPointer ChildProcess::open(std::string name) {
  return make_pipe_channel(std::move(process_->ours), std::move(name));
}

bool ChildProcess::is_running() const {
  return ended_.empty() && ::WaitForSingleObject(process_->handle.get(), 0) == WAIT_TIMEOUT;
}

std::string ChildProcess::end(double timeout) {
  if (!ended_.empty()) return ended_;
  ::WaitForSingleObject(process_->handle.get(), static_cast<DWORD>(1000.0 * timeout));
  ::TerminateJobObject(process_->job.get(), killed);
  ::WaitForSingleObject(process_->handle.get(), INFINITE);
  DWORD code = 0;
  ::GetExitCodeProcess(process_->handle.get(), &code);
  ended_ = describe_end(code);
  return ended_;
}

std::string ChildProcess::printed(std::size_t most) const {
  LARGE_INTEGER size{};
  ::GetFileSizeEx(process_->output.get(), &size);
  std::string text(std::min(static_cast<std::size_t>(size.QuadPart), most), '\0');
  const auto from = static_cast<ULONGLONG>(size.QuadPart) - text.size();
  OVERLAPPED place{};  // the position of the child's own handle is not used
  place.Offset = static_cast<DWORD>(from);
  place.OffsetHigh = static_cast<DWORD>(from >> 32);
  DWORD count = 0;
  ::ReadFile(process_->output.get(), text.data(), static_cast<DWORD>(text.size()), &count, &place);
  text.resize(count);
  return text;
}

ChannelPointer prepare_child(int count, char** arguments) {
  if (count != 2) return nullptr;
  ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);  // no windows that wait
  const auto number = static_cast<std::uintptr_t>(std::strtoull(arguments[1], nullptr, 10));
  Handle link(reinterpret_cast<void*>(number));
  ::SetHandleInformation(link.get(), HANDLE_FLAG_INHERIT, 0);
  std::thread(watch_output).detach();
  return make_pipe_channel(std::move(link), "the master");
}

void limit_child(const ChildLimits& limits) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION kept{};
  DWORD flags = JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  if (limits.memory > 0.0) {
    flags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
    kept.ProcessMemoryLimit = static_cast<SIZE_T>(limits.memory);
  }
  if (limits.processor_time > 0.0) {
    flags |= JOB_OBJECT_LIMIT_PROCESS_TIME;
    kept.BasicLimitInformation.PerProcessUserTimeLimit.QuadPart = static_cast<LONGLONG>(limits.processor_time * 1e7);
  }
  if (!limits.processes) {
    flags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
    kept.BasicLimitInformation.ActiveProcessLimit = 1;
  }
  // The job lasts as long as the process in it: its handle stays open.
  Handle job = make_job(flags, kept);
  if (!::AssignProcessToJobObject(job.get(), ::GetCurrentProcess()))
    throw_windows_error("the limits of the child process cannot be set");
  job.release();
}

}  // namespace counterpoint::link
