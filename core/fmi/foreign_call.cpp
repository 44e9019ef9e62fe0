// What happens after a crash of foreign code in this process:
//
//   in a call of ours              long jump out of it; the run fails with its results kept
//   while that jump is digested    the heap may be locked for ever by the code that was left: an alarm ends the process
//   later, anywhere                memory may have been damaged: a second crash ends the process with a word
//   in a thread of the FMU         nowhere to jump to: the process ends with a word
//   elsewhere                      the handlers that were there before
//
// A process that ends here ends with exit code 4, and what its run files have been given is readable.

#include "fmi/foreign_call.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "coupling/failure.hpp"
#include "fmi/crash_report.hpp"
#include "fmi/library.hpp"
#include "fmi/log.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#if defined(__linux__)
#include <ucontext.h>
#endif

#include <atomic>
#include <cerrno>
#include <mutex>
#include <stdexcept>

#include "fmi/library_image.hpp"
#endif

namespace counterpoint::fmi {

constinit thread_local ForeignCall::Thread ForeignCall::thread_;

namespace {

constexpr const char* advice =
    "nothing more is called on it, and this process may be damaged; isolate=True (isolate = true in a scenario) runs "
    "the "
    "FMU in a separate process, where a crash does not harm this one";

const char* explanation(const ForeignEnd& end) {
#if !defined(_WIN32)
  if (end.stack_overflow) return "stack overflow";
  switch (end.signal) {
    case SIGSEGV:
      return "invalid memory access";
    case SIGBUS:
      return "access to memory that its file does not have";
    case SIGFPE:
      return "arithmetic exception, such as an integer division by zero";
    case SIGILL:
      return "instruction that this processor does not have";
    case SIGABRT:
      return "abort()";
    default:
      break;
  }
#endif
  return "exit";
}

const char* name_of_signal(int number) {
#if !defined(_WIN32)
  switch (number) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGABRT:
      return "SIGABRT";
    default:
      break;
  }
#endif
  return number == 0 ? "" : "a signal";
}

}  // namespace

std::string words_of(const ForeignEnd& end) {
  if (end.signal == 0) return "exit code " + std::to_string(end.exit_code);
  std::string text = std::string(name_of_signal(end.signal)) + ", " + explanation(end);
  if (end.address == 0 && explanation(end) != std::string("invalid memory access")) return text;
  char address[32];
  std::snprintf(address, sizeof address, " at address 0x%llx", static_cast<unsigned long long>(end.address));
  return text + address;
}

#if defined(_WIN32)

void ForeignCall::prepare_thread() { thread_.is_ready = true; }
void ForeignCall::abandon(const ForeignEnd&) { std::abort(); }
ForeignCall* ForeignCall::running() { return nullptr; }
void ForeignCall::died() { std::abort(); }
ForeignSignals::ForeignSignals() = default;
ForeignSignals::~ForeignSignals() = default;
void ForeignSignals::only_report() {}
bool ForeignSignals::reports_only() { return true; }

#else

namespace {

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_size = 1 << 16;
constexpr int component_died = 4;  ///< exit code
constexpr unsigned digestion = 5;  ///< s, for the few allocations after a crash

std::mutex mutex;
int users = 0;
bool is_installed = false;
bool only_reports = false;
struct sigaction before[NSIG];

/// The first crash of this process; what crashed may be gone when this is read.
struct Wound {
  char name[200] = "";
  const char* function = "";
  double time = 0.0;
  bool has_time = false;
} wound;
std::atomic<bool> is_wounded{false};
std::atomic_flag
    alarm_is_changing;  ///< a lock that a signal handler may take: what it guards neither waits nor crashes
int digesting = 0;      ///< crashes, in threads of their own: one alarm serves them all
struct sigaction alarm_before;
itimerval timer_before;

[[noreturn]] void end_process(CrashReport& report) {
  report.add("; results up to the last flush are in the run file\n").write();
  ::_exit(component_died);
}

Wound wound_of(const ForeignCode& code) {
  Wound made;
  std::strncpy(made.name, code.name, sizeof made.name - 1);
  made.function = code.function;
  made.has_time = code.log != nullptr;
  if (made.has_time) made.time = code.log->time();
  return made;
}

void report_place(CrashReport& report, const Wound& place) {
  report.add("counterpoint: ").add(place.name).add(": ").add(place.function);
  if (place.has_time) report.add(" at t = ").add_number(place.time).add(" s");
}

/// The heap is locked by the code that crashed.
extern "C" void on_alarm(int) {
  CrashReport report;
  report_place(report, wound);
  report.add(": the FMU crashed while it held a lock that this process needs; ").add(advice);
  end_process(report);
}

class AlarmLock {
 public:
  AlarmLock() {
    while (alarm_is_changing.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~AlarmLock() { alarm_is_changing.clear(std::memory_order_release); }
  AlarmLock(const AlarmLock&) = delete;
  AlarmLock& operator=(const AlarmLock&) = delete;
};

/// The process may use this timer itself: what was set is put back by the last one.
void set_alarm() {
  const AlarmLock lock;
  const itimerval soon{{0, 0}, {digestion, 0}};
  if (digesting++ > 0) {
    setitimer(ITIMER_REAL, &soon, nullptr);
    return;
  }
  struct sigaction action{};
  action.sa_handler = on_alarm;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGALRM, &action, &alarm_before);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  setitimer(ITIMER_REAL, &soon, &timer_before);
}

void clear_alarm() {
  const AlarmLock lock;
  if (--digesting > 0) return;
  setitimer(ITIMER_REAL, &timer_before, nullptr);
  ::sigaction(SIGALRM, &alarm_before, nullptr);
}

std::uintptr_t register_of(void* context, bool instruction) {
#if defined(__linux__) && defined(__x86_64__)
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  return static_cast<std::uintptr_t>(registers[instruction ? REG_RIP : REG_RSP]);
#elif defined(__linux__) && defined(__aarch64__)
  const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  return instruction ? machine.pc : machine.sp;
#else
  (void)context, (void)instruction;
  return 0;
#endif
}

ForeignEnd end_of(int number, const siginfo_t* info, void* context) {
  ForeignEnd end;
  end.signal = number;
  if (info->si_code <= 0) return end;  // sent by raise or abort
  end.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  // What lies near the stack pointer can be accessed, unless the stack is used up.
  const std::uintptr_t stack = register_of(context, false);
  const std::uintptr_t distance = end.address > stack ? end.address - stack : stack - end.address;
  end.stack_overflow = number == SIGSEGV && stack != 0 && distance < (1 << 16);
  return end;
}

/// What would have happened without us.
void pass_on(int number, siginfo_t* info, void* context) {
  const struct sigaction& previous = before[number];
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr)
    return previous.sa_sigaction(number, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(number);
  ::signal(number, SIG_DFL);
  if (info->si_code <= 0) ::raise(number);  // otherwise the instruction is made again
}

extern "C" void on_crash(int number, siginfo_t* info, void* context) {
  const int kept_errno = errno;
  const bool from_elsewhere = info->si_code <= 0 && info->si_pid != getpid();
  const ForeignEnd end = end_of(number, info, context);
  ForeignCall* const call = ForeignCall::running();
  if (!from_elsewhere && call != nullptr && !only_reports) {
    if (!is_wounded.exchange(true)) wound = wound_of(call->code());
    set_alarm();
    call->abandon(end);
  }
  CrashReport report;
  if (!from_elsewhere && call != nullptr) {
    report_place(report, wound_of(call->code()));
    report.add(": ").add(name_of_signal(number)).add(", ").add(explanation(end)).add("\n").write();
  } else if (!from_elsewhere && is_wounded) {
    report_place(report, wound);
    report.add(": the FMU crashed, and now this process does (").add(name_of_signal(number)).add("); ").add(advice);
    end_process(report);
  } else if (const char* library = library_at(register_of(context, true)); library != nullptr && !only_reports) {
    report.add("counterpoint: ").add(library).add(": the FMU crashed in a thread of its own: ");
    report.add(name_of_signal(number)).add(", ").add(explanation(end)).add("; isolate=True (isolate = true in a ");
    report.add("scenario) runs it in a separate process, where a crash does not harm this one");
    end_process(report);
  }
  errno = kept_errno;
  pass_on(number, info, context);
}

/// `exit` in a call that no hook has caught (library_image.hpp), such as one of a library that the FMU uses. What runs
/// at the end of the process may have run by now: there is no way back.
void at_exit() {
  const ForeignCall* call = ForeignCall::running();
  if (call == nullptr || only_reports) return;
  CrashReport report;
  report_place(report, wound_of(call->code()));
  report.add(
      ": the FMU ended this process (exit); isolate=True (isolate = true in a scenario) runs it in a process of ");
  report.add("its own");
  end_process(report);
}

pthread_key_t thread_key() {
  static const pthread_key_t made = [] {
    pthread_key_t key{};
    if (pthread_key_create(&key, nullptr) != 0) throw std::runtime_error("no key for memory of threads is left");
    return key;
  }();
  return made;
}

/// A stack for signal handlers, since that of the thread may be used up.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0 && now.ss_size >= stack_size / 4) return;
    memory_ = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    stack_t ours{};
    ours.ss_sp = memory_;
    ours.ss_size = stack_size;
    sigaltstack(&ours, nullptr);
  }
  ~HandlerStack() {
    if (memory_ == MAP_FAILED) return;
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || now.ss_sp != memory_) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (sigaltstack(&none, nullptr) == 0) munmap(memory_, stack_size);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  void* memory_ = MAP_FAILED;
};

/// Whether the heap can be used is found out with blocks that no cache of the thread has.
void try_heap() {
  for (std::size_t size = 64; size < (1 << 17); size *= 4) {
    volatile char* block = static_cast<volatile char*>(std::malloc(size));
    if (block != nullptr) block[0] = 0;
    std::free(const_cast<char*>(block));
  }
}

}  // namespace

/// A signal handler finds the memory of its thread by a key: looking for it as usual may allocate it.
void ForeignCall::prepare_thread() {
  static thread_local const HandlerStack stack;
  (void)stack;
  pthread_setspecific(thread_key(), &thread_);
  thread_.is_ready = true;
}

ForeignCall* ForeignCall::running() {
  const Thread* thread = static_cast<const Thread*>(pthread_getspecific(thread_key()));
  ForeignCall* current = thread != nullptr ? thread->current : nullptr;
  return current != nullptr && current->code_->function != nullptr ? current : nullptr;
}

void ForeignCall::abandon(const ForeignEnd& end) {
  end_ = end;
  code_->dead = true;
  thread_of_.current = outer_;
  siglongjmp(jump_, 1);
}

void ForeignCall::died() {
  if (end_.signal != 0) try_heap();
  std::string text = end_.signal != 0 ? "the FMU crashed in " : "the FMU called exit in ";
  text += std::string(std::exchange(code_->function, nullptr)) + ": " + words_of(end_);
  if (code_->library != nullptr) code_->library->keep_loaded();
  if (code_->log != nullptr) {
    const std::string words = code_->log->last_words();
    if (!words.empty()) text += "; the FMU said: " + words;
  }
  text += std::string("; ") + advice;
  if (end_.signal != 0) clear_alarm();
  throw ComponentFailure(text, true);
}

ForeignSignals::ForeignSignals() {
  const std::lock_guard lock(mutex);
  thread_key();  // made here, since handlers use it
  static const bool registered = std::atexit(at_exit) == 0;
  (void)registered;
  if (users++ > 0 || is_installed) return;
  struct sigaction action{};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int number : crashes) ::sigaction(number, &action, &before[number]);
  is_installed = true;
}

/// A handler that came after ours stays, and may call ours.
ForeignSignals::~ForeignSignals() {
  const std::lock_guard lock(mutex);
  if (--users > 0 || is_wounded) return;
  bool all = true;
  for (int number : crashes) {
    struct sigaction now{};
    ::sigaction(number, nullptr, &now);
    const bool ours = (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash;
    if (ours) ::sigaction(number, &before[number], nullptr);
    all = all && ours;
  }
  is_installed = !all;
}

void ForeignSignals::only_report() { only_reports = true; }
bool ForeignSignals::reports_only() { return only_reports; }

#endif

}  // namespace counterpoint::fmi
