#pragma once

// Short loops whose length the compiler knows: at -O2 it leaves them as loops unless told.
#if defined(__GNUC__)
#define COUNTERPOINT_UNROLL _Pragma("GCC unroll 8")
// Long loops over arrays of which none overlaps another.
#define COUNTERPOINT_INDEPENDENT _Pragma("GCC ivdep")
// Functions that must not be called: their arguments are to stay in registers.
#define COUNTERPOINT_INLINE [[gnu::always_inline]] inline
#else
#define COUNTERPOINT_UNROLL
#define COUNTERPOINT_INDEPENDENT
#define COUNTERPOINT_INLINE inline
#endif
