#pragma once

#include <stdexcept>
#include <string>

#include "fmi/library.hpp"

namespace counterpoint::fmi {

/// Look up functions of an FMU; those that no run can do without must be there.
class Symbols {
 public:
  explicit Symbols(const Library& library) : library_(library) {}

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(library_.find(name));
  }

  template <class Function>
  void require(Function* function, const char* name) {
    if (function == nullptr) missing_ += (missing_.empty() ? "" : ", ") + std::string(name);
  }

  void check() const {
    if (!missing_.empty()) throw std::runtime_error(library_.path() + ": this library has no " + missing_);
  }

 private:
  const Library& library_;
  std::string missing_;
};

}  // namespace counterpoint::fmi
