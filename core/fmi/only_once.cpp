#include "fmi/only_once.hpp"

#include <mutex>
#include <set>

#include "coupling/subsystem.hpp"

namespace counterpoint::fmi {
namespace {

std::mutex& mutex() {
  static std::mutex made;
  return made;
}
std::set<std::string>& taken() {
  static std::set<std::string> made;
  return made;
}

}  // namespace

void OnlyOnce::take(const std::string& token, const std::string& name) {
  const std::lock_guard lock(mutex());
  if (!taken().insert(token).second) {
    throw ComponentFailure(
        "this FMU allows one instance per process (canBeInstantiatedOnlyOncePerProcess), and another one of it is "
        "running; " +
        name + " has to run in a process of its own");
  }
}

void OnlyOnce::give_back(const std::string& token) {
  const std::lock_guard lock(mutex());
  taken().erase(token);
}

}  // namespace counterpoint::fmi
