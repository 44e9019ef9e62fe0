#pragma once

// Short loops whose length the compiler knows: at -O2 it leaves them as loops unless told.
#if defined(__GNUC__)
#define COUNTERPOINT_UNROLL _Pragma("GCC unroll 8")
#else
#define COUNTERPOINT_UNROLL
#endif
