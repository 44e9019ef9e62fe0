#include "fmi/library.hpp"

#include <stdexcept>

#if defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace counterpoint::fmi {

#if defined(_WIN32)

namespace {

std::wstring widen(const std::string& text) {
  const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring wide(size, L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), wide.data(), size);
  return wide;
}

}  // namespace

Library::Library(const std::string& path) : path_(path) {
  // Libraries beside the FMU's own are found, those of the current directory are not.
  handle_ = LoadLibraryExW(widen(path).c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  if (handle_ == nullptr) throw std::runtime_error(path + ": cannot be loaded, Windows error " + std::to_string(GetLastError()));
}
Library::~Library() { FreeLibrary(static_cast<HMODULE>(handle_)); }
void* Library::find(const char* name) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

#else

Library::Library(const std::string& path) : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(std::string("cannot be loaded: ") + dlerror());
}
Library::~Library() { dlclose(handle_); }
void* Library::find(const char* name) const { return dlsym(handle_, name); }

#endif

}  // namespace counterpoint::fmi
