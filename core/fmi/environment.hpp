#pragma once

#include "coupling/floating_point.hpp"

namespace counterpoint::fmi {

/// Gives back the settings of the floating-point unit at the end, whatever an FMU did to them.
class KeepFloatingPoint {
 public:
  KeepFloatingPoint() = default;
  ~KeepFloatingPoint() { kept_.restore(); }
  KeepFloatingPoint(const KeepFloatingPoint&) = delete;
  KeepFloatingPoint& operator=(const KeepFloatingPoint&) = delete;

 private:
  FloatingPoint kept_;
};

/// The same for one call of many: the settings before it are known, and it is noted when they were not kept.
class WatchFloatingPoint {
 public:
  WatchFloatingPoint(const FloatingPoint& before, bool& changed) : before_(before), changed_(changed) {}
  ~WatchFloatingPoint() {
    if (before_.restore()) changed_ = true;
  }
  WatchFloatingPoint(const WatchFloatingPoint&) = delete;
  WatchFloatingPoint& operator=(const WatchFloatingPoint&) = delete;

 private:
  const FloatingPoint& before_;
  bool& changed_;
};

}  // namespace counterpoint::fmi
