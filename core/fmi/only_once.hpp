#pragma once

#include <string>

namespace counterpoint::fmi {

/// FMUs that allow one instance per process: those that have one, by token.
class OnlyOnce {
 public:
  /// Throws ComponentFailure when it is taken already.
  static void take(const std::string& token, const std::string& name);
  static void give_back(const std::string& token);
};

}  // namespace counterpoint::fmi
