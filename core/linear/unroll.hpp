#pragma once

// Short loops whose length the compiler knows: at -O2 it leaves them as loops unless told.
#if defined(__GNUC__)
#define COUNTERPOINT_UNROLL _Pragma("GCC unroll 8")
// Long loops over arrays of which none overlaps another.
#define COUNTERPOINT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define COUNTERPOINT_UNROLL
#define COUNTERPOINT_INDEPENDENT
#endif
