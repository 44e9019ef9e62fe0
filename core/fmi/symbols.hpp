#pragma once

#include <stdexcept>
#include <string>

#include "fmi/library.hpp"

namespace counterpoint::fmi {

/// A function that an FMU may have. The tables of instance2.cpp and instance3.cpp derive a type from it for each
/// function of the standard, which adds its `name`: a call then names the function once.
template <class Signature>
struct Symbol {
  Signature* pointer = nullptr;

  explicit operator bool() const { return pointer != nullptr; }
  template <class... Arguments>
  auto operator()(Arguments... arguments) const {
    return pointer(arguments...);
  }
};

/// Look up functions of an FMU; those that no run can do without must be there.
class Symbols {
 public:
  /// Functions of FMI 1 have a prefix, which is left out by some.
  explicit Symbols(const Library& library, std::string prefix = "") : library_(library), prefix_(std::move(prefix)) {}

  template <class Function>
  void find(Function& function) const {
    void* found = library_.find((prefix_ + Function::name).c_str());
    if (found == nullptr && !prefix_.empty()) found = library_.find(Function::name);
    function.pointer = reinterpret_cast<decltype(function.pointer)>(found);
  }

  template <class Function>
  void require(const Function& function) {
    if (!function) missing_ += (missing_.empty() ? "" : ", ") + prefix_ + Function::name;
  }

  void check() const {
    if (!missing_.empty()) throw std::runtime_error(library_.path() + ": this library has no " + missing_);
  }

 private:
  const Library& library_;
  std::string prefix_;
  std::string missing_;
};

}  // namespace counterpoint::fmi
