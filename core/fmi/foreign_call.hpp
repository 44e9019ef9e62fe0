#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>
#include <utility>

namespace counterpoint::fmi {

class Library;
class Log;
struct Environment;

/// Foreign code that is called: one per instance of an FMU (or library that is loaded), so that a call only has to
/// point here. Everything that a signal handler reads is plain memory.
struct ForeignCode {
  const char* function = nullptr;      ///< that is being called; null: our own code runs
  bool dead = false;                   ///< nothing is called any more
  const char* name = "";               ///< of the instance, or the library's file
  const Library* library = nullptr;    ///< null while it is being loaded
  Log* log = nullptr;                  ///< of the instance, null when there is none
  Environment* environment = nullptr;  ///< what its callbacks know
};

/// How a foreign call ended that did not return.
struct ForeignEnd {
  int signal = 0;  ///< 0: it called exit
  int exit_code = 0;
  std::uintptr_t address = 0;  ///< that was touched, or of the instruction
  bool stack_overflow = false;
};

/// The call of foreign code that is under way in this thread.
///
/// A crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) or `exit` inside it comes back here by a long jump: the code is
/// marked dead and an exception is thrown, so that a run ends as after any other failure. Nothing of ours lies between,
/// except the callbacks, which hold no locks while they read what the FMU gave them. What cannot be put right is that
/// the foreign code may have damaged memory or left a lock taken: see foreign_call.cpp.
///
/// Costs about as much as saving a dozen registers: no system call, nothing allocated.
class ForeignCall {
 public:
  explicit ForeignCall(ForeignCode& code) : code_(&code), outer_(thread_.current) {
    if (!thread_.is_ready) [[unlikely]]
      prepare_thread();
    thread_.current = this;
  }
  ~ForeignCall() { thread_.current = outer_; }
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  /// Do the work. Throws ComponentFailure when a foreign function does not come back (`ForeignCode::function` is set
  /// while one runs); nothing is unwound then, so that the work must not take locks or own memory around a call.
  template <class Work>
  auto run(Work&& work) {
#if defined(_WIN32)
    return work();
#else
    if (sigsetjmp(jump_, 0) != 0) died();
    return work();
#endif
  }

  /// The innermost one of this thread; null: none.
  static ForeignCall* current() { return thread_.current; }
  /// The same, if a foreign function is running at the moment.
  static ForeignCall* running() {
    return thread_.current != nullptr && thread_.current->code_->function != nullptr ? thread_.current : nullptr;
  }
  ForeignCode& code() const { return *code_; }
  /// From here on it is a call of this code: many in a row then cost no more than one.
  void turn_to(ForeignCode& code) { code_ = &code; }

  /// Go back to `run`; called from inside the foreign code.
  [[noreturn]] void abandon(const ForeignEnd& end);

 private:
  struct Thread {
    ForeignCall* current = nullptr;
    bool is_ready = false;
  };
  /// Read by signal handlers, where nothing may be allocated: hence not the general model of thread-local memory.
#if defined(__GLIBC__)
  [[gnu::tls_model("initial-exec")]]
#endif
  static constinit thread_local Thread thread_;

  static void prepare_thread();
  [[noreturn]] void died();

  ForeignCode* code_;
  ForeignCall* outer_;
  ForeignEnd end_;
#if !defined(_WIN32)
  sigjmp_buf jump_;
#endif
};

/// A callback works for us for a while: a crash meanwhile is not the FMU's.
class OwnWork {
 public:
  OwnWork() : call_(ForeignCall::current()) {
    if (call_ != nullptr) std::swap(function_, call_->code().function);
  }
  ~OwnWork() {
    if (call_ != nullptr) call_->code().function = function_;
  }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  ForeignCall* call_;
  const char* function_ = nullptr;
};

/// Signal handlers for crashes, in place as long as one of these lives: while foreign libraries are loaded. A crash
/// outside foreign calls goes to the handlers that were there before.
class ForeignSignals {
 public:
  ForeignSignals();
  ~ForeignSignals();
  ForeignSignals(const ForeignSignals&) = delete;
  ForeignSignals& operator=(const ForeignSignals&) = delete;

  /// In a process that exists for one FMU: a crash is written to the standard error and ends the process as ever.
  static void only_report();
  static bool reports_only();
};

/// What a crash is, in words: "SIGSEGV, invalid memory access at address 0x0".
std::string words_of(const ForeignEnd& end);

}  // namespace counterpoint::fmi
