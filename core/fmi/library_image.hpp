#pragma once

#include <cstdint>
#include <string>

namespace counterpoint::fmi {

/// Throw std::runtime_error with the file and the reason when a library's file is damaged in a way that would crash the
/// loader, or is made for another operating system. What the loader can say by itself is left to it.
void check_library_file(const std::string& path);

/// Calls of `exit`, `_exit`, `_Exit` and `quick_exit` in a loaded library, and in those of its folder that came with
/// it, go to us: in a foreign call they end the call and not the process. Nothing happens where that cannot be done
/// (only ELF can). Also notes where the library lies in memory.
void adopt_library(void* handle, const std::string& path);
/// The library is about to be unloaded; one of the handles that were adopted.
void disown_library(void* handle);

/// The file of the adopted library that an instruction belongs to, or null; for signal handlers.
const char* library_at(std::uintptr_t instruction);

}  // namespace counterpoint::fmi
