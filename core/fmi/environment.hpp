#pragma once

#include <cfenv>

#if defined(__SSE2__) || defined(_M_X64)
#include <immintrin.h>
#define COUNTERPOINT_HAS_MXCSR 1
#endif

namespace counterpoint::fmi {

/// The floating-point environment of the caller, given back at the end whatever an FMU did to it (rounding, traps,
/// flushing of small numbers). With SSE reading one register tells whether there is anything to do.
class KeepFloatingPoint {
 public:
#if defined(COUNTERPOINT_HAS_MXCSR)
  ~KeepFloatingPoint() {
    if ((_mm_getcsr() & settings) != (kept_ & settings)) restore();
  }

 private:
  static constexpr unsigned settings = ~0x3Fu;  ///< all but the flags of what has happened
  void restore() const {
    std::fesetenv(FE_DFL_ENV);  // the x87 unit, too
    _mm_setcsr(kept_);
  }
  unsigned kept_ = _mm_getcsr();
#else
  KeepFloatingPoint() { std::fegetenv(&kept_); }
  ~KeepFloatingPoint() { std::fesetenv(&kept_); }

 private:
  std::fenv_t kept_;
#endif
};

}  // namespace counterpoint::fmi
