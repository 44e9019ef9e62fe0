#pragma once

#include <cstddef>

namespace counterpoint::fast {

/// So many participants, of some 2 kB that a step or a comparison reads, leave the caches in between: what comes soon
/// is asked for.
inline constexpr std::size_t more_than_the_caches = 1024;

/// Ask for memory that is read soon.
inline void fetch([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __GNUC__
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(static_cast<const char*>(memory) + at);
#endif
}

}  // namespace counterpoint::fast
