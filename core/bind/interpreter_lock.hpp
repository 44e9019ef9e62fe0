#pragma once

#include <Python.h>

#include <utility>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#include <unistd.h>
#endif

namespace counterpoint::bind {

/// Do work that calls Python, in a thread that the end of the program may find there. Up to 3.13 Python ends such a
/// thread when it asks for the interpreter's lock by unwinding its stack, which neither destructors nor extension
/// modules survive; it rests here instead until the process is gone.
template <class Work>
auto surviving_exit(Work&& work) {
#ifdef __GLIBCXX__
  try {
    return std::forward<Work>(work)();
  } catch (abi::__forced_unwind&) {
    while (true) ::pause();
  }
#else
  return std::forward<Work>(work)();
#endif
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
