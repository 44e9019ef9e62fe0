#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>
#include <utility>

namespace counterpoint::fmi {

class Library;
class Log;
class ForeignCall;
struct Environment;

/// Foreign code that is called: one per instance of an FMU (or library that is loaded), so that a call only has to
/// point here. Everything that a signal handler reads is plain memory.
struct ForeignCode {
  const char* function = nullptr;      ///< that is being called; null: our own code runs
  ForeignCall* call = nullptr;         ///< under way on this code; null: none
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
  explicit ForeignCall(ForeignCode& code) : first_(code), around_(code.call), code_(&code), thread_of_(thread_) {
    if (!thread_of_.is_ready) [[unlikely]]
      prepare_thread();
    outer_ = thread_of_.current;
    thread_of_.current = this;
    code.call = this;
  }
  ~ForeignCall() {
    thread_of_.current = outer_;
    first_.call = around_;
  }
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

  /// The innermost one of this thread, if a foreign function is running at the moment; else null. May be asked in a
  /// signal handler.
  static ForeignCall* running();
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
  static constinit thread_local Thread thread_;

  static void prepare_thread();
  [[noreturn]] void died();

  ForeignCode& first_;   ///< at the beginning
  ForeignCall* around_;  ///< under way on it before: this is one of its callbacks
  ForeignCode* code_;
  Thread& thread_of_;
  ForeignCall* outer_ = nullptr;
  ForeignEnd end_;
#if !defined(_WIN32)
  sigjmp_buf jump_;
#endif
};

/// A callback works for us for a while: a crash meanwhile is not the FMU's.
class OwnWork {
 public:
  OwnWork() : call_(ForeignCall::running()) {
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
