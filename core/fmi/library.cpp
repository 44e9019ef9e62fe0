#include "fmi/library.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "coupling/failure.hpp"
#include "fmi/library_image.hpp"
#include "fmi/log.hpp"

#if defined(_WIN32)
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#include <unistd.h>
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

/// The loader of Windows finds it by itself: the library of the FMU names it.
void load_python(const PythonLibrary&) {}

Library::Library(const std::string& path) : path_(path) {
  check_library_file(path);
  // Libraries beside the FMU's own are found, those of the current directory are not.
  handle_ =
      LoadLibraryExW(widen(path).c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  if (handle_ == nullptr)
    throw std::runtime_error(path + ": cannot be loaded, Windows error " + std::to_string(GetLastError()));
}
Library::~Library() { FreeLibrary(static_cast<HMODULE>(handle_)); }
void* Library::find(const char* name) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), name));
}

#else

namespace {

/// What the loader said, and what it did not say: which file needs what is missing, and why.
std::string explained(const std::string& path, const std::string& said) {
  const bool names_it = said.rfind(path, 0) == 0;
  if (!names_it) return said + "; needed by " + path;
  const bool there = access(path.c_str(), R_OK) == 0;
  return there && said.find("No such file") != std::string::npos
             ? said + "; the file is there, but not for this kind of processor"
             : said;
}

bool misses_python(const std::string& said) {
  for (const char* words : {"undefined symbol: _Py", "undefined symbol: Py", "symbol not found in flat namespace '_Py",
                            "symbol not found in flat namespace '__Py"}) {
    if (said.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

void load_python(const PythonLibrary& python) {
  // Where Python looks for its modules: this program is none of its own.
  if (!python.home.empty()) setenv("PYTHONHOME", python.home.c_str(), 1);
  if (!python.path.empty()) setenv("PYTHONPATH", python.path.c_str(), 1);
  if (dlopen(python.library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw std::runtime_error("cannot be loaded: " + printable(dlerror()));
}

Library::Library(const std::string& path) : path_(path) {
  check_library_file(path);
  ForeignCode code;
  code.name = path_.c_str();
  code.function = "dlopen (initialisation of its library)";
  ForeignCall call(code);
  try {
    handle_ = call.run([&] { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); });
  } catch (const ComponentFailure& failure) {
    throw std::runtime_error("cannot be loaded: " + path + ": " + failure.what());
  }
  if (handle_ == nullptr) {
    const std::string said = dlerror();
    const std::string text = "cannot be loaded: " + printable(explained(path, said));
    if (misses_python(said)) throw PythonMissing(text + "; it needs Python in its process");
    throw std::runtime_error(text);
  }
  adopt_library(handle_, path);
}

/// A crash here comes when all results are there: it is said, and that is all.
Library::~Library() {
  disown_library(handle_);
  if (stays_) return;
  ForeignCode code;
  code.name = path_.c_str();
  code.function = "dlclose (end of its library)";
  try {
    ForeignCall call(code);
    call.run([&] { return dlclose(handle_); });
  } catch (const ComponentFailure& failure) {
    std::fprintf(stderr, "counterpoint: %s: %s\n", path_.c_str(), failure.what());
  }
}
void* Library::find(const char* name) const { return dlsym(handle_, name); }

#endif

}  // namespace counterpoint::fmi
