#pragma once

#include <cfenv>

#if defined(__SSE2__) || defined(_M_X64)
#include <immintrin.h>
#define COUNTERPOINT_HAS_MXCSR 1
#endif

namespace counterpoint {

/// Settings of the floating-point unit: rounding, traps, flushing of small numbers.
#if defined(COUNTERPOINT_HAS_MXCSR)
class FloatingPoint {
 public:
  /// Make these the settings, unless they are; returns whether they were not. Reading the register waits for all that
  /// is being computed: as much as some dozen instructions.
  bool restore() const {
    if ((_mm_getcsr() & settings) == (kept_ & settings)) return false;
    write();
    return true;
  }

 private:
  static constexpr unsigned settings = ~0x3Fu;  ///< all but the flags of what has happened
  [[gnu::noinline]] void write() const {
    std::fesetenv(FE_DFL_ENV);  // the x87 unit, too
    _mm_setcsr(kept_);
  }
  unsigned kept_ = _mm_getcsr();
};
#else
class FloatingPoint {
 public:
  FloatingPoint() { std::fegetenv(&kept_); }
  bool restore() const {
    std::fesetenv(&kept_);
    return false;  // not known
  }

 private:
  std::fenv_t kept_;
};
#endif

}  // namespace counterpoint
