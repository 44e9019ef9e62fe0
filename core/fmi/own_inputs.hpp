#pragma once

#include <utility>
#include <vector>

#include "fmi/bundle.hpp"

namespace counterpoint::fmi {

/// A subsystem whose inputs have values of their own inside, which it keeps until they are connected or set.
class OwnInputs {
 public:
  /// The input with this scalar is set from now on: it is written.
  virtual void write_input(int offset) = 0;

 protected:
  ~OwnInputs() = default;

  /// Mark the port with this scalar as written; whether it was not before.
  static bool mark_written(std::vector<Port>& ports, int offset) {
    for (Port& port : ports) {
      if (offset < port.width) return !std::exchange(port.written, true);
      offset -= port.width;
    }
    return false;
  }
};

}  // namespace counterpoint::fmi
