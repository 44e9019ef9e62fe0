#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "fmi/foreign_call.hpp"

namespace counterpoint::fmi {

/// The interpreter as a shared library, for FMUs that expect Python in the process that loads them. An empty
/// ``library``: there is none.
struct PythonLibrary {
  std::string library;
  std::string home;  ///< its PYTHONHOME
  std::string path;  ///< its PYTHONPATH
};

/// Load Python for the whole process; throws std::runtime_error with the loader's own words.
void load_python(const PythonLibrary& python);

/// A library cannot be loaded since the symbols of Python are not in the process.
class PythonMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A shared library, loaded as long as this lives. Its symbols stay its own (RTLD_LOCAL): FMUs have functions of the
/// same names. RTLD_DEEPBIND, which would also shield a library from symbols of the process, is left out: it breaks
/// libraries that rely on a replaced allocator, and sanitizers refuse it.
class Library {
 public:
  /// Throws std::runtime_error with the file and the loader's own words, or what is wrong with the file where the
  /// loader would crash; PythonMissing if Python in the process would help.
  explicit Library(const std::string& path);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Address of a symbol, or null.
  void* find(const char* name) const;
  const std::string& path() const { return path_; }
  /// Its code has crashed: it stays loaded for ever, since unloading would call it again.
  void keep_loaded() const { stays_ = true; }

 private:
  ForeignSignals signals_;  ///< before anything of the library runs, so that handlers of its own come after ours
  std::string path_;
  void* handle_ = nullptr;
  mutable std::atomic<bool> stays_{false};
};

using LibraryPointer = std::shared_ptr<const Library>;

}  // namespace counterpoint::fmi
