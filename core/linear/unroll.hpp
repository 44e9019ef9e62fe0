#pragma once

// Short loops whose length the compiler knows: at -O2 it leaves them as loops unless told.
#if defined(__GNUC__)
#define COUNTERPOINT_UNROLL _Pragma("GCC unroll 8")
// Functions that must not be called: their arguments are to stay in registers.
#define COUNTERPOINT_INLINE [[gnu::always_inline]] inline
// The same for a lambda, after its arguments.
#define COUNTERPOINT_INLINE_LAMBDA __attribute__((always_inline))
#else
#define COUNTERPOINT_UNROLL
#define COUNTERPOINT_INLINE inline
#define COUNTERPOINT_INLINE_LAMBDA
#endif
