#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

#include <utility>

namespace counterpoint::bind {

/// Wait for ever. Up to 3.13 Python ends threads that ask for its lock once the program is ending by unwinding their
/// stack, which neither destructors nor extension modules survive; such a thread rests here instead until the process
/// is gone.
[[noreturn]] inline void rest_for_ever() {
  while (true) ::pause();
}

/// Do work that calls Python, in a thread that the end of the program may find there.
template <class Work>
auto surviving_exit(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (abi::__forced_unwind&) {
    rest_for_ever();
  }
}

/// Hold the interpreter's lock, from whichever thread.
class HoldsInterpreter {
 public:
  HoldsInterpreter() : state_(surviving_exit([] { return PyGILState_Ensure(); })) {}
  ~HoldsInterpreter() { PyGILState_Release(state_); }
  HoldsInterpreter(const HoldsInterpreter&) = delete;
  HoldsInterpreter& operator=(const HoldsInterpreter&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Let others have the interpreter's lock meanwhile.
class LeavesInterpreter {
 public:
  LeavesInterpreter() noexcept : state_(PyEval_SaveThread()) {}
  ~LeavesInterpreter() {
    surviving_exit([this] { PyEval_RestoreThread(state_); });
  }
  LeavesInterpreter(const LeavesInterpreter&) = delete;
  LeavesInterpreter& operator=(const LeavesInterpreter&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace counterpoint::bind
